import { createHash } from 'node:crypto';
import { Zone } from '../../../event/zone';
import type { ReportFormat } from '../files';
import { EVERY, type Every, type RunPeriod, scheduleTimes, type Times } from './timing';

/** What an operator says of a schedule. */
export interface Definition {
  readonly name: string;
  readonly reportId: string;
  /** One of the two is given. */
  readonly every: Every | null;
  readonly cron: string | null;
  readonly timeZone: string;
  /** Null: what goes with its times. */
  readonly period: RunPeriod | null;
  readonly parameters: Readonly<Record<string, string | boolean>>;
  readonly formats: readonly ReportFormat[];
  /** Addresses, or else a destination. */
  readonly emails: readonly string[];
  readonly attach: boolean;
  readonly destinationId: string | null;
  /** Null: as runs that people make. */
  readonly keepDays: number | null;
}

/** The run of a schedule that is being made or sent. */
export interface Pending {
  readonly runId: string;
  /** Milliseconds: the time of the schedule, and the period. */
  readonly dueMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether somebody asked for it. Then the schedule goes on as if it had not been. */
  readonly isAsked: boolean;
  /** Addresses that have its mail. */
  readonly told: readonly string[];
  /** `contentOf` the schedule when the run was planned. An earlier release did not note it. */
  readonly content?: string;
}

/** A schedule as it is stored. */
export interface Schedule {
  readonly tenantId: number;
  readonly scheduleId: string;
  readonly definition: Definition;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly paused: boolean;
  readonly dueAt: Date;
  readonly coveredUntil: Date;
  readonly asked: boolean;
  readonly pending: Pending | null;
  readonly failures: number;
  readonly error: string | null;
  readonly retryAt: Date | null;
  readonly lastRunId: string | null;
  readonly lastRunAt: Date | null;
}

/** The expression of the times, and the period that a run covers. */
export function timingOf({ every, cron, period }: Pick<Definition, 'every' | 'cron' | 'period'>): {
  readonly cron: string;
  readonly period: RunPeriod;
} {
  const named = every === null ? null : EVERY[every];
  return { cron: cron ?? named?.cron ?? EVERY.daily.cron, period: period ?? named?.period ?? 'schedule' };
}

/** Who makes the runs of a schedule, as they state it. */
export const makerName = ({ name }: Pick<Definition, 'name'>): string => `schedule ${name}`;

export const timesOf = (definition: Definition): Times =>
  scheduleTimes(timingOf(definition).cron, new Zone(definition.timeZone));

/** What a schedule says of the content of its runs, as a hash: a run of other content is not the one that it means now. */
export function contentOf(definition: Definition): string {
  const { reportId, timeZone, parameters, formats } = definition;
  const content = [reportId, timeZone, parameters, formats, timingOf(definition).period];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
