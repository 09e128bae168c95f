import { hasMark } from '../../event/marks';
import { LIMITS } from '../../limits';
import { TextBytes } from '../../store/bytes/text-bytes';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { ExportedEvents, ExportFormat } from './formats';

/** Splits events, in order, into pieces of bounded text length, because a caller may read slowly. */
export function* piecesOf(events: readonly StoredAuditEvent[]): Generator<readonly StoredAuditEvent[]> {
  let [from, chars] = [0, 0];
  for (const [at, { statement }] of events.entries()) {
    chars += statement?.length ?? 0;
    if (chars < LIMITS.exportPieceChars && at + 1 < events.length) continue;
    yield events.slice(from, at + 1);
    [from, chars] = [at + 1, 0];
  }
}

/**
 * Events as bytes.
 * @param whole a line with large statements in the places of their marks
 */
export async function* bytesOf(
  events: ExportedEvents,
  { line }: Pick<ExportFormat, 'line'>,
  whole: (line: string) => AsyncIterable<string | Buffer>,
): AsyncGenerator<string | Buffer, void> {
  const bytes = new TextBytes();
  for (const event of events) {
    const text = line(event);
    if (!hasMark(text)) {
      bytes.add(text);
      continue;
    }
    yield* bytes.take();
    yield* whole(text);
  }
  yield* bytes.take();
}
