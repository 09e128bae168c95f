import { type Position, START } from '../sqlaudit/reader';

export { type Position, START };

/** A place between two events of one file of a database. */
export interface FilePosition extends Position {
  readonly fileGuid: string;
}

export const isBefore = (a: Position, b: Position): boolean =>
  a.blockOffset < b.blockOffset || (a.blockOffset === b.blockOffset && a.index < b.index);
export const earlier = (a: Position, b: Position): Position => (isBefore(b, a) ? b : a);
export const later = (a: Position, b: Position): Position => (isBefore(a, b) ? b : a);
/** Only the two values: a position made of something larger would be kept and saved with all of it. */
export const toPosition = ({ blockOffset, index }: Position): Position => ({ blockOffset, index });
