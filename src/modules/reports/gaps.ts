/** A gap of a source. */
export interface LoggedGap {
  readonly hostName: string;
  readonly databaseName: string;
  readonly reason: string;
  readonly afterTime: string | null;
  readonly beforeTime: string | null;
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
}

/** The gaps of sources that may lie in a period, half-open, ISO 8601 in UTC with seven decimals. */
export const gapsIn = (sources: readonly Source[], startTime: string, endTime: string): LoggedGap[] =>
  sources.flatMap(({ hostName, databaseName, gaps }) =>
    gaps
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
