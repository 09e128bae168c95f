import { FairShare, sharesOf } from '../../src/caller/rate-limit/fair-share';
import { CallerGone, type DomainError, toDomainError } from '../../src/errors';
import { LIMITS } from '../../src/limits';

const SHARES = { inAll: 5, perTenant: 2, perKey: 1 };

/** Statements that run until the test ends them. */
class Statements {
  readonly running: string[] = [];
  readonly #ends = new Map<string, () => void>();
  constructor(private readonly share: FairShare) {}

  /** @param name the key's name, with a number if the key has several statements at once */
  ask(name: string, tenants: readonly number[], waitMs = 60_000, gone?: AbortSignal): Promise<string> {
    const [holder = ''] = name.split(' ');
    const work = () =>
      new Promise<string>((resolve) => {
        this.running.push(name);
        this.#ends.set(name, () => {
          this.running.splice(this.running.indexOf(name), 1);
          resolve(name);
        });
      });
    return this.share.run({ holder, tenants, ...(gone && { gone }) }, work, waitMs);
  }

  async end(...names: readonly string[]): Promise<void> {
    await settled();
    for (const name of names) this.#ends.get(name)?.();
    await settled();
  }
}
const settled = () => new Promise((resolve) => setImmediate(resolve));
const refusedAs = (call: Promise<unknown>): Promise<DomainError> =>
  call.then(() => {
    throw new Error('was not refused');
  }, toDomainError);

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

describe('the shares of connections for long statements', () => {
  it('are half of the connections in all, a quarter for a tenant and an eighth for a key, but at least one', () => {
    expect(sharesOf(10)).toEqual({ inAll: 5, perTenant: 2, perKey: 1 });
    expect(sharesOf(16)).toEqual({ inAll: 8, perTenant: 4, perKey: 2 });
    expect(sharesOf(1)).toEqual({ inAll: 1, perTenant: 1, perKey: 1 });
  });

  it('bound a key, a tenant, and all together', async () => {
    const statements = new Statements(new FairShare(SHARES));
    for (const name of ['a 1', 'a 2', 'b', 'c']) void statements.ask(name, [1]);
    for (const name of ['d', 'e']) void statements.ask(name, [2]);
    for (const name of ['f', 'g']) void statements.ask(name, [3]);
    await settled();
    expect(statements.running).toEqual(['a 1', 'b', 'd', 'e', 'f']);
  });

  it('count a key of several tenants for each of them', async () => {
    const statements = new Statements(new FairShare(SHARES));
    void statements.ask('both', [1, 2]);
    for (const name of ['a', 'b']) void statements.ask(name, [1]);
    for (const name of ['c', 'd']) void statements.ask(name, [2]);
    await settled();
    expect(statements.running).toEqual(['both', 'a', 'c']);
  });

  it('serve keys in rotation, however many statements of one key wait', async () => {
    const statements = new Statements(new FairShare({ inAll: 1, perTenant: 1, perKey: 1 }));
    const order: string[] = [];
    const calls = ['a 1', 'a 2', 'a 3', 'b 1', 'b 2', 'c 1'].map((name) =>
      statements.ask(name, [1]).then((done) => order.push(done)),
    );
    for (const _ of calls) {
      await settled();
      await statements.end(...statements.running);
    }
    await Promise.all(calls);
    expect(order).toEqual(['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'a 3']);
  });

  it('keep freed turns for a key of several tenants that waits for all of them', async () => {
    const statements = new Statements(new FairShare({ inAll: 5, perTenant: 1, perKey: 1 }));
    for (const [name, tenant] of [
      ['a', 1],
      ['b', 2],
    ] as const)
      void statements.ask(name, [tenant]);
    void statements.ask('both', [1, 2]);
    for (const [name, tenant] of [
      ['c', 1],
      ['d', 2],
    ] as const)
      void statements.ask(name, [tenant]);
    await statements.end('a');
    expect(statements.running).toEqual(['b']);
    await statements.end('b');
    expect(statements.running).toEqual(['both']);
    await statements.end('both');
    expect(statements.running).toEqual(['c', 'd']);
  });

  it('give a turn back when the statement fails', async () => {
    const share = new FairShare({ inAll: 1, perTenant: 1, perKey: 1 });
    const asker = { holder: 'a', tenants: [1] };
    await expect(share.run(asker, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    expect(await share.run(asker, async () => 'done')).toBe('done');
    expect(share.figures).toEqual({ running: 0, waiting: 0, refused: { key: 0, tenant: 0, all: 0 } });
  });
});

describe('a statement that waits too long for a turn', () => {
  it('is refused with a 503 that names the exhausted share, and is counted by that share', async () => {
    const share = new FairShare(SHARES);
    const statements = new Statements(share);
    for (const [name, tenant] of [
      ['a', 1],
      ['b', 1],
    ] as const)
      void statements.ask(name, [tenant]);
    const ofKey = refusedAs(statements.ask('a 2', [1], LIMITS.longStatementWaitMs));
    const ofTenant = refusedAs(statements.ask('c', [1], LIMITS.longStatementWaitMs));
    await jest.advanceTimersByTimeAsync(LIMITS.longStatementWaitMs - 1);
    expect(share.figures).toMatchObject({ running: 2, waiting: 2 });
    await jest.advanceTimersByTimeAsync(1);
    for (const [refused, share] of [
      [await ofKey, 'key'],
      [await ofTenant, 'tenant'],
    ] as const) {
      expect([refused.code, refused.retryAfterSeconds]).toEqual(['service_unavailable', 2]);
      expect(refused.internal).toMatchObject({ share, tenants: [1] });
    }
    for (const name of ['d', 'e', 'f']) void statements.ask(name, [name.charCodeAt(0)]);
    const ofAll = refusedAs(statements.ask('g', [9], 1));
    await jest.advanceTimersByTimeAsync(1);
    expect((await ofAll).internal).toMatchObject({ share: 'all', holder: 'g' });
    expect(share.figures).toEqual({ running: 5, waiting: 0, refused: { key: 1, tenant: 1, all: 1 } });
  });

  it('leaves its place to those behind it, and takes no turn later', async () => {
    const statements = new Statements(new FairShare({ inAll: 5, perTenant: 1, perKey: 1 }));
    for (const [name, tenant] of [['a', 1]] as const) void statements.ask(name, [tenant]);
    const both = refusedAs(statements.ask('both', [1, 2], 10));
    void statements.ask('c', [2]);
    await settled();
    expect(statements.running).toEqual(['a']);
    await jest.advanceTimersByTimeAsync(10);
    expect((await both).code).toBe('service_unavailable');
    expect(statements.running).toEqual(['a', 'c']);
    await statements.end('a', 'c');
    expect(statements.running).toEqual([]);
  });

  it('never runs once its caller has gone, and makes room for others that wait', async () => {
    const share = new FairShare({ inAll: 5, perTenant: 1, perKey: 1 });
    const statements = new Statements(share);
    const [waits, runs] = [new AbortController(), new AbortController()];
    void statements.ask('a', [1], 1_000, runs.signal);
    const both = refusedAs(statements.ask('both', [1, 2], 1_000, waits.signal));
    void statements.ask('c', [2]);
    runs.abort();
    waits.abort();
    expect(await both).toBeInstanceOf(CallerGone);
    await settled();
    expect(statements.running).toEqual(['a', 'c']);
    expect(await refusedAs(statements.ask('d', [4], 1_000, waits.signal))).toBeInstanceOf(CallerGone);
    await statements.end('a', 'c');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(share.figures).toEqual({ running: 0, waiting: 0, refused: { key: 0, tenant: 0, all: 0 } });
  });

  it('is refused at once if its key has too many waiting statements', async () => {
    const statements = new Statements(new FairShare(SHARES));
    const waiting = LIMITS.longStatementsWaitingPerKey;
    for (let i = 0; i <= waiting; i++) void statements.ask(`a ${i}`, [1]).catch(() => {});
    const refused = refusedAs(statements.ask('a', [1])).then(({ code }) => code);
    expect(await Promise.race([refused, settled()])).toBe('service_unavailable');
    void statements.ask('b', [1]);
    await settled();
    expect(statements.running).toEqual(['a 0', 'b']);
  });
});
