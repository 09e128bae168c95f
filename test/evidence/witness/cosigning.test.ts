import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { LIMITS } from '../../../src/limits';
import { Cosigning } from '../../../src/modules/evidence/witnesses/cosigning';
import { openWitness } from '../../../src/modules/evidence/witnesses/witness-client';
import {
  type KnownWitness,
  readWitnessKey,
  type WitnessKey,
} from '../../../src/store/log/evidence/cosignature';
import { isSignedBy } from '../../../src/store/log/evidence/signed-note';
import { tenantSet } from '../../../src/tenant-set';
import { Witness } from '../../../src/witness/witness';
import { WitnessFolder } from '../../../src/witness/witness-folder';
import { witnessServer } from '../../../src/witness/witness-server';
import { TEST_CHECKPOINT_KEY } from '../../support/checkpoint-key';
import { ENGINES, temporaryFolder } from '../../support/engines';
import type { Store } from '../../support/store';
import { type LogTrial, Memory, savedLog, LogTrial as Trial, takeAway, useLog } from '../support';

interface Line {
  readonly msg: string;
  readonly witness?: string;
  readonly tenantId?: number;
  readonly reason?: string;
}

describe.each(ENGINES)('checkpoints are sent to witnesses on %s', (engine) => {
  const place = useLog(engine);
  let store: Store;
  let trial: LogTrial;
  let root: string;
  let key: WitnessKey;
  let witness: KnownWitness;
  let server: Server;
  let served: (origin: string) => boolean | null;
  let nowMs: number;
  let lines: Line[];
  const opened: Cosigning[] = [];

  beforeEach(async () => {
    ({ store, trial } = place);
    root = await temporaryFolder();
    const folder = new WitnessFolder(root);
    key = await folder.makeKey('witness.example/w1');
    witness = readWitnessKey(key.verifierKey);
    served = () => true;
    nowMs = 1_000_000;
    lines = [];
    const logs = { names: [], isSigned: (origin: string) => served(origin) };
    server = witnessServer(new Witness(key, logs, folder, () => {}), () => {});
    await listen(server);
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) one.close();
    server.close();
    await rm(root, { recursive: true, force: true });
  });

  const listen = (of: Server, port = 0) =>
    new Promise<void>((done) => of.listen(port, '127.0.0.1', () => done()));
  const portOf = (of: Server) => (of.address() as AddressInfo).port;
  const add = async (n: number) => {
    await store.insert(store.checked(Array.from({ length: n }, () => ({}))));
    await trial.run();
  };
  function cosigning(port = portOf(server), isPaused = () => false): Cosigning {
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const one = new Cosigning(
      {
        owner: store.database.owner,
        evidence: trial.log,
        epoch: { unlessPaused: async (work) => (isPaused() ? null : work()) },
        log,
        signal: new AbortController().signal,
        nowMs: () => nowMs,
      },
      [openWitness({ verifierKey: key.verifierKey, url: `http://127.0.0.1:${port}/prefix/` })],
    );
    opened.push(one);
    return one;
  }
  const newest = async () => (await trial.log.states(tenantSet([store.tenantId])))[0]?.checkpoint ?? '';
  const isCosigned = async () => witness.lineIn(await newest()) !== null;

  it('keeps the signature of each beside the newest one, and answers it wherever checkpoints are', async () => {
    await add(5);
    const one = cosigning();
    await one.run();
    const note = await newest();
    expect(note.split('\n').filter((line) => line.startsWith('— '))).toHaveLength(2);
    expect(await isCosigned()).toBe(true);
    expect(isSignedBy(TEST_CHECKPOINT_KEY.verifierKey, note)).toBe(true);
    expect(await trial.log.checkpoints(store.tenantId, 0)).toEqual([{ number: 1, note, token: null }]);
    await add(300);
    expect(await isCosigned()).toBe(false);
    await one.run();
    expect(await isCosigned()).toBe(true);
    // The log takes more events, and is signed, as before.
    await add(1);
    expect(trial.problem).toBeNull();
    expect(await trial.log.checkpoints(store.tenantId, 0)).toHaveLength(3);
  });

  it('an instance that has just started learns from the witness what it signed last, and proves the rest', async () => {
    await add(5);
    await cosigning().run();
    await add(200);
    await add(7);
    await cosigning().run();
    expect(await isCosigned()).toBe(true);
  });

  it('comes to each log, where one round looks at fewer than the witness does not serve', async () => {
    await add(1);
    const other = await store.forNewTenant();
    await other.insert(other.checked([{}]));
    await trial.run();
    served = (origin) => origin.endsWith(`/tenant-${other.tenantId}`) || null;
    const max = jest.replaceProperty(LIMITS, 'evidenceWatchedLogs', 1 as never);
    try {
      const one = cosigning();
      const rounds = async () => {
        for (const _ of await store.query('SELECT FROM audit_log_head')) await one.run();
      };
      await rounds();
      const [state] = await trial.log.states(tenantSet([other.tenantId]));
      expect(witness.lineIn(state?.checkpoint ?? '')).not.toBeNull();
      // Of the log that the witness does not serve nothing is said, since it serves another one.
      nowMs += LIMITS.witnessLateMs;
      await rounds();
      expect(one.late).toEqual([{ witness: 'witness.example/w1', logs: 0 }]);
      // It serves all of them, until it is away: each round keeps what the others know.
      served = () => true;
      nowMs += 3 * LIMITS.witnessLateMs;
      await rounds();
      await other.insert(other.checked([{}]));
      await trial.run();
      server.close();
      await rounds();
      nowMs += LIMITS.witnessLateMs;
      await rounds();
      expect(one.late).toEqual([{ witness: 'witness.example/w1', logs: 1 }]);
    } finally {
      max.restore();
    }
  });

  it('two instances at once leave one signature', async () => {
    await add(5);
    const both = [cosigning(), cosigning()];
    await Promise.all(both.map((one) => one.run()));
    await add(9);
    await Promise.all(both.map((one) => one.run()));
    // One may have lost the race for the proof.
    await Promise.all(both.map((one) => one.run()));
    const note = await newest();
    expect(note.split('\n').filter((line) => line.startsWith('— witness.example'))).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  it('says nothing of a log that another instance signed anew, and sent, meanwhile', async () => {
    await add(5);
    let isFirst = true;
    const slow = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      if (isFirst && body.includes(`/tenant-${store.tenantId}\n`)) {
        isFirst = false;
        await add(7);
        await cosigning().run();
      }
      const answer = await fetch(`http://127.0.0.1:${portOf(server)}${request.url}`, {
        method: 'POST',
        body,
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
    await listen(slow);
    try {
      await cosigning(portOf(slow)).run();
    } finally {
      slow.close();
    }
    expect(isFirst).toBe(false);
    expect(lines).toEqual([]);
    expect(await isCosigned()).toBe(true);
  });

  it('while the witness is away the log goes on: after five minutes the instance says so, until it answers', async () => {
    const port = portOf(server);
    await new Promise((done) => server.close(done));
    await add(5);
    const one = cosigning(port);
    await one.run();
    await add(5);
    expect(trial.problem).toBeNull();
    expect(lines).toEqual([
      expect.objectContaining({ msg: expect.stringContaining('does not answer'), witness: key.name }),
    ]);
    expect(one.healthy).toBe(true);
    nowMs += LIMITS.witnessLateMs;
    await one.run();
    expect(one.healthy).toBe(false);
    expect(one.late).toEqual([{ witness: key.name, logs: expect.any(Number) }]);
    expect(lines).toHaveLength(1);
    await listen(server, port);
    nowMs += LIMITS.witnessLateMs;
    await one.run();
    expect(await isCosigned()).toBe(true);
    expect(one.healthy).toBe(true);
    expect(lines.at(-1)).toMatchObject({ msg: 'the witness answers again' });
  });

  it('says of a log that was made again from other events, and of one that was set back, that the witness refuses it', async () => {
    await add(12);
    const one = cosigning();
    const early = await savedLog(store);
    await one.run();
    await add(20);
    await one.run();
    await early();
    await one.run();
    const refused = () => lines.filter(({ msg }) => msg.includes('does not sign an evidence log'));
    expect(refused()).toEqual([
      expect.objectContaining({
        tenantId: store.tenantId,
        reason: 'it signed 32 entries of the log, which has 12',
      }),
    ]);
    await takeAway(store);
    trial = new Trial(store, TEST_CHECKPOINT_KEY, {}, new Memory());
    await add(40);
    nowMs += 3_600_000;
    await cosigning().run();
    expect(refused().at(-1)).toMatchObject({
      tenantId: store.tenantId,
      reason: expect.stringContaining('HTTP 422'),
    });
    expect(await isCosigned()).toBe(false);
  });

  it('tells of a log that the witness does not serve, and is unhealthy only if it serves none', async () => {
    await add(5);
    const own = `audit-activity/tenant-${store.tenantId}`;
    served = (origin) => (origin === own ? null : true);
    const other = await store.forNewTenant();
    await other.insert(other.checked([{}]));
    await trial.run();
    const one = cosigning();
    await one.run();
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'a witness does not serve an evidence log', tenantId: store.tenantId }),
    ]);
    nowMs += LIMITS.witnessLateMs;
    await one.run();
    expect(one.healthy).toBe(true);
    served = () => null;
    const wrong = cosigning();
    await store.query(`UPDATE audit_log_checkpoint SET note = regexp_replace(note, '— witness.*', '')`);
    await wrong.run();
    nowMs += LIMITS.witnessLateMs;
    expect(wrong.healthy).toBe(false);
  });

  it('sends nothing in a drill, and before the go after a restore', async () => {
    await add(5);
    let isPaused = true;
    const one = cosigning(undefined, () => isPaused);
    await one.run();
    expect(await isCosigned()).toBe(false);
    isPaused = false;
    await one.run();
    expect(await isCosigned()).toBe(true);
  });

  it.each([
    ['a signature of another key', 200, () => `— ${key.name} ${Buffer.alloc(76, 1).toString('base64')}\n`],
    ['a signature on another checkpoint', 200, () => key.cosign('other\n', new Date(0))],
    ['nothing', 200, () => ''],
    ['a size again and again', 409, () => '0\n'],
    ['a size that is none', 409, () => 'many\n'],
    ['an endless answer', 200, () => 'x'.repeat(1_000_000)],
    ['a redirect', 307, () => ''],
  ])('believes no answer with %s', async (_, status, text) => {
    const hostile = createServer((request, response) => {
      request.resume();
      response.writeHead(status, { Location: 'http://127.0.0.1:1/' }).end(text());
    });
    await listen(hostile);
    try {
      await add(5);
      const one = cosigning(portOf(hostile));
      await one.run();
      const note = await newest();
      expect(note.split('\n').filter((line) => line.startsWith('— '))).toHaveLength(1);
      nowMs += LIMITS.witnessLateMs;
      expect(one.healthy).toBe(false);
    } finally {
      hostile.close();
    }
  });
});
