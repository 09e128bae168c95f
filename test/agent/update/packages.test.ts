import { readFileSync, writeFileSync } from 'node:fs';
import { ANY_ENGINE } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import { FILES_2022 } from '../support/agent-world';
import { until } from '../support/until';
import { Bundles, PackageWorld, PUBLIC_KEY } from './package-world';

describe('a package of the agent, with a real agent and a real service', () => {
  const service = useWorld(ANY_ENGINE);
  let bundles: Bundles;
  let host: PackageWorld;
  beforeAll(() => {
    bundles = new Bundles();
  });
  afterAll(() => bundles?.remove());
  beforeEach(async () => {
    host = await PackageWorld.open(service.world, bundles);
  });
  afterEach(() => host.close());
  /** Five starts of an agent take long on a busy machine. */
  const STATE_MS = 180_000;
  const stateOf = (state: string, version?: string) => {
    const found = async () => {
      const source = await host.source();
      const isIt = source?.packageState === state && (version ?? source.agentVersion) === source.agentVersion;
      return isIt ? source : null;
    };
    return until(`${state} ${version ?? ''}`, found, STATE_MS);
  };

  it('is downloaded, tried and installed, and nothing is lost or stored twice', async () => {
    const { packageId } = await host.offer(bundles.newer);
    host.start();
    await until('published', async () => ((await host.source())?.publishedCount ?? 0) > 0);
    const before = await host.stored();
    host.agent.copy(FILES_2022);
    const source = await stateOf('INSTALLED');
    expect(source).toMatchObject({ agentVersion: '0.3.0', wantedPackage: '0.3.0', packageReason: null });
    await until('all published', async () => (await host.stored()) === 150);
    expect(before).toBeLessThan(150);
    expect((await host.source())?.gapCount).toBe(0);
    const [listed] = await host.command('list', '--tenant', host.tenant.tenantId);
    expect(listed).toMatchObject({ packageId, hosts: 1, installed: 1, takenBack: 0, refused: 0 });
    expect(host.state()).toMatchObject({ trial: null, installed: { build: 101 }, ended: [] });
    expect(await host.stop()).toBe(0);
    // The bookmarks are those of the package: nothing is sent again.
    const pid = host.agent.status()?.pid;
    host.start();
    const later = await until('idle again', () => {
      const isLater = host.agent.status()?.pid !== pid;
      const status = host.agent.statusOf();
      return isLater && status?.state === 'idle' ? status : null;
    });
    expect(later.tally).toEqual({ accepted: 0, duplicates: 0, rejected: 0 });
    expect(await host.stop()).toBe(0);
  });

  it('is taken back when it ends again and again, and the version before goes on', async () => {
    const { packageId } = await host.offer(
      bundles.spoiled('crash.js', "if (process.argv[2] === 'run') process.exit(3);"),
    );
    host.start();
    const source = await stateOf('TAKEN_BACK');
    expect(source.packageReason).toBe('it was started 5 times, and has ended each time');
    host.agent.copy(FILES_2022);
    await until('all published', async () => (await host.stored()) === 150);
    expect((await host.source())?.gapCount).toBe(0);
    expect(host.log).not.toContain(host.tenant.agentKey);
    const [listed] = await host.command('list', '--tenant', host.tenant.tenantId);
    expect(listed).toMatchObject({ packageId, hosts: 1, installed: 0, takenBack: 1, refused: 0 });
    // The end is the end: the next start does not try it.
    expect(await host.stop()).toBe(0);
    host.start();
    await until('its second life', () => host.log.split('starts the agent').length === 8);
    expect(await stateOf('TAKEN_BACK')).toMatchObject({ packageReason: source.packageReason });
    expect(host.log.split('on trial').length - 1).toBe(5);
  });

  it('is taken back when the service answers it with 500, and nothing that it read is lost', async () => {
    host.configure({ PublicKey: PUBLIC_KEY, TrialSeconds: 6 });
    await host.offer(bundles.newer);
    host.start();
    await until('the trial', () => {
      const isTrial = host.log.includes('on trial');
      if (isTrial) host.fault = () => 500;
      return isTrial;
    });
    host.agent.copy(FILES_2022);
    await until('the end of the trial', () => host.log.includes('is taken back'));
    host.fault = null;
    const source = await stateOf('TAKEN_BACK');
    expect(source.packageReason).toBe('the service acknowledged nothing within 6 s');
    await until('all published', async () => (await host.stored()) === 150);
    expect((await host.source())?.gapCount).toBe(0);
  });

  it('is not started once a byte of its file has changed, and the host says so', async () => {
    const { sha256 } = await host.offer(bundles.newer);
    host.start();
    await stateOf('INSTALLED');
    await until('kept', () => host.state()?.installed?.sha256 === sha256);
    expect(await host.stop()).toBe(0);
    const bytes = readFileSync(host.fileOf(sha256));
    bytes.writeUInt8((bytes.at(-100) ?? 0) ^ 1, bytes.length - 100);
    writeFileSync(host.fileOf(sha256), bytes);
    host.start();
    const source = await stateOf('TAKEN_BACK');
    expect(source.packageReason).toBe('its file in the data folder is not as it was signed');
  });

  it('gives way to a newer installed agent', async () => {
    const { sha256 } = await host.offer(bundles.newer);
    host.start();
    await stateOf('INSTALLED');
    await until('kept', () => host.state()?.installed?.sha256 === sha256);
    expect(await host.stop()).toBe(0);
    host.start(bundles.build('0.4.0', 1));
    expect((await stateOf('REFUSED', '0.4.0')).packageReason).toBe('0.4.0 runs, which is newer');
    expect(host.state()).toMatchObject({ installed: null, ended: [] });
  });

  it('is refused by a host whose file has no key, or another one', async () => {
    host.configure({});
    await host.offer(bundles.newer);
    host.start();
    expect((await stateOf('REFUSED')).packageReason).toBe("the agent's file has no Updates.PublicKey");
    expect(host.state()).toBeNull();
  });

  it('survives a launcher that is killed: its agent ends, and the next launcher begins where it stood', async () => {
    const { sha256 } = await host.offer(bundles.newer);
    host.start();
    await stateOf('INSTALLED');
    await until('kept', () => host.state()?.installed?.sha256 === sha256);
    await host.stop('SIGKILL');
    const started = () => host.log.split('starts the agent').length;
    const before = started();
    await until('a place for another launcher', async () => {
      if (!host.isRunning()) host.start();
      return started() > before;
    });
    host.agent.copy(FILES_2022);
    await until('all published', async () => (await host.stored()) === 150);
    expect(await stateOf('INSTALLED')).toMatchObject({ gapCount: 0, problem: null });
  });
});
