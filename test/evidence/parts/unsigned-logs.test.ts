import { LIMITS } from '../../../src/limits';
import type { HeadRow } from '../../../src/modules/evidence/log-writer';
import { UnsignedLogs } from '../../../src/modules/evidence/unsigned-logs';

const ALL = { from: 0, end: Number.POSITIVE_INFINITY };
const START = Date.parse('2026-01-05T08:00:00Z');

describe('logs with entries that no checkpoint covers', () => {
  let ms: number;
  let unsigned: UnsignedLogs;
  beforeEach(() => {
    ms = START;
    unsigned = new UnsignedLogs(() => new Date(ms));
  });
  const row = (tenantId: number, checkpoints: number, isSigned = false) =>
    ({ tenant_id: tenantId, checkpoints, size: 9n, signed_size: isSigned ? 9n : 8n }) as HeadRow;
  const late = () => [...unsigned.late.keys()];

  it('are late after five minutes without another checkpoint, whichever way the clock goes', () => {
    unsigned.look([row(7, 1), row(8, 1), row(9, 1, true)], ALL);
    ms = START + LIMITS.evidenceUnsignedMs - 1;
    expect(late()).toEqual([]);
    unsigned.look([row(7, 1), row(8, 2), row(9, 1, true)], ALL);
    ms = START + LIMITS.evidenceUnsignedMs;
    expect(late()).toEqual([7]);
    ms = START - LIMITS.evidenceUnsignedMs;
    expect(late()).toEqual([7, 8]);
    unsigned.signed(7);
    expect(late()).toEqual([8]);
  });

  it('are forgotten when they are signed, and only those that were looked at', () => {
    unsigned.look([row(7, 1), row(8, 1), row(9, 1)], ALL);
    ms = START + LIMITS.evidenceUnsignedMs;
    unsigned.look([], { from: 7, end: 8 });
    expect(late()).toEqual([7, 9]);
    unsigned.look([row(7, 2, true)], ALL);
    expect(late()).toEqual([]);
  });
});
