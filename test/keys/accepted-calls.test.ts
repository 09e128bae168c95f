import { type AcceptCall, callAccepter } from '../../src/caller/call';
import type { Principal } from '../../src/caller/principal';
import { SlidingLog } from '../../src/caller/rate-limit/limiter';
import { READER } from '../support/fake-service';

/** An entrance at which one key and one session are known, while `found` is there. */
function entrance() {
  const state: { found: Principal | null } = { found: READER };
  const uses: boolean[] = [];
  const noted: (readonly [operation: string, outcome: string])[] = [];
  const acceptCall = callAccepter({
    authenticator: { authenticate: async () => state.found } as never,
    sessions: {
      find: async (_token, isUse = true) => {
        uses.push(isUse);
        return state.found && { session: {} as never, principal: state.found };
      },
    },
    limiter: new SlidingLog(),
    rateLimitPerMinute: 60,
    accessLog: { note: ({ operation, outcome }) => void noted.push([operation, outcome]) },
    nowMs: Date.now,
  });
  const call = (visit: Partial<Parameters<AcceptCall>[0]> = {}) =>
    acceptCall({
      ...{ requestId: 'r', apiKey: 'key', address: '192.0.2.1', entrance: 'rest' },
      gone: new AbortController().signal,
      ...visit,
    });
  return { state, uses, noted, call };
}
const DISABLED = { ...READER, isDisabled: true } as Principal;

describe('a call that was accepted', () => {
  it.each([
    ['a key', {}],
    ['a session', { apiKey: undefined, sessionToken: 'token' }],
  ])('is looked up again: %s may have ended since, or its tenants may be disabled', async (_, visit) => {
    const { state, call } = entrance();
    const { again } = await call(visit);
    expect(await again()).toBe(READER);
    state.found = DISABLED;
    await expect(again()).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('is disabled'),
    });
    state.found = null;
    expect(await again()).toBeNull();
  });

  it('is a use of its session, and so is each look-up, unless the page asks by itself', async () => {
    const session = { apiKey: undefined, sessionToken: 'token' };
    for (const [visit, isUse] of [
      [session, true],
      [{ ...session, isUnattended: false }, true],
      [{ ...session, isUnattended: true }, false],
    ] as const) {
      const { uses, call } = entrance();
      await (await call(visit)).again();
      expect([visit, uses]).toEqual([visit, [isUse, isUse]]);
    }
  });

  it('is refused for a disabled tenant and with both a key and a session, and the first is noted', async () => {
    const { state, noted, call } = entrance();
    await expect(call({ sessionToken: 'token' })).rejects.toMatchObject({ code: 'invalid_parameter' });
    expect(noted).toEqual([]);
    state.found = DISABLED;
    await expect(call()).rejects.toMatchObject({ code: 'forbidden' });
    expect(noted).toEqual([['authenticate', 'forbidden']]);
    state.found = null;
    await expect(call()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(noted).toHaveLength(1);
  });
});
