import { callAccepter } from '../../src/caller/call';
import { type Limiter, SlidingLog } from '../../src/caller/rate-limit/limiter';
import { LIMITS } from '../../src/limits';
import { OPERATOR, READER } from '../support/fake-service';

/** Lets two sessions of a principal call by turns. @returns the number of admitted calls, and the refusal */
async function admitted(
  principal: typeof READER,
  calls: number,
): Promise<{ calls: number; refusal: string }> {
  const limiter: Limiter = new SlidingLog();
  const acceptCall = callAccepter({
    authenticator: {} as never,
    sessions: { find: async () => ({ session: {} as never, principal }) },
    limiter,
    rateLimitPerMinute: 60,
    accessLog: { note: () => {} },
    nowMs: Date.now,
  });
  let count = 0;
  for (let i = 0; i < calls; i++) {
    const caller = {
      requestId: 'r',
      apiKey: undefined,
      address: '127.0.0.1',
      entrance: 'graphql' as const,
      gone: new AbortController().signal,
    };
    const refusal = await acceptCall({ ...caller, sessionToken: `session ${i % 2}` }).then(
      () => null,
      (error: Error) => error,
    );
    if (refusal) return { calls: count, refusal: refusal.message };
    count++;
  }
  return { calls: count, refusal: '' };
}

const session = { user: null };
const limitedTo = (rateLimitPerMinute: number | null) =>
  ({ ...READER, session, rateLimitPerMinute }) as never;

describe('the rate limit of dashboard sessions', () => {
  it.each([
    ['a key with a limit of 1', limitedTo(1), 10],
    ['a key with a limit of 59', limitedTo(59), 590],
    ['a key with a limit of 100,000', limitedTo(100_000), 600],
    ['a key without a limit of its own', limitedTo(null), 600],
    ['an operator', { ...OPERATOR, session } as never, 600],
    ['a person', { ...OPERATOR, session: { user: 'ada' } } as never, 600],
  ])('is one window for all sessions of %s', async (_who, principal, expected) => {
    const { calls, refusal } = await admitted(principal, 700);
    expect(calls).toBe(expected);
    expect(refusal).toMatch(
      new RegExp(`may make ${expected} calls per minute in the dashboard.*[0-9]+ seconds`),
    );
  });
});

describe('the rate limit of keys', () => {
  const counted = async (principal: typeof READER, entrances: readonly ('rest' | 'graphql')[]) => {
    const acceptCall = callAccepter({
      authenticator: { authenticate: async () => principal } as never,
      sessions: { find: async () => null },
      limiter: new SlidingLog(),
      rateLimitPerMinute: 9,
      accessLog: { note: () => {} },
      nowMs: Date.now,
    });
    const decisions: boolean[] = [];
    const refusals: string[] = [];
    for (const entrance of entrances)
      for (let i = 0; i < 10; i++)
        await acceptCall({
          requestId: 'r',
          apiKey: 'key',
          address: '127.0.0.1',
          entrance,
          gone: new AbortController().signal,
          onRateDecision: ({ admitted }) => decisions.push(admitted),
        }).catch((error: Error) => refusals.push(error.message));
    return { admitted: decisions.filter(Boolean).length, decided: decisions.length, refusals };
  };

  it.each([
    ['its own', { ...READER, rateLimitPerMinute: 4 }, 4],
    ['the one of the service', READER, 9],
  ])('is %s, in each entrance by itself', async (_whose, principal, expected) => {
    const { admitted, decided, refusals } = await counted(principal, ['rest', 'graphql']);
    expect([admitted, decided]).toEqual([expected * 2, 20]);
    expect(new Set(refusals.map((text) => text.split('.')[0]))).toEqual(
      new Set([`This API key may make ${expected} calls per minute`]),
    );
  });

  it('of a token that enrolls agents is another one, whatever the service allows keys', async () => {
    const token = { kind: 'enroll', keyId: READER.keyId, name: 'test' } as never;
    const { refusals } = await counted(
      token,
      Array.from({ length: 15 }, () => 'graphql' as const),
    );
    expect(refusals).toHaveLength(150 - LIMITS.enrollmentsPerMinute);
    expect(refusals[0]).toContain(`enrolls ${LIMITS.enrollmentsPerMinute} agents per minute`);
  });
});
