import { inUse } from '../../event/source-report';
import { LIMITS } from '../../limits';

/** A gap of a source. */
export interface LoggedGap {
  readonly hostName: string;
  readonly databaseName: string;
  readonly reason: string;
  readonly afterTime: string | null;
  readonly beforeTime: string | null;
}

/** A source whose agent has not published all of a period. */
export interface Behind {
  readonly hostName: string;
  readonly databaseName: string;
  /** Null: how far it is complete is not known. */
  readonly completeThrough: string | null;
}

/** Events that retention removed, with the times of the first and the last one. */
export interface Removed {
  readonly from: string;
  readonly to: string;
  readonly events: number;
}

/** What an agent reports of a database that it reads. */
export interface Source {
  readonly tenantId: string;
  readonly hostName: string;
  readonly databaseName: string;
  readonly state: string;
  readonly lastEventTime: string | null;
  readonly completeThrough: string | null;
  readonly lagSeconds: number | null;
  readonly lastReported: string;
  readonly gapCount: number;
  readonly gaps: readonly {
    readonly reason: string;
    readonly afterTime: string | null;
    readonly beforeTime: string | null;
  }[];
  /** The number of further gaps that may lie in the time that was asked for. */
  readonly moreGaps?: number;
}

/** What stands for the gaps that a source has too many of: they may be anywhere in the period. */
const MORE = { reason: 'MORE', afterTime: null, beforeTime: null } as const;

/** The gaps of sources that may lie in a period, half-open, ISO 8601 in UTC with seven decimals. */
export const gapsIn = (sources: readonly Source[], startTime: string, endTime: string): LoggedGap[] =>
  sources.flatMap(({ hostName, databaseName, gaps, moreGaps = 0 }) =>
    [...gaps, ...(moreGaps > 0 ? [MORE] : [])]
      .filter(
        ({ afterTime, beforeTime }) =>
          (afterTime === null || afterTime < endTime) && (beforeTime === null || beforeTime > startTime),
      )
      .map(({ reason, afterTime, beforeTime }) => ({
        hostName,
        databaseName,
        reason,
        afterTime,
        beforeTime,
      })),
  );

/** What retention removed that may be of a period; null: nothing. */
export function removedIn(
  removals: readonly { readonly from: Date; readonly to: Date; readonly events: number }[],
  startTime: string,
  endTime: string,
): Removed | null {
  const touching = removals.filter(
    ({ from, to }) => from.getTime() < Date.parse(endTime) && to.getTime() >= Date.parse(startTime),
  );
  if (touching.length === 0) return null;
  return {
    from: new Date(Math.min(...touching.map(({ from }) => from.getTime()))).toISOString(),
    to: new Date(Math.max(...touching.map(({ to }) => to.getTime()))).toISOString(),
    events: touching.reduce((sum, { events }) => sum + events, 0),
  };
}

/**
 * The sources whose events until a time are not all there: their agent is away, or late. A time just before `nowMs`
 * counts as that of a usual lag earlier.
 */
export function behindAt(sources: readonly Source[], endTime: string, nowMs: number): Behind[] {
  const endMs = Math.min(Date.parse(endTime), nowMs - LIMITS.trailBehindMs);
  return inUse(sources)
    .filter(({ completeThrough }) => completeThrough === null || Date.parse(completeThrough) < endMs)
    .map(({ hostName, databaseName, completeThrough }) => ({ hostName, databaseName, completeThrough }));
}
