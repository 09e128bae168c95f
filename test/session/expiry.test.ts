import { randomUUID } from 'node:crypto';
import type { Principal } from '../../src/caller/principal';
import {
  PostgresSessionStore,
  type Session,
  type SessionStore,
} from '../../src/caller/session/session.store';
import { Sessions } from '../../src/caller/session/sessions';
import { serviceUnavailable } from '../../src/errors';
import { LIMITS } from '../../src/limits';
import { ONE_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

const DISABLED = 4;

/** Sessions in memory, with a clock that the test sets. */
function fakeSessions() {
  const clock = { now: START, elapsedMs: 5 };
  const rows = new Map<string, Session>();
  const name = (hash: Uint8Array) => Buffer.from(hash).toString('hex');
  const store: SessionStore = {
    insert: async (hash, session) => void rows.set(name(hash), session),
    find: async (hash) => rows.get(name(hash)) ?? null,
    touch: async (hash, at) => {
      const row = rows.get(name(hash));
      if (row) rows.set(name(hash), { ...row, lastUsedAt: at });
    },
    remove: async (hash) => void rows.delete(name(hash)),
    removeEnded: async () => {},
  };
  const principal: Principal = { kind: 'operator', keyId: 'k', name: 'operator.key' };
  const keys = { valid: true };
  const authenticator = {
    byKeyId: async () => (keys.valid ? principal : null),
    inUse: async (tenantIds: readonly number[]) => tenantIds.filter((id) => id !== DISABLED),
  };
  const sessions = new Sessions(
    store,
    authenticator,
    () => new Date(clock.now),
    () => clock.elapsedMs,
  );
  return { sessions, store, clock, rows, keys };
}

describe('a session', () => {
  it('answers while its use cannot be written, and writes it once it can', async () => {
    const { sessions, store, clock, rows } = fakeSessions();
    const token = await sessions.begin({ keyId: 'k' });
    const { touch } = store;
    const advance = () => {
      clock.now += LIMITS.sessionUseMs;
      clock.elapsedMs += LIMITS.sessionCacheMs;
    };
    const writtenAt = () => [...rows.values()][0]?.lastUsedAt.getTime();
    advance();
    store.touch = () => Promise.reject(serviceUnavailable(new Error('read-only')));
    expect(await sessions.find(token)).toMatchObject({ principal: { kind: 'operator' } });
    expect(writtenAt()).toBe(START);
    store.touch = () => Promise.reject(new TypeError('a mistake'));
    advance();
    await expect(sessions.find(token)).rejects.toThrow('a mistake');
    store.touch = touch;
    await sessions.find(token);
    expect(writtenAt()).toBe(clock.now);
  });

  it('of a person has the tenants that are in use, and says so if there are none', async () => {
    const { sessions } = fakeSessions();
    const of = async (...tenantIds: number[]) => {
      const identity = { user: 'ann', kind: 'public', scopes: ['read:audit-activity'], tenantIds } as const;
      return (await sessions.find(await sessions.begin(identity)))?.principal;
    };
    expect(await of(1, DISABLED)).toMatchObject({ tenantIds: [1] });
    expect(await of(1, DISABLED)).not.toHaveProperty('isDisabled');
    expect(await of(1, DISABLED)).toMatchObject({ disabledTenantIds: [DISABLED] });
    expect(await of(1)).not.toHaveProperty('disabledTenantIds');
    expect(await of(DISABLED)).toMatchObject({ tenantIds: [], isDisabled: true });
    expect(await of()).not.toHaveProperty('isDisabled');
  });

  const pass = (clock: { now: number; elapsedMs: number }, ms: number) => {
    clock.now += ms;
    clock.elapsedMs += ms;
  };

  it('ends after half an hour without use', async () => {
    const { sessions, clock } = fakeSessions();
    const token = await sessions.begin({ keyId: 'k' });
    pass(clock, LIMITS.sessionIdleMs - 1);
    expect(await sessions.find(token)).not.toBeNull();
    pass(clock, LIMITS.sessionIdleMs - 1);
    expect(await sessions.find(token)).not.toBeNull();
    pass(clock, LIMITS.sessionIdleMs);
    expect(await sessions.find(token)).toBeNull();
  });

  it('ends after half an hour in which a page asks by itself alone', async () => {
    const { sessions, clock } = fakeSessions();
    const token = await sessions.begin({ keyId: 'k' });
    for (let passed = 0; passed + 2 * MINUTE < LIMITS.sessionIdleMs; passed += 2 * MINUTE) {
      pass(clock, 2 * MINUTE);
      expect(await sessions.find(token, false)).not.toBeNull();
    }
    pass(clock, 2 * MINUTE);
    expect(await sessions.find(token, false)).toBeNull();
  });

  it('ends after twelve hours, even if it is used', async () => {
    const { sessions, clock } = fakeSessions();
    const token = await sessions.begin({ keyId: 'k' });
    for (let left = LIMITS.sessionMs; left > MINUTE; left -= MINUTE) {
      pass(clock, MINUTE);
      expect(await sessions.find(token)).not.toBeNull();
    }
    pass(clock, MINUTE);
    expect(await sessions.find(token)).toBeNull();
  });

  it('ends when its key is no longer valid', async () => {
    const { sessions, keys } = fakeSessions();
    const token = await sessions.begin({ keyId: 'k' });
    expect(await sessions.find(token)).not.toBeNull();
    keys.valid = false;
    expect(await sessions.find(token)).toBeNull();
  });

  it('ends within a second after it was signed out on another instance', async () => {
    const { sessions, rows, clock } = fakeSessions();
    const token = await sessions.begin({ keyId: 'k' });
    expect(await sessions.find(token)).not.toBeNull();
    rows.clear();
    pass(clock, LIMITS.sessionCacheMs + 1);
    expect(await sessions.find(token)).toBeNull();
  });

  it('ends within a second after that also while it is used all the time', async () => {
    const { sessions, rows, clock } = fakeSessions();
    const token = await sessions.begin({ keyId: 'k' });
    expect(await sessions.find(token)).not.toBeNull();
    rows.clear();
    let isThere = true;
    for (let passed = 0; passed <= LIMITS.sessionCacheMs; passed += LIMITS.sessionCacheMs / 4) {
      pass(clock, LIMITS.sessionCacheMs / 4);
      isThere = (await sessions.find(token)) !== null;
    }
    expect(isThere).toBe(false);
  });

  it('ends within a second after that also where the clock of this instance was set back', async () => {
    const { sessions, rows, clock } = fakeSessions();
    const token = await sessions.begin({ keyId: 'k' });
    clock.now += MINUTE;
    expect(await sessions.find(token, false)).not.toBeNull();
    rows.clear();
    clock.now -= MINUTE;
    clock.elapsedMs += LIMITS.sessionCacheMs + 1;
    expect(await sessions.find(token)).toBeNull();
  });

  it('is cached no longer than others if another instance signs it out during its look-up', async () => {
    const { sessions, store, rows, clock } = fakeSessions();
    const token = await sessions.begin({ keyId: 'k' });
    const { find } = store;
    jest.spyOn(store, 'find').mockImplementationOnce(async (hash) => {
      const found = await find(hash);
      rows.clear();
      pass(clock, LIMITS.sessionCacheMs / 2);
      return found;
    });
    expect(await sessions.find(token)).not.toBeNull();
    pass(clock, LIMITS.sessionCacheMs / 2 + 1);
    expect(await sessions.find(token)).toBeNull();
  });

  it('is stored without its token', async () => {
    const { sessions, rows } = fakeSessions();
    const token = await sessions.begin({ keyId: 'k' });
    expect(JSON.stringify([...rows])).not.toContain(token);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(await sessions.find(`${token}x`)).toBeNull();
  });

  it('writes its last use once a minute', async () => {
    const { sessions, store, clock } = fakeSessions();
    const touch = jest.spyOn(store, 'touch');
    const token = await sessions.begin({ keyId: 'k' });
    for (let i = 0; i < 180; i++) {
      pass(clock, 1_000);
      await sessions.find(token);
    }
    expect(touch).toHaveBeenCalledTimes(3);
  });
});

describe.each(ONE_ENGINE)('sessions that have ended, on %s', (engine) => {
  it('are removed, for either reason, and no others', async () => {
    const store = await Store.open(engine);
    const sessions = new PostgresSessionStore(store.database.service);
    const of = { user: 'ada', kind: 'operator', scopes: [], tenantIds: [] } as const;
    const at = (ms: number) => new Date(START + ms);
    const ends = {
      live: [at(1 - LIMITS.sessionIdleMs), at(1)],
      idle: [at(-LIMITS.sessionIdleMs), at(MINUTE)],
      old: [at(-MINUTE), at(0)],
    } as const;
    for (const [name, [lastUsedAt, expiresAt]] of Object.entries(ends))
      await sessions.insert(Buffer.from(name), { sessionId: randomUUID(), of, lastUsedAt, expiresAt });
    await sessions.removeEnded(new Date(START));
    const left = await Promise.all(Object.keys(ends).map((name) => sessions.find(Buffer.from(name))));
    expect(left.map((session) => session !== null)).toEqual([true, false, false]);
    // Of two instances, the one that writes its use late takes nothing back.
    for (const ms of [5 * MINUTE, 3 * MINUTE]) await sessions.touch(Buffer.from('live'), at(ms));
    expect((await sessions.find(Buffer.from('live')))?.lastUsedAt).toEqual(at(5 * MINUTE));
    await store.close();
  });
});
