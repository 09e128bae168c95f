import type { Answer, Shape } from '../../../event/shape';
import { type Schedule, timingOf } from './schedule';

export const REPORT_SCHEDULE = {
  name: 'ReportSchedule',
  doc: 'When runs of a report are made, and where they are sent.',
  fields: {
    scheduleId: { kind: 'id' },
    tenantId: { kind: 'text' },
    name: { kind: 'text' },
    reportId: { kind: 'text' },
    every: { kind: 'text', nullable: true, doc: 'hourly, daily, weekly or monthly; null: see `cron`.' },
    cron: { kind: 'text', doc: 'Minute, hour, day of the month, month, day of the week, in local time.' },
    timeZone: { kind: 'text' },
    period: { kind: 'text', doc: 'What a run covers: schedule, hour, day, week or month.' },
    parameters: { kind: 'values' },
    formats: { kind: 'text', isList: true },
    emails: { kind: 'text', isList: true, doc: 'Empty: it is sent to a destination.' },
    attach: { kind: 'boolean' },
    destinationId: { kind: 'id', nullable: true },
    keepDays: { kind: 'integer', nullable: true, doc: 'Null: as other runs.' },
    paused: { kind: 'boolean' },
    nextRunAt: { kind: 'time', nullable: true, doc: 'Null: it is paused.' },
    lastRunId: { kind: 'id', nullable: true, doc: 'The newest run that was sent.' },
    lastRunAt: { kind: 'time', nullable: true, doc: 'When it was sent.' },
    pendingRunId: { kind: 'id', nullable: true, doc: 'The run that is being made or sent.' },
    lastError: { kind: 'text', nullable: true, doc: 'Why the newest attempt failed; null: it did not.' },
    failures: { kind: 'integer', doc: 'Failed attempts in a row.' },
    retryAt: { kind: 'time', nullable: true, doc: 'When it is tried again.' },
    createdBy: { kind: 'text' },
    createdAt: { kind: 'time' },
  },
} as const satisfies Shape;

export function toAnswer(schedule: Schedule): Answer<typeof REPORT_SCHEDULE> {
  const { scheduleId, tenantId, definition, paused, dueAt, pending } = schedule;
  const { lastRunId, lastRunAt, error, failures, retryAt, createdBy, createdAt } = schedule;
  return {
    scheduleId,
    tenantId: String(tenantId),
    ...definition,
    ...timingOf(definition),
    paused,
    nextRunAt: paused ? null : dueAt.toISOString(),
    lastRunId,
    lastRunAt: lastRunAt?.toISOString() ?? null,
    pendingRunId: pending?.runId ?? null,
    lastError: error,
    failures,
    retryAt: retryAt?.toISOString() ?? null,
    createdBy,
    createdAt: createdAt.toISOString(),
  };
}
