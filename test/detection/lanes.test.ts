import { LIMITS } from '../../src/limits';
import { Lanes } from '../../src/modules/detection/detector/lanes';

describe('the lane of a tenant', () => {
  let nowMs = 1_000;
  const told: unknown[] = [];
  const lanes = () => {
    told.length = 0;
    return new Lanes(() => nowMs, { warn: (fields: object) => void told.push(fields) } as never);
  };

  it('is the slow one after a step that took long, until its steps have been quick for some minutes', () => {
    const all = lanes();
    all.note(7, LIMITS.detectionSlowMs - 1);
    expect(all.of(7)).toBe('quick');
    all.note(7, LIMITS.detectionSlowMs);
    expect([all.of(7), all.of(8), all.slow]).toEqual(['slow', 'quick', [7]]);
    nowMs += LIMITS.detectionSlowForMs - 1;
    all.note(7, LIMITS.detectionSlowMs - 1);
    expect(all.of(7)).toBe('slow');
    all.note(7, Number.POSITIVE_INFINITY);
    nowMs += LIMITS.detectionSlowForMs - 1;
    expect(all.of(7)).toBe('slow');
    nowMs += 1;
    expect([all.of(7), all.slow]).toEqual(['quick', []]);
  });

  it('is told in the log when it becomes the slow one, once', () => {
    const all = lanes();
    all.note(7, LIMITS.detectionSlowMs + 0.4);
    all.note(7, LIMITS.detectionSlowMs + 9);
    all.note(8, Number.POSITIVE_INFINITY);
    expect(told).toEqual([
      { tenantId: 7, tookMs: LIMITS.detectionSlowMs },
      { tenantId: 8, tookMs: null },
    ]);
  });
});
