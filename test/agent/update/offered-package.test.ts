import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../../agent/clock';
import { type AgentConfig, parseConfig } from '../../../agent/config/parse-config';
import { LineLog } from '../../../agent/log';
import { AGENT_TIMES } from '../../../agent/times';
import type { Launcher } from '../../../agent/update/launcher-port';
import type { Offer } from '../../../agent/update/offer';
import { OfferedPackage } from '../../../agent/update/offered-package';
import { AGENT_VERSION } from '../../../agent/version';
import { LIMITS } from '../../../src/limits';
import { until } from '../support/until';
import { KEYS, OTHER_KEYS, putFile, signedOf } from './signed';

const CONTENT = 'x'.repeat(LIMITS.agentPackagePartBytes * 2 + 5);

describe('a package that the service offers', () => {
  let dataDir: string;
  let server: Server;
  /** What the service gives of a part; null: it answers 500. */
  let give: (part: number) => string | null;
  let asked: number[];
  let stop: AbortController;
  let following: Promise<void> | null;
  let installs: string[];
  let nowMs: number;
  let turns: number;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'offered-'));
    [asked, installs, following, turns] = [[], [], null, 0];
    nowMs = Date.parse('2026-01-10T12:00:00');
    give = (part) =>
      CONTENT.slice(part * LIMITS.agentPackagePartBytes).slice(0, LIMITS.agentPackagePartBytes);
    stop = new AbortController();
    server = createServer(async (request, response) => {
      const { variables } = JSON.parse(await text(request));
      asked.push(variables.part);
      const bytes = give(variables.part);
      if (bytes === null) return void response.writeHead(500).end();
      const data = { agentPackagePart: { bytes: Buffer.from(bytes).toString('base64') } };
      response.end(JSON.stringify({ data }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    stop.abort();
    await following;
    server.closeAllConnections();
    server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const clock: Clock = {
    now: () => nowMs,
    elapsed: () => nowMs,
    async wait() {
      turns++;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const configOf = (updates: object | null = { PublicKey: KEYS.publicKey }): AgentConfig => {
    const content = {
      CentralApi: {
        BaseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        ApiKey: 'k',
        TenantId: '7',
      },
      EventHubPublisher: { Databases: [] },
      Updates: updates,
    };
    const parsed = parseConfig(JSON.stringify(content), '/agent.json');
    if (parsed.kind === 'invalid') throw new Error(parsed.problems.join());
    return parsed.config;
  };
  const launcherOf = (change: Partial<Launcher> = {}): Launcher => ({
    running: null,
    ended: [],
    ready: () => {},
    acknowledged: () => {},
    install: ({ sha256 }) => void installs.push(sha256),
    onProved: () => {},
    ...change,
  });
  const follow = (
    offer: Offer,
    {
      launcher = launcherOf(),
      config = configOf(),
    }: { launcher?: Launcher | null; config?: AgentConfig } = {},
  ) => {
    const packages = new OfferedPackage({
      dataDir,
      launcher,
      times: AGENT_TIMES,
      clock,
      log: new LineLog(() => {}),
    });
    packages.wants(offer);
    following = packages.follow(config, stop.signal);
    return packages;
  };
  const stateOf = (packages: OfferedPackage, state: string) =>
    until(state, () => {
      const reported = packages.reported();
      return reported?.state === state ? reported : null;
    });
  const files = () => (existsSync(join(dataDir, 'updates')) ? readdirSync(join(dataDir, 'updates')) : []);

  it('is fetched part by part, checked, and given to the launcher', async () => {
    const offer = signedOf(CONTENT);
    const packages = follow(offer);
    await stateOf(packages, 'DOWNLOADED');
    await until('given', () => installs.includes(offer.sha256));
    expect(asked).toEqual([0, 1, 2]);
    expect(files()).toEqual([`${offer.sha256}.js`]);
    expect(readFileSync(join(dataDir, 'updates', `${offer.sha256}.js`), 'utf8')).toBe(CONTENT);
  });

  it('is taken where it is another build of the version that runs', async () => {
    const offer = signedOf(CONTENT, { version: AGENT_VERSION });
    expect(await stateOf(follow(offer), 'DOWNLOADED')).toMatchObject({ reason: null });
    await until('given', () => installs.includes(offer.sha256));
  });

  it.each<readonly [string, (part: number) => string, number]>([
    ['another content', () => 'y'.repeat(LIMITS.agentPackagePartBytes), 3],
    ['less than was signed', () => '', 3],
    // The rest is not asked for: it would fill the disk.
    ['more than was signed', () => 'x'.repeat(1_000_000), 1],
  ])('is refused for good with %s, and leaves nothing on the disk', async (_, given, parts) => {
    give = given;
    const packages = follow(signedOf(CONTENT));
    expect(await stateOf(packages, 'REFUSED')).toMatchObject({ reason: 'its file is not what was signed' });
    const seen = turns;
    await until('further looks', () => turns > seen + 50);
    expect(asked).toHaveLength(parts);
    expect([files(), installs]).toEqual([[], []]);
  });

  it.each<readonly [string, () => Offer, object | null, string]>([
    ['without a key in the file', () => signedOf('a'), null, "the agent's file has no Updates.PublicKey"],
    [
      'signed by another key',
      () => signedOf('a', {}, OTHER_KEYS),
      undefined as never,
      'not signed by the key',
    ],
    [
      'whose size is another one',
      () => ({ ...signedOf('a'), size: 2 }),
      undefined as never,
      'not signed by the key',
    ],
    ['that is older', () => signedOf('a', { version: '0.0.1' }), undefined as never, 'which is newer'],
    [
      'that may be older, but was not signed so',
      () => ({ ...signedOf('a', { version: '0.0.1' }), allowsOlder: true }),
      undefined as never,
      'not signed by the key',
    ],
  ])('is refused %s before a byte is fetched', async (_, offer, updates, reason) => {
    const config = updates === null ? configOf(null) : configOf();
    const packages = follow(offer(), { config });
    expect((await stateOf(packages, 'REFUSED')).reason).toContain(reason);
    expect(asked).toEqual([]);
  });

  it('is refused where nothing has started the agent that could start another one', async () => {
    const packages = follow(signedOf(CONTENT), { launcher: null });
    expect((await stateOf(packages, 'REFUSED')).reason).toContain('start it anew');
  });

  it('may be older where it was signed so', async () => {
    const offer = signedOf(CONTENT, { version: '0.0.1', allowsOlder: true });
    follow(offer);
    await until('given', () => installs.includes(offer.sha256));
  });

  it('waits for its window, and that of the file counts more', async () => {
    const offer = signedOf(CONTENT, { window: '11:00-13:00' });
    const config = configOf({ PublicKey: KEYS.publicKey, Window: '22:00-02:00' });
    const packages = follow(offer, { config });
    expect((await stateOf(packages, 'WAITING')).reason).toBe('its window is 22:00-02:00');
    expect(installs).toEqual([]);
    nowMs = Date.parse('2026-01-10T22:00:00');
    await until('given', () => installs.includes(offer.sha256));
    expect(asked).toEqual([0, 1, 2]);
  });

  it('is fetched again a minute after a failure', async () => {
    give = () => null;
    const packages = follow(signedOf(CONTENT));
    await until('failed', () => packages.reported()?.reason?.includes('cannot be downloaded'));
    const seen = turns;
    await until('further looks', () => turns > seen + 50);
    expect([asked, packages.reported()?.state]).toEqual([[0], 'OFFERED']);
    give = (part) =>
      CONTENT.slice(part * LIMITS.agentPackagePartBytes).slice(0, LIMITS.agentPackagePartBytes);
    nowMs += AGENT_TIMES.packageRetryMs;
    await until('given', () => installs.length > 0);
  });

  it('does not wait for the failure of the package before it', async () => {
    give = () => null;
    const packages = follow(signedOf(CONTENT));
    await until('failed', () => packages.reported()?.reason?.includes('cannot be downloaded'));
    give = () => 'second';
    const second = signedOf('second', { packageId: 'p2', build: 2 });
    packages.wants(second);
    await until('given', () => installs.includes(second.sha256));
  });

  it('is fetched again when the disk was full, of which nothing stays', async () => {
    const offer = signedOf(CONTENT);
    mkdirSync(join(dataDir, 'updates'));
    symlinkSync('/dev/full', join(dataDir, 'updates', `${offer.sha256}.js.part`));
    const packages = follow(offer);
    const reason = () => packages.reported()?.reason;
    await until('failed', () => reason()?.includes('cannot be downloaded: ENOSPC'));
    expect([files(), installs]).toEqual([[], []]);
    nowMs += AGENT_TIMES.packageRetryMs;
    await until('given', () => installs.length > 0);
  });

  it('is left when it is withdrawn half-way, and so is one that another takes the place of', async () => {
    const first = signedOf(CONTENT);
    const second = signedOf('second', { packageId: 'p2', build: 2 });
    let packages: OfferedPackage | null = null;
    give = (part) => {
      packages?.wants(null);
      return CONTENT.slice(part * LIMITS.agentPackagePartBytes).slice(0, LIMITS.agentPackagePartBytes);
    };
    packages = follow(first);
    await until('asked', () => asked.length > 0);
    const seen = turns;
    await until('further looks', () => turns > seen + 20);
    expect([files(), installs, packages.reported()]).toEqual([[], [], null]);
    give = () => 'second';
    packages.wants(second);
    await until('given', () => installs.includes(second.sha256));
    expect(installs).not.toContain(first.sha256);
  });

  it('is not fetched again where it lies whole already, and is where it is damaged', async () => {
    const offer = signedOf(CONTENT);
    putFile(dataDir, offer, CONTENT);
    follow(offer);
    await until('given', () => installs.includes(offer.sha256));
    expect(asked).toEqual([]);
    stop.abort();
    await following;
    stop = new AbortController();
    putFile(dataDir, offer, `y${CONTENT.slice(1)}`);
    installs = [];
    follow(offer);
    await until('given', () => installs.includes(offer.sha256));
    expect(asked).toEqual([0, 1, 2]);
  });

  it('says of a package that runs whether it is on trial, and of one that failed why', async () => {
    const offer = signedOf(CONTENT);
    let prove = () => {};
    const launcher = launcherOf({
      running: { sha256: offer.sha256, isTrial: true },
      onProved: (then) => {
        prove = then;
      },
    });
    const packages = follow(offer, { launcher });
    await stateOf(packages, 'TRIAL');
    prove();
    await stateOf(packages, 'INSTALLED');
    stop.abort();
    await following;
    stop = new AbortController();
    const ended = [{ sha256: offer.sha256, version: offer.version, reason: 'why' }];
    const later = follow(offer, { launcher: launcherOf({ ended }) });
    expect(await stateOf(later, 'TAKEN_BACK')).toMatchObject({ reason: 'why' });
    expect([asked, installs]).toEqual([[], []]);
  });
});
