import { OpenLogs } from '../../../src/modules/evidence/open-logs';

const MINUTE_MS = 60_000;
const START_MS = Date.parse('2026-02-03T04:05:06.007Z');

function opened() {
  const at = { ms: START_MS };
  const told: string[] = [];
  const tell = (level: string) => (more: { tenantId?: number; reason?: string }, text: string) =>
    void told.push([level, more.tenantId, text, more.reason].filter((one) => one !== undefined).join(' '));
  const stopping = new AbortController();
  const logs = new OpenLogs(
    {
      log: { warn: tell('warn'), info: tell('info'), error: tell('error') } as never,
      signal: stopping.signal,
      nowMs: () => at.ms,
    },
    { named: { witness: 'w' }, texts: { away: 'is away', again: 'is back', refused: 'refuses' } } as never,
  );
  return { at, told, logs, stopping };
}

describe('logs that wait for somebody outside', () => {
  it('are late by the time since they began to wait, whichever way the clock was set', () => {
    const { at, logs } = opened();
    logs.keepOnly([1, 2]);
    at.ms += 4 * MINUTE_MS;
    logs.keepOnly([1, 2, 3]);
    expect(logs.late(4 * MINUTE_MS)).toEqual([1, 2]);
    logs.keepOnly([2, 3]);
    logs.keepOnly([1, 2, 3]);
    logs.signed(2);
    at.ms += MINUTE_MS;
    logs.keepOnly([1, 2, 3]);
    // The first left the list, and the second was signed: both wait anew.
    expect(logs.late(MINUTE_MS)).toEqual([3, 1]);
    at.ms -= 60 * MINUTE_MS;
    expect(logs.late(59 * MINUTE_MS).sort()).toEqual([1, 2, 3]);
  });

  it('tell that he is away once, and once that he answers again, each time anew', () => {
    const { at, told, logs } = opened();
    logs.answered();
    expect(told).toEqual([]);
    for (const reason of ['no route', 'timeout']) logs.wasAway(reason);
    expect(logs.isOver).toBe(true);
    logs.answered();
    logs.answered();
    expect(logs.isOver).toBe(false);
    at.ms += MINUTE_MS;
    logs.wasAway('timeout');
    expect(told).toEqual(['warn is away no route', 'info is back', 'warn is away timeout']);
    at.ms += 3_600_000;
    expect(logs.isOver).toBe(false);
  });

  it('tell each reason once of each log, which rests, longer after each refusal, until it is signed', () => {
    const { at, told, logs } = opened();
    logs.keepOnly([1, 2]);
    logs.refused(1, 'other key');
    expect([logs.isResting(1), logs.isResting(2)]).toEqual([true, false]);
    at.ms += 10_000;
    expect(logs.isResting(1)).toBe(false);
    logs.refused(1, 'other key');
    at.ms += 10_000;
    expect(logs.isResting(1)).toBe(true);
    logs.refused(2, 'other key');
    logs.refused(1, 'FORKED');
    expect(told).toEqual([
      'error 1 refuses other key',
      'error 2 refuses other key',
      'error 1 refuses FORKED',
    ]);
    logs.signed(1);
    expect(logs.isResting(1)).toBe(false);
    logs.keepOnly([1, 2]);
    logs.refused(1, 'FORKED');
    expect(told).toHaveLength(4);
  });

  it('rest for long where he does not serve them, which is told once', () => {
    const { at, told, logs } = opened();
    logs.keepOnly([1]);
    logs.isNotServed(1, 'is not served');
    at.ms += 10 * MINUTE_MS - 1;
    expect(logs.isResting(1)).toBe(true);
    at.ms += 1;
    expect(logs.isResting(1)).toBe(false);
    logs.isNotServed(1, 'is not served');
    expect(told).toEqual(['warn 1 is not served']);
  });

  it('say nothing of an attempt that the end of the service broke off', () => {
    const { told, logs, stopping } = opened();
    stopping.abort();
    logs.wasAway('aborted');
    expect([told, logs.isOver]).toEqual([[], true]);
  });
});
