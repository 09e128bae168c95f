import { SECTOR_BYTES } from './limits';

/** A position between two events: the `index`-th event of the block at `blockOffset` comes next. */
export interface Position {
  readonly blockOffset: number;
  readonly index: number;
}
export const START: Position = { blockOffset: SECTOR_BYTES, index: 0 };

/** A position between two events in one file of a database. */
export interface FilePosition extends Position {
  readonly fileGuid: string;
}

export const isBefore = (a: Position, b: Position): boolean =>
  a.blockOffset < b.blockOffset || (a.blockOffset === b.blockOffset && a.index < b.index);
export const earlier = (a: Position, b: Position): Position => (isBefore(b, a) ? b : a);
export const later = (a: Position, b: Position): Position => (isBefore(a, b) ? b : a);
/** Copies only the two values, without anything else that the given object holds. */
export const toPosition = ({ blockOffset, index }: Position): Position => ({ blockOffset, index });
