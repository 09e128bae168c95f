import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { LIMITS } from '../../../src/limits';
import { openAuthority } from '../../../src/modules/evidence/time-stamps/authority-client';
import { NODE_CRYPTO } from '../../../src/modules/evidence/time-stamps/node-crypto';
import { Stamping } from '../../../src/modules/evidence/time-stamps/stamping';
import { checkStamp, stampedBytes } from '../../../src/package-check/time-stamp';
import { ENGINES, temporaryFolder } from '../../support/engines';
import type { Store } from '../../support/store';
import { useLimits } from '../../support/use-limits';
import { type LogTrial, useLog } from '../support';
import { AuthorityServer, TestAuthority } from './authority';

interface Line {
  readonly msg: string;
  readonly tenantId?: number;
  readonly reason?: string;
}
/** What somebody waits for until another gives it. */
function signal() {
  let give = () => {};
  const given = new Promise<void>((done) => {
    give = done;
  });
  return { give: () => give(), given };
}
/** A random part of requests, which the tests change. */
const NONCE_AT = -9;

describe.each(ENGINES)('checkpoints are stamped by a time-stamp authority on %s', (engine) => {
  useLimits({ timeStampAnswerMs: 2_500 });
  const place = useLog(engine);
  let store: Store;
  let trial: LogTrial;
  let folder: string;
  let authority: TestAuthority;
  let server: AuthorityServer;
  let nowMs: number;
  let lines: Line[];
  const opened: Stamping[] = [];

  beforeAll(async () => {
    folder = await temporaryFolder();
    authority = await TestAuthority.make(path.join(folder, 'tsa'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  beforeEach(async () => {
    ({ store, trial } = place);
    nowMs = 1_000_000;
    lines = [];
    server = await AuthorityServer.open((query) => authority.reply(query));
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) one.close();
    await server.close();
  });

  const add = async (n: number) => {
    await store.insert(store.checked(Array.from({ length: n }, () => ({}))));
    await trial.run();
  };
  function stamping(isPaused = () => false): Stamping {
    const one = new Stamping(
      {
        owner: store.database.owner,
        epoch: { unlessPaused: async (work) => (isPaused() ? null : work()) },
        log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
        signal: new AbortController().signal,
        nowMs: () => nowMs,
      },
      openAuthority(server.url),
    );
    opened.push(one);
    return one;
  }
  const stamps = async () =>
    (await trial.log.checkpoints(store.tenantId, 0)).filter(({ token }) => token !== null);
  /** As if the last stamps were made this long ago. A distributed database computes no time of a column in an UPDATE. */
  const age = async (ms: number) => {
    const aged = await store.query<{ at: Date }>(
      `SELECT stamped_at - interval '${ms} milliseconds' AS at FROM audit_log_stamping`,
    );
    for (const { at } of aged)
      await store.query(`UPDATE audit_log_stamping SET stamped_at = '${at.toISOString()}'`);
  };

  it('keeps the token beside the newest one, and asks again after an hour', async () => {
    await add(5);
    const one = stamping();
    await one.run();
    const [stamped] = await stamps();
    expect(stamped?.number).toBe(1);
    const check = await checkStamp(stamped?.token as Buffer, stampedBytes(stamped?.note ?? ''), NODE_CRYPTO);
    expect(check).toMatchObject({ problem: null, isSignatureChecked: true });
    expect(Math.abs(Date.parse(check.stamp?.time ?? '') - Date.now())).toBeLessThan(60_000);
    await add(3);
    await age(LIMITS.timeStampEveryMs - 60_000);
    await one.run();
    expect(server.asked).toBe(1);
    await age(60_000);
    await one.run();
    expect((await stamps()).map(({ number }) => number)).toEqual([1, 2]);
    expect((await trial.log.newestStamped(store.tenantId))?.number).toBe(2);
    // Nothing was signed since, so nothing is to be stamped.
    await age(2 * LIMITS.timeStampEveryMs);
    await one.run();
    expect(server.asked).toBe(2);
    expect(lines).toEqual([]);
    expect(trial.problem).toBeNull();
  });

  it('comes to each log, where one round looks at fewer than the authority refuses', async () => {
    await add(1);
    const other = await store.forNewTenant();
    await other.insert(other.checked([{}]));
    await trial.run();
    server.answer = async (query) => (server.asked === 1 ? 400 : authority.reply(query));
    const max = jest.replaceProperty(LIMITS, 'evidenceWatchedLogs', 1 as never);
    try {
      const one = stamping();
      for (const _ of [store, other]) await one.run();
      expect(await stamps()).toEqual([]);
      expect((await trial.log.checkpoints(other.tenantId, 0))[0]?.token).not.toBeNull();
    } finally {
      max.restore();
    }
  });

  it('stamps a log that was noted as stamped in the future, when a clock was ahead', async () => {
    await add(1);
    await stamping().run();
    await add(1);
    await age(-86_400_000);
    await stamping().run();
    expect(await stamps()).toHaveLength(2);
  });

  it('asks once for two instances', async () => {
    await add(5);
    const both = [stamping(), stamping()];
    await Promise.all(both.map((one) => one.run()));
    await Promise.all(both.map((one) => one.run()));
    expect(server.asked).toBe(1);
    expect(await stamps()).toHaveLength(1);
    expect(both.map(({ late }) => late)).toEqual([0, 0]);
  });

  it('asks once for each log, also where another instance was quicker with one of them', async () => {
    await add(5);
    const other = await store.forNewTenant();
    await other.insert(other.checked([{}]));
    await trial.run();
    const [begun, quicker] = [signal(), signal()];
    server.answer = async (query) => {
      begun.give();
      if (server.asked === 1) await quicker.given;
      return authority.reply(query);
    };
    const slow = stamping().run();
    await begun.given;
    await stamping().run();
    quicker.give();
    await slow;
    expect(server.asked).toBe(2);
  });

  it('asks again soon where another log took the place of the one that was stamped', async () => {
    await add(5);
    const others = (sql: string) => store.query(`UPDATE audit_log_checkpoint SET note = ${sql}`);
    server.answer = async (query) => {
      if (server.asked === 1) await others(`'another ' || note`);
      return authority.reply(query);
    };
    const one = stamping();
    await one.run();
    expect(await stamps()).toEqual([]);
    await others(`replace(note, 'another ', '')`);
    await one.run();
    expect(server.asked).toBe(2);
    expect(await stamps()).toHaveLength(1);
  });

  it('goes on while the authority is away: after five minutes the instance says so, until it answers', async () => {
    const { port } = server;
    const one = stamping();
    await server.close();
    await add(5);
    await one.run();
    await add(5);
    expect(trial.problem).toBeNull();
    expect(lines).toEqual([
      expect.objectContaining({ msg: expect.stringContaining('does not answer: checkpoints go on') }),
    ]);
    expect(one.healthy).toBe(true);
    nowMs += LIMITS.timeStampLateMs;
    await one.run();
    expect(one.healthy).toBe(false);
    expect(one.late).toBe(1);
    expect(lines).toHaveLength(1);
    await server.listen(port);
    nowMs += LIMITS.timeStampLateMs;
    await one.run();
    expect(await stamps()).toHaveLength(1);
    expect(one.healthy).toBe(true);
    expect(lines.at(-1)).toMatchObject({ msg: 'the time-stamp authority answers again' });
  });

  it('rests longer after each failure, and asks nothing meanwhile', async () => {
    server.answer = async () => 503;
    await add(1);
    const one = stamping();
    await one.run();
    await one.run();
    expect(server.asked).toBe(1);
    nowMs += 5_000;
    await one.run();
    expect(server.asked).toBe(2);
    nowMs += 5_000;
    await one.run();
    expect(server.asked).toBe(2);
  });

  it('sends nothing in a drill, and before the go after a restore', async () => {
    await add(5);
    let isPaused = true;
    const one = stamping(() => isPaused);
    await one.run();
    expect(server.asked).toBe(0);
    isPaused = false;
    await one.run();
    expect(await stamps()).toHaveLength(1);
  });

  const changed = (query: Buffer, at: number) => {
    const other = Buffer.from(query);
    const index = at < 0 ? other.length + at : at;
    other.writeUInt8(other.readUInt8(index) ^ 1, index);
    return authority.reply(other);
  };
  it.each<[string, (query: Buffer) => Promise<Buffer | number | null>, string]>([
    ['a token of another imprint', (query) => changed(query, 30), 'its imprint is not the hash'],
    ['a token of another request', (query) => changed(query, NONCE_AT + 4), 'the nonce differs'],
    [
      'a token with another byte',
      async (query) => {
        const reply = await authority.reply(query);
        reply.writeUInt8(reply.readUInt8(reply.length - 1) ^ 1, reply.length - 1);
        return reply;
      },
      'its signature does not fit',
    ],
    ['a refusal', async () => Buffer.from('30053003020102', 'hex'), 'status 2'],
    ['half an answer', async (query) => (await authority.reply(query)).subarray(0, 900), 'it is cut off'],
    ['something else', async () => Buffer.from('<html>'), 'its answer is none'],
    ['an endless answer', async () => Buffer.alloc(1_000_000, 0x30), 'its answer is none'],
    ['a redirect', async () => 307, 'HTTP 307'],
    ['an error', async () => 500, 'HTTP 500'],
    ['nothing for too long', async () => null, 'no answer within 2.5 seconds'],
  ])('keeps nothing of an authority that answers with %s', async (_, answer, reason) => {
    server.answer = answer;
    await add(5);
    const one = stamping();
    await one.run();
    expect(await stamps()).toEqual([]);
    expect(lines).toEqual([expect.objectContaining({ reason: expect.stringContaining(reason) })]);
    nowMs += LIMITS.timeStampLateMs;
    expect(one.healthy).toBe(false);
    // The lease is free at once, for another instance or the next attempt.
    server.answer = (query) => authority.reply(query);
    await one.run();
    expect(await stamps()).toHaveLength(1);
  });
});
