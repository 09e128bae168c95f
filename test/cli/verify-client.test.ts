import timers from 'node:timers/promises';
import { VerifyClient } from '../../src/cli/verify-client';
import { idBytes } from '../../src/event/record-id';
import { erasureText } from '../../src/store/log/evidence/erasure-entry';
import { anEventInFull, logOf } from '../evidence/parts/log-copies';
import { runCli } from '../support/cli';

const [FOUR = '', SIX = ''] = logOf(
  Array.from({ length: 6 }, (_, n) => anEventInFull(n)),
  [4, 6],
).checkpoints;
const WAIT_MS = 5_000;

describe('verify waits for the log', () => {
  let calls: number;
  let waits: unknown[];
  const caughtUp = async (answers: readonly object[], isAccepted = (_: string) => true) => {
    [calls, waits] = [0, []];
    let elapsed = 700;
    const mocks = [
      jest.spyOn(performance, 'now').mockImplementation(() => elapsed),
      jest.spyOn(timers, 'setTimeout').mockImplementation(async (ms) => {
        waits.push(ms);
        elapsed += Number(ms);
      }),
      jest.spyOn(globalThis, 'fetch').mockImplementation(async () => {
        const answer = answers[Math.min(calls++, answers.length - 1)];
        const log = { tenantId: '7', publicKey: 'k', refusedEvents: 0, problem: null, backfilling: false };
        return new Response(JSON.stringify({ data: { ...log, waitingEvents: 0, ...answer } }));
      }),
    ];
    try {
      const { size, wanted, checkpoint } = await new VerifyClient(
        'http://service',
        'key',
        undefined,
        WAIT_MS,
        isAccepted,
      ).caughtUp();
      return { size, wanted, checkpoint };
    } finally {
      for (const mock of mocks) mock.mockRestore();
    }
  };
  const four = { size: 4, checkpoint: FOUR };
  const six = { size: 6, checkpoint: SIX };

  it('not where a checkpoint covers all events', async () => {
    expect(await caughtUp([four])).toEqual({ size: 4, wanted: 4, checkpoint: FOUR });
    expect([calls, waits]).toEqual([1, []]);
  });

  it.each<[string, object[], ((note: string) => boolean) | undefined]>([
    ['all events that waited at first', [{ ...four, waitingEvents: 2 }, four, six], undefined],
    ['its own entries', [{ size: 6, checkpoint: FOUR }, { size: 6, checkpoint: null }, six], undefined],
    [
      'the events from before the log',
      [{ ...six, backfilling: true }, { ...six, backfilling: true }, six],
      undefined,
    ],
    ['the witnesses', [four, { ...six, waitingEvents: 3 }, six], (note) => note === SIX && calls > 2],
  ])('until a checkpoint covers %s', async (_, answers, isAccepted) => {
    expect(await caughtUp(answers, isAccepted)).toMatchObject({ size: 6, checkpoint: SIX });
    expect([calls, waits]).toEqual([3, [1_000, 1_000]]);
  });

  it('no longer than it was told, and not at all where the log has a problem', async () => {
    expect(await caughtUp([{ ...four, waitingEvents: 2 }])).toEqual({ size: 4, wanted: 6, checkpoint: FOUR });
    expect(waits).toHaveLength(6);
    await caughtUp([{ ...four, waitingEvents: 2, problem: 'stopped' }]);
    expect(waits).toEqual([]);
  });

  it.each([
    [[], 120_000],
    [['--wait', '0'], 0],
    [['--wait', '7'], 7_000],
  ])('%j, in the command: as many seconds as it is given, or two minutes', async (args, wanted) => {
    let elapsed = 0;
    const mocks = [
      jest.spyOn(performance, 'now').mockImplementation(() => elapsed),
      jest.spyOn(timers, 'setTimeout').mockImplementation(async (ms) => {
        elapsed += Number(ms);
      }),
      jest.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
        if (!new URL(String(url)).pathname.endsWith('/audit-log')) throw new Error('no further');
        const log = { tenantId: '7', publicKey: 'k', refusedEvents: 0, problem: null, backfilling: false };
        return new Response(JSON.stringify({ data: { ...log, waitingEvents: 2, ...four } }));
      }),
    ];
    try {
      await runCli(['verify', '--service', 'http://service', ...args], { AUDIT_ACTIVITY_API_KEY: 'k' });
      expect(elapsed).toBeGreaterThanOrEqual(wanted);
      expect(elapsed).toBeLessThan(wanted + 7_000);
    } finally {
      for (const mock of mocks) mock.mockRestore();
    }
  });
});

describe('verify fetches the log', () => {
  const ERASURE_ID = '019b8d0e-1c00-7000-8000-0000000000aa';
  const ERASURE = erasureText({
    tenantId: '7',
    erasureId: ERASURE_ID,
    at: '2026-01-05T08:00:00.000Z',
    erasedBy: 'an operator',
    reason: 'a request',
    events: 1,
    entries: [[1, 2]],
  });
  /** @param enteredAt the copy of the log from which on the entry of the erasure is in it */
  const copiesUntil = async (enteredAt: number) => {
    let copies = 0;
    const mock = jest.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
      const { pathname, searchParams } = new URL(String(url));
      const size = copies < enteredAt ? 4 : 6;
      const about = { tenantId: '7', publicKey: 'k', refusedEvents: 0, problem: null, backfilling: false };
      const answers: Record<string, () => object> = {
        '/audit-log': () => {
          copies++;
          const entered = copies < enteredAt ? { size: 4, checkpoint: FOUR } : { size: 6, checkpoint: SIX };
          return { ...about, waitingEvents: 0, ...entered };
        },
        '/audit-log/checkpoints': () => ({
          checkpoints: searchParams.get('after') === '0' ? [size === 4 ? FOUR : SIX] : [],
        }),
        '/audit-log/entries': () => {
          const ids = Buffer.alloc(16 * size);
          if (size === 6) idBytes(ERASURE_ID).copy(ids, 16 * 5);
          const leafHashes = Buffer.alloc(32 * size).toString('base64');
          return { start: 0, count: size, recordIds: ids.toString('base64'), leafHashes };
        },
        '/audit-log/removals': () => ({ removals: [], erasures: [ERASURE] }),
        '/audit-log/consistency': () => ({ hashes: [] }),
      };
      const answer = answers[pathname.slice(pathname.indexOf('/audit-log'))];
      if (!answer) throw new Error(pathname);
      return new Response(JSON.stringify({ data: answer() }));
    });
    try {
      const { recordIds } = await new VerifyClient('http://service', 'key', undefined, WAIT_MS).log(null);
      return [copies, recordIds.length / 16];
    } finally {
      mock.mockRestore();
    }
  };

  it('again where an erasure was entered meanwhile, whose entry it does not have, and at most three times', async () => {
    expect(await copiesUntil(1)).toEqual([1, 6]);
    expect(await copiesUntil(2)).toEqual([2, 6]);
    expect(await copiesUntil(3)).toEqual([3, 6]);
    expect(await copiesUntil(4)).toEqual([3, 4]);
  });
});
