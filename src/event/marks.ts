import { randomUUID } from 'node:crypto';
import { LIMITS } from '../limits';

/**
 * A statement may have megabytes. Read, escaped and sent in one go, it would hold up every other caller. So events that
 * leave the service are read with a mark in its place: the beginning of the statement, and behind it where the rest is.
 * The text of the answer is made with the mark, and the rest is read and written in pieces when the answer leaves. Marks
 * are random, so no stored text holds one.
 */
export const MARK = randomUUID();
/** A mark with the tenant, the record, the characters before it, and the bytes of the whole statement. */
export const FOUND_MARK = new RegExp(`${MARK}:(\\d+):([0-9a-f-]{36}):(\\d+):(\\d+);`);

/** Whether a text has a mark in it. */
export const hasMark = (text: string | null): boolean => text?.includes(MARK) === true;

/** The bytes of the statements that marks in a text stand for. */
export function markedBytes(text: string): number {
  const found = FOUND_MARK.exec(text);
  return found ? Number(found[4]) + markedBytes(text.slice(found.index + found[0].length)) : 0;
}

/** The further calls of a rate limit as which an answer of these texts counts. */
export const furtherCalls = (texts: readonly string[]): number =>
  Math.floor(texts.reduce((sum, text) => sum + markedBytes(text), 0) / LIMITS.largeBytesPerCall);

/** How a statement is written in an answer. */
export type TextForm = 'json' | 'csv';

interface Asker {
  readonly holder: string;
  readonly tenants: readonly number[];
  readonly gone?: AbortSignal;
}

/** Port: puts statements in the places of their marks. One large statement of a tenant is read at a time. */
export interface WholeTexts {
  /** Texts of JSON as bytes. @throws DomainError `service_unavailable` @throws CallerGone */
  pieces(texts: Iterable<string>, asker: Asker): Promise<Buffer[]>;
  /**
   * A part of an answer.
   * @param waitMs for the turn of a statement @throws DomainError `service_unavailable`
   */
  written(text: string, form: TextForm, asker: Asker, waitMs?: number): AsyncGenerator<string | Buffer, void>;
}
