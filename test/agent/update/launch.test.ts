import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../agent/clock';
import { LineLog } from '../../../agent/log';
import { AGENT_TIMES } from '../../../agent/times';
import type { AgentProcess, Start } from '../../../agent/update/agent-process';
import { launch } from '../../../agent/update/launch';
import type { Offer } from '../../../agent/update/offer';
import { AGENT_VERSION } from '../../../agent/version';
import { until } from '../support/until';
import { KEYS, OTHER_KEYS, putFile, signedOf } from './signed';

const TRIAL_MS = 600_000;
const OWN = '/installed/agent.js';

/** A clock that a test sets. */
class SetClock implements Clock {
  private nowMs = 1_000_000;
  private readonly waiting = new Set<{ readonly atMs: number; done(): void }>();

  now = () => this.nowMs;
  elapsed = () => this.nowMs;

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const one = {
        atMs: this.nowMs + ms,
        done: () => {
          this.waiting.delete(one);
          resolve();
        },
      };
      this.waiting.add(one);
      signal.addEventListener('abort', one.done, { once: true });
      if (signal.aborted) one.done();
    });
  }

  advance(ms: number): void {
    this.nowMs += ms;
    for (const one of [...this.waiting]) if (one.atMs <= this.nowMs) one.done();
  }
}

/** An agent that the launcher has started, as a test plays it. */
interface Played {
  readonly start: Start;
  readonly heard: string[];
  end(code: number | null): void;
}

describe('the launcher of agents', () => {
  let dataDir: string;
  let clock: SetClock;
  let started: Played[];
  let running: number;
  let mostRunning: number;
  let log: string;
  let ready: number;
  let stop: AbortController;
  let code: Promise<number> | null;
  let publicKey: string;
  let isReadable: boolean;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'launch-'));
    clock = new SetClock();
    [started, running, mostRunning, ready, log, code] = [[], 0, 0, 0, '', null];
    stop = new AbortController();
    publicKey = KEYS.publicKey;
    isReadable = true;
  });
  afterEach(async () => {
    stop.abort();
    await code;
    rmSync(dataDir, { recursive: true, force: true });
  });

  const play = (start: Start): AgentProcess => {
    mostRunning = Math.max(mostRunning, ++running);
    const heard: string[] = [];
    let end = (_: number | null) => {};
    const ended = new Promise<number | null>((resolve) => {
      let isOver = false;
      end = (exit) => {
        if (!isOver) running--;
        isOver = true;
        resolve(exit);
      };
    });
    started.push({ start, heard, end });
    return {
      ended,
      tell: ({ kind }) => void heard.push(kind),
      async stop() {
        heard.push('stop');
        end(0);
      },
    };
  };
  const begin = () => {
    const line = new LineLog((text) => {
      log += text;
    });
    code = launch(
      {
        dataDir,
        own: OWN,
        args: ['run'],
        env: {},
        updates: async () => (isReadable ? { publicKey, trialMs: TRIAL_MS } : null),
        start: play,
        times: AGENT_TIMES,
        clock,
        log: line,
        onReady: () => {
          ready++;
        },
      },
      stop.signal,
    );
    return code;
  };
  /** The agent that was started as the n-th one. */
  const agent = (n: number) => until(`agent ${n}`, () => started[n - 1], 10_000);
  const end = async () => {
    stop.abort();
    const ended = await code;
    code = null;
    stop = new AbortController();
    return ended;
  };
  const state = () => JSON.parse(readFileSync(join(dataDir, 'updates/state.json'), 'utf8'));
  const fileOf = ({ sha256 }: Offer) => join(dataDir, 'updates', `${sha256}.js`);
  /** Has the installed agent give a package to the launcher. */
  const install = async (offer: Offer, content: string, from = 1) => {
    const before = await agent(from);
    putFile(dataDir, offer, content);
    before.start.hear({ kind: 'install', offer });
    return agent(from + 1);
  };
  const installed = async (offer: Offer, content: string, from = 1) => {
    const trial = await install(offer, content, from);
    trial.start.hear({ kind: 'acknowledged' });
    clock.advance(TRIAL_MS / 10);
    await until('proved', () => trial.heard.includes('proved'));
    return trial;
  };

  it('runs the installed agent without a package, writes nothing, and ends with its exit code', async () => {
    begin();
    const own = await agent(1);
    expect(own.start).toMatchObject({ file: OWN, told: { running: null, ended: [] } });
    own.start.hear({ kind: 'ready' });
    own.end(7);
    expect(await code).toBe(7);
    expect(ready).toBe(1);
    expect(existsSync(join(dataDir, 'updates'))).toBe(false);
  });

  it('tries a package once the agent before has ended, and keeps it when something is acknowledged', async () => {
    begin();
    const offer = signedOf('new');
    const trial = await install(offer, 'new');
    expect(started[0]?.heard).toContain('stop');
    expect(mostRunning).toBe(1);
    expect(trial.start).toMatchObject({
      file: fileOf(offer),
      told: { running: { sha256: offer.sha256, isTrial: true } },
    });
    trial.start.hear({ kind: 'acknowledged' });
    clock.advance(TRIAL_MS / 10 - 1);
    expect(state().trial).not.toBeNull();
    clock.advance(1);
    await until('installed', () => state().installed?.sha256 === offer.sha256);
    await until('told', () => trial.heard.includes('proved'));
    clock.advance(TRIAL_MS);
    await new Promise((resolve) => setImmediate(resolve));
    expect(trial.heard).toEqual(['proved']);
    expect(await end()).toBe(0);
    begin();
    expect((await agent(3)).start.told.running).toEqual({ sha256: offer.sha256, isTrial: false });
  });

  it('takes a package back when nothing is acknowledged in time, and never tries its hash again', async () => {
    begin();
    const offer = signedOf('silent');
    const trial = await install(offer, 'silent');
    clock.advance(TRIAL_MS - 1);
    expect(trial.heard).toEqual([]);
    clock.advance(1);
    const own = await agent(3);
    expect(trial.heard).toEqual(['stop']);
    expect(own.start).toMatchObject({
      file: OWN,
      told: {
        running: null,
        ended: [{ sha256: offer.sha256, reason: 'the service acknowledged nothing within 600 s' }],
      },
    });
    expect(existsSync(fileOf(offer))).toBe(false);
  });

  it('takes a package back that ends again and again, also over starts of the launcher', async () => {
    begin();
    const offer = signedOf('crash');
    (await install(offer, 'crash')).end(3);
    await until('the pause', () => log.includes('has ended by itself (exit code 3)'));
    for (let n = 3; n <= 4; n++) {
      clock.advance(AGENT_TIMES.packageRestartMs);
      (await agent(n)).end(3);
      await until('the pause', () => log.split('has ended by itself').length === n);
    }
    // A power cut: the launcher has no time to note anything.
    const before = state();
    await end();
    writeFileSync(join(dataDir, 'updates/state.json'), JSON.stringify(before));
    begin();
    for (let n = 5; n <= 6; n++) {
      (await agent(n)).end(null);
      await until('the pause', () => log.split('has ended by itself').length === n);
      clock.advance(AGENT_TIMES.packageRestartMs);
    }
    expect((await agent(7)).start).toMatchObject({
      file: OWN,
      told: { ended: [{ reason: 'it was started 5 times, and has ended each time' }] },
    });
  });

  it('counts no start of a package that was ended with the host', async () => {
    begin();
    const offer = signedOf('sound');
    await installed(offer, 'sound');
    for (let n = 3; n <= 9; n++) {
      await end();
      begin();
      expect((await agent(n)).start.told.running).toEqual({ sha256: offer.sha256, isTrial: false });
    }
  });

  it('goes back to the package before, and not to the installed agent', async () => {
    begin();
    const first = signedOf('first');
    await installed(first, 'first');
    const second = signedOf('second', { build: 2 });
    await installed(second, 'second', 2);
    await end();
    writeFileSync(fileOf(second), 'secone');
    begin();
    expect((await agent(4)).start).toMatchObject({ file: fileOf(first) });
    expect(state()).toMatchObject({
      installed: { sha256: first.sha256 },
      before: null,
      ended: [{ sha256: second.sha256, reason: 'its file in the data folder is not as it was signed' }],
    });
  });

  it.each([
    ['with a byte changed', 'nex'],
    ['cut off', 'ne'],
    ['with more behind', 'new!'],
    ['empty', ''],
  ])('starts no file %s', async (_, content) => {
    begin();
    await installed(signedOf('new'), 'new');
    await end();
    writeFileSync(fileOf(signedOf('new')), content);
    begin();
    expect((await agent(3)).start).toMatchObject({
      file: OWN,
      told: { ended: [{ reason: 'its file in the data folder is not as it was signed' }] },
    });
  });

  it('starts nothing that the key of the file has not signed, whoever wrote the data folder', async () => {
    begin();
    expect((await install(signedOf('evil', {}, OTHER_KEYS), 'evil')).start.file).toBe(OWN);
    const good = signedOf('good');
    expect((await install({ ...good, version: '10.0.0' }, 'good', 2)).start.file).toBe(OWN);
    await end();
    publicKey = OTHER_KEYS.publicKey;
    const over = { version: AGENT_VERSION, build: null };
    const kept = { trial: null, installed: { ...good, over }, before: null, starts: 0, ended: [] };
    putFile(dataDir, good, 'good');
    writeFileSync(join(dataDir, 'updates/state.json'), JSON.stringify(kept));
    begin();
    expect((await agent(4)).start.file).toBe(OWN);
    expect(log).toContain('it is not signed by the key of Updates.PublicKey');
  });

  it('runs the installed agent while the file was never sound since the start, and takes no package back for it', async () => {
    begin();
    const offer = signedOf('new');
    await installed(offer, 'new');
    await end();
    const before = state();
    isReadable = false;
    begin();
    const own = await agent(3);
    expect(own.start).toMatchObject({ file: OWN, told: { running: null } });
    own.end(1);
    expect(await code).toBe(1);
    expect(state()).toEqual(before);
    isReadable = true;
    begin();
    expect((await agent(4)).start).toMatchObject({ file: fileOf(offer) });
  });

  it('does not take another package while one is on trial', async () => {
    begin();
    const trial = await install(signedOf('one'), 'one');
    const two = signedOf('two', { build: 2 });
    putFile(dataDir, two, 'two');
    trial.start.hear({ kind: 'install', offer: two });
    trial.start.hear({ kind: 'acknowledged' });
    clock.advance(TRIAL_MS / 10);
    await until('proved', () => trial.heard.includes('proved'));
    expect(started).toHaveLength(2);
    putFile(dataDir, two, 'two');
    trial.start.hear({ kind: 'install', offer: two });
    expect((await agent(3)).start.file).toBe(fileOf(two));
    expect(mostRunning).toBe(1);
  });

  it('lets an installed agent that is newer have its place, but not one that was there when an older one was wanted', async () => {
    const over = { version: '0.0.1', build: null };
    const older = signedOf('older', { version: '0.0.2', allowsOlder: true });
    const kept = (then: object) =>
      JSON.stringify({
        trial: null,
        installed: { ...older, over: then },
        before: null,
        starts: 0,
        ended: [],
      });
    putFile(dataDir, older, 'older');
    writeFileSync(join(dataDir, 'updates/state.json'), kept({ version: AGENT_VERSION, build: null }));
    begin();
    expect((await agent(1)).start.file).toBe(fileOf(older));
    await end();
    writeFileSync(join(dataDir, 'updates/state.json'), kept(over));
    begin();
    expect((await agent(2)).start.file).toBe(OWN);
    expect(state()).toMatchObject({ installed: null, ended: [] });
    expect(existsSync(fileOf(older))).toBe(false);
  });

  it('takes up nothing that a power cut has left between download and switch', async () => {
    const offer = signedOf('new');
    putFile(dataDir, offer, 'new');
    writeFileSync(`${fileOf(offer)}.part`, 'ne');
    writeFileSync(join(dataDir, 'updates/state.json.new'), '{"trial":{');
    begin();
    expect((await agent(1)).start).toMatchObject({ file: OWN, told: { running: null, ended: [] } });
    expect([existsSync(fileOf(offer)), existsSync(`${fileOf(offer)}.part`)]).toEqual([false, false]);
    const trial = await install(offer, 'new');
    expect(trial.start.file).toBe(fileOf(offer));
  });

  it('goes on with a state that cannot be saved, and says so', async () => {
    mkdirSync(join(dataDir, 'updates/state.json.new'), { recursive: true });
    begin();
    const offer = signedOf('new');
    expect((await install(offer, 'new')).start.file).toBe(fileOf(offer));
    expect(log).toContain('the state of packages cannot be saved: EISDIR');
  });

  it('runs the installed agent with a state that is none', async () => {
    const offer = signedOf('new');
    putFile(dataDir, offer, 'new');
    writeFileSync(join(dataDir, 'updates/state.json'), '{"installed":');
    begin();
    expect((await agent(1)).start.file).toBe(OWN);
    expect(existsSync(fileOf(offer))).toBe(false);
  });
});
