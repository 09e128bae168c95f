import { LIMITS } from '../../limits';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';

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
