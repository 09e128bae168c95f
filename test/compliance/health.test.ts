import { formatTicks, TICKS_PER_MS } from '../../src/event/event-time';
import { healthOf } from '../../src/modules/compliance/health';
import type { InstanceTrail } from '../../src/modules/compliance/trail';

const END_MS = Date.UTC(2026, 4, 31);
const ago = (minutes: number) => END_MS - minutes * 60_000;
const textOf = (ms: number) => formatTicks(BigInt(ms) * TICKS_PER_MS);
const SOURCE = {
  hostName: 'PAY01',
  state: 'current',
  lagSeconds: 60,
  lastReported: textOf(ago(0.5)),
};
const canary = { newest: { number: 7, atMs: ago(5) }, isOverdue: false, missing: [], hiddenSinceMs: null };

const stateOf = (more: object = {}) =>
  healthOf({
    isNow: true,
    sources: [SOURCE],
    replay: { stops: [] },
    canaries: async () => [],
    lastEventMs: ago(2),
    period: { from: textOf(ago(43_200)), to: textOf(END_MS) },
    ...more,
  } as unknown as InstanceTrail);

describe('the health of the trail of a server', () => {
  it.each([
    ['events come', {}, 'healthy', 'the newest event is of 2026-05-30T23:58:00.0000000Z'],
    [
      'the server writes nothing, and its path works',
      { lastEventMs: ago(61) },
      'quiet',
      'Healthy, quiet: everything is published; the server has written nothing since 2026-05-30T22:59:00.0000000Z.',
    ],
    [
      'a quiet server has canaries',
      { lastEventMs: ago(90), canaries: async () => [canary] },
      'quiet',
      'canaries come',
    ],
    [
      'its agent is silent',
      { lastEventMs: ago(90), sources: [{ ...SOURCE, state: 'stale' }] },
      'broken',
      'The agent on PAY01 has been silent since 2026-05-30T23:59:30.0000000Z.',
    ],
    ['its agent cannot publish', { sources: [{ ...SOURCE, state: 'problem' }] }, 'broken', 'cannot publish'],
    ['its agent is behind', { sources: [{ ...SOURCE, lagSeconds: 301 }] }, 'broken', 'is 301 seconds behind'],
    ['nothing was ever complete', { sources: [{ ...SOURCE, lagSeconds: null }] }, 'broken', 'not published'],
    [
      'an audit stands still',
      { replay: { stops: [{ from: 'T', to: null }] } },
      'broken',
      'stands still since T',
    ],
    ['an audit stood still', { replay: { stops: [{ from: 'T', to: 'U' }] } }, 'healthy', 'Healthy'],
    [
      'the canary does not come, though the agent says that all is well',
      { canaries: async () => [{ ...canary, isOverdue: true }] },
      'broken',
      'No canary came after number 7',
    ],
    [
      'one of several canaries does not come',
      {
        canaries: async () => [canary, { ...canary, newest: { number: 12, atMs: ago(90) }, isOverdue: true }],
      },
      'broken',
      'No canary came after number 12',
    ],
    [
      'an audit stands still, and another one that stood still later goes on',
      {
        replay: {
          stops: [
            { from: 'T', to: null },
            { from: 'U', to: 'V' },
          ],
        },
      },
      'broken',
      'stands still since T',
    ],
    [
      'canaries are missing',
      {
        canaries: async () => [
          { ...canary, missing: [{ first: 4, last: 5, afterMs: ago(30), beforeMs: ago(10) }] },
        ],
      },
      'broken',
      'Canary numbers 4 to 5 are missing',
    ],
    [
      'canaries are missing time and again: the newest are told',
      {
        canaries: async () => [
          {
            ...canary,
            missing: [
              { first: 1, last: 2, afterMs: ago(90), beforeMs: ago(80) },
              { first: 4, last: 5, afterMs: ago(30), beforeMs: ago(10) },
            ],
          },
        ],
      },
      'broken',
      'Canary numbers 4 to 5 are missing',
    ],
    [
      'other records hide its canaries',
      { canaries: async () => [{ ...canary, hiddenSinceMs: ago(60) }] },
      'unknown',
      `No canary can be found: more records of sp_audit_write came since ${textOf(ago(60))}`,
    ],
    ['no agent reports', { sources: [] }, 'unknown', 'No agent'],
    ['its only source is retired', { sources: [{ ...SOURCE, state: 'retired' }] }, 'unknown', 'No agent'],
    ['the moment is past', { isNow: false }, 'unknown', 'last day only'],
  ])('where %s', async (_, more, state, part) => {
    expect(await stateOf(more)).toEqual({ state, reason: expect.stringContaining(part) });
  });
});
