import { LIMITS } from '../../src/limits';
import { piecesOf } from '../../src/modules/export/pieces';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';

describe('the pieces of an export', () => {
  const half = 'x'.repeat(LIMITS.exportPieceChars / 2);
  const eventsOf = (statements: readonly (string | null)[]) =>
    statements.map((statement, i) => ({ statement, recordId: String(i) }) as StoredAuditEvent);

  it.each([
    [
      [null, 'a', half, half, half],
      [4, 1],
    ],
    [
      [half + half, null, half + half, half + half],
      [1, 2, 1],
    ],
    [['a', 'b'], [2]],
    [[], []],
  ])(
    'hold every event once and in order, and fewer events each if statements are long',
    (statements, sizes) => {
      const events = eventsOf(statements);
      const pieces = [...piecesOf(events)];
      expect(pieces.flat()).toEqual(events);
      expect(pieces.map(({ length }) => length)).toEqual(sizes);
    },
  );
});
