import type { NumberField } from '../../event/fields';
import type { AuditEventFilter } from '../../event/query';
import type { ColumnField, GroupField } from '../columns/column-fields';
import type { RowText } from '../log/arrivals/row-text';
import type { Row } from '../rows/event-rows';

/** Files of one tenant on local disk, in the order of their weeks. */
export interface TenantFiles {
  readonly tenantId: number;
  readonly paths: readonly string[];
}

/** A stretch of record ids, half-open. */
export interface Stretch {
  readonly from: string;
  readonly to: string;
}

/** Events of some stretches that pass a filter, in the order of their record ids. */
export interface RowsQuestion {
  readonly files: TenantFiles;
  readonly filter: AuditEventFilter;
  /** In order, without overlap. */
  readonly stretches: readonly Stretch[];
  /** Only events with this value of a field; null: any. The text is in its stored form. */
  readonly value: { readonly field: ColumnField; readonly text: string } | null;
  readonly descending: boolean;
  readonly limit: number;
}

export interface GroupsQuestion {
  readonly files: TenantFiles;
  readonly filter: AuditEventFilter;
  readonly stretches: readonly Stretch[];
  readonly windowMs: number | null;
  readonly fields: readonly GroupField[];
  readonly hasTimes?: boolean;
  readonly sumOf?: NumberField | null;
}

/** Counts of events by window, by each of some fields, and by window for some values. */
export interface TallyQuestion {
  readonly files: TenantFiles;
  readonly filter: AuditEventFilter;
  readonly stretches: readonly Stretch[];
  /** Null: one window. */
  readonly windowMs: number | null;
  readonly fields: readonly GroupField[];
  /** Texts in their stored form; null: none are counted by window. */
  readonly ofValues: { readonly field: GroupField; readonly texts: readonly string[] } | null;
}

/** A count; `by` is a place among the fields, or says that it is of a window, or of a window and a value. */
export interface TallyRow {
  readonly by: number | 'window' | 'value';
  readonly w: number;
  readonly text: string;
  readonly n: number;
  readonly ok: number;
}

export interface SizedId {
  readonly recordId: string;
  readonly size: number;
}

/**
 * Port: what is asked of files. Every reader's question is one of these. Rows have the names and values that the
 * statements of rows give, so that the same code makes objects of both.
 */
export interface FileReader {
  ids(question: RowsQuestion): Promise<readonly string[]>;
  /** Those of the ids whose event a file holds, in no order. */
  known(files: TenantFiles, ids: readonly string[]): Promise<readonly string[]>;
  /** Rows of list items, in no order. */
  listRows(files: TenantFiles, ids: readonly string[]): Promise<readonly Row[]>;
  /** The bytes of events as limits count them, in no order. */
  sizes(files: TenantFiles, ids: readonly string[]): Promise<readonly SizedId[]>;
  /**
   * Rows of whole events, in no order. @param mark stands in large statements, as in `statementOrMark`; null: they are
   * whole
   */
  wholeRows(files: TenantFiles, ids: readonly string[], mark: string | null): Promise<readonly Row[]>;
  texts(files: TenantFiles, ids: readonly string[], mark: string | null): Promise<readonly RowText[]>;
  /** Rows like those of `eventGroupsStatement`. */
  groups(question: GroupsQuestion): Promise<readonly Row[]>;
  /** At most one row more than `LIMITS.valuesOfFilesMax`: then there are more. */
  tally(question: TallyQuestion): Promise<readonly TallyRow[]>;
}

/** Port: how files are made and proven. */
export interface FileWriter {
  /**
   * Writes a file of lines: JSON of a row's columns, with `position`, `event_us` and `received_ms`.
   * @param known a file whose events the new one has too; null: none
   * @param lineBytes of the longest line
   * @returns the number of rows
   */
  write(lines: string, known: string | null, target: string, lineBytes: number): Promise<number>;
  /**
   * Reads events back. @param after null: from the first one
   * @returns for each event its record id and the hash of its leaf, computed from the file, side by side
   */
  leaves(path: string, after: string | null, limit: number): Promise<Buffer>;
  /** Reads events back as they are stored, for a restore: whole rows in the order of their record ids. */
  rowsAfter(path: string, after: string | null, limit: number): Promise<readonly Row[]>;
}

export interface ArchiveWorker extends FileReader, FileWriter {
  close(): Promise<void>;
}
