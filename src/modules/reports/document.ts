import type { Cell } from '../../csv';
import type { Behind, LoggedGap, Removed } from './gaps';

export interface Column {
  readonly name: string;
  readonly title: string;
  /** `time` is ISO 8601 in UTC; it is shown in the report's time zone. */
  readonly kind: 'text' | 'time' | 'number' | 'statement';
}

/** A table that sums up, with its first rows. */
export interface Table {
  readonly kind: 'table';
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** The number of further rows, which are not listed. */
  readonly more: number;
}

export interface Chart {
  readonly kind: 'chart';
  readonly title: string;
  readonly bars: readonly Bar[];
}
interface Bar {
  readonly label: string;
  readonly succeeded: number;
  readonly failed: number;
}

/** What a report asks, as its reader sees it. */
export interface Question {
  /** Half-open, ISO 8601 in UTC. */
  readonly startTime: string;
  readonly endTime: string;
  readonly timeZone: string;
  /** The filter of the report itself; null: none. */
  readonly filter: string | null;
  /** What the caller gave beside the period. */
  readonly parameters: Readonly<Record<string, string | boolean>>;
}

/** What every file of a run says of it before its rows are known. */
export interface Head {
  readonly runId: string;
  readonly reportId: string;
  readonly title: string;
  readonly about: string;
  readonly tenantId: string;
  readonly createdAt: string;
  readonly question: Question;
  readonly columns: readonly Column[];
}

/** What every file of a run ends with. */
export interface End {
  readonly rows: number;
  /** Gaps of the tenant's sources that may lie in the period. */
  readonly gaps: readonly LoggedGap[];
  /** Sources whose events of the period were not all there when the report was made. */
  readonly behind: readonly Behind[];
  /** What retention had removed by then, where some of it may be of the period; null: nothing. */
  readonly removed: Removed | null;
  /** The evidence log when the report was made. */
  readonly log: { readonly size: number; readonly root: string | null; readonly checkpoint: string | null };
  /** The Merkle root over the record ids, in the order of the rows. Null: the rows are no events. */
  readonly recordIdsRoot: string | null;
}

/** A file of a run, which is written while its rows are read. */
export interface ReportFile {
  /** What stands before the rows. */
  begin(): Written;
  rows(rows: readonly (readonly Cell[])[]): Written;
  /** What stands behind the rows. */
  end(sections: readonly (Table | Chart)[], end: End): Written;
}

/** A part of a file: bytes where it is no text. */
export type Written = string | Buffer;
