import { signedOf } from '../agent/update/signed';
import { offerTo } from '../support/agent-packages';
import { describeOnPostgres } from '../support/engines';
import { casesOf } from '../support/share';
import { PATIENT, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import { Estate } from './support/estate';

// Fewer have no host of each kind.
const COUNT = Math.max(10, casesOf(__filename));
/** Hosts with one token. It enrolls 120 in a minute, which does not end here: the clock of the limits is held. */
const SITE = 100;
/** Of ten hosts, one has a file that allows nothing. */
const DENYING = (i: number) => i % 10 === 9;
/** Of ten hosts, three are in the group for tests. */
const IN_TEST = (i: number) => i % 10 < 3;
const nameOf = (i: number) => `${IN_TEST(i) ? 'TEST' : 'PROD'}${String(i).padStart(3, '0')}`;

interface Source {
  readonly hostName: string;
  readonly agentGroup: string;
  readonly wantedVersion: number;
  readonly runningVersion: number | null;
  readonly refusedSettings: readonly string[];
  readonly followsSettings: boolean;
  readonly publishedCount: number;
  readonly problem: string | null;
  readonly packageState: string | null;
  readonly packageReason: string | null;
  readonly running: { readonly batchMaxEvents: number; readonly isOn: boolean } | null;
}
const SOURCES = `query($t: String!) { auditSources(tenantId: $t) { hostName agentGroup wantedVersion runningVersion
  refusedSettings followsSettings publishedCount problem packageState packageReason running { batchMaxEvents isOn } } }`;

describeOnPostgres(`an estate of ${COUNT} agents with one service`, () => {
  useLimits(PATIENT);
  const open = useWorld('postgresql');
  let estate: Estate;
  let tenantId: string;
  let groups: readonly [test: string, production: string];
  beforeAll(async () => {
    ({ tenantId } = await open.world.tenant());
    estate = await Estate.open(open.world.service.url);
  });
  afterAll(() => estate?.close());
  const operate = (query: string, variables: object = {}) =>
    open.world.operate(query, { t: tenantId, ...variables });
  const sources = async (): Promise<readonly Source[]> => (await operate(SOURCES)).auditSources;
  const untilAll = (what: string, is: (source: Source) => boolean) =>
    estate.until(what, async () => {
      const all = await sources();
      return all.length === COUNT && all.every(is) ? all : null;
    });
  const hostsThat = (is: (i: number) => boolean) =>
    Array.from({ length: COUNT }, (_, i) => i)
      .filter(is)
      .map(nameOf)
      .toSorted();

  it('enrolls with a token for each site, follows settings by waves, and renews its keys', async () => {
    const tokens: string[] = [];
    for (let site = 0; site * SITE < COUNT; site++) {
      const { createEnrollToken } = await operate(
        `mutation($t: String!, $uses: Int!) { createEnrollToken(name: "site", tenantId: $t, uses: $uses,
          expiresAt: "2099-01-01T00:00:00Z", keyDays: 365) { key } }`,
        { uses: SITE },
      );
      tokens.push(createEnrollToken.key);
    }
    const tokenOf = (i: number) => tokens[Math.floor(i / SITE)] ?? '';
    const create = async (name: string, host: string) => {
      const made = await operate(
        'mutation($t: String!, $n: String!, $h: [String!]!) { createAgentGroup(tenantId: $t, name: $n, hosts: $h) { groupId } }',
        { n: name, h: [host] },
      );
      return made.createAgentGroup.groupId as string;
    };
    groups = [await create('Test', 'test*'), await create('Production', 'PROD*')];
    const allowedAt = (i: number) => (DENYING(i) ? [] : ['BatchSize', 'Databases']);
    await Promise.all(
      Array.from({ length: COUNT }, (_, i) => estate.start(nameOf(i), tokenOf(i), allowedAt(i))),
    );
    const published = await untilAll(
      'everything published',
      (one) => one.publishedCount > 0 && one.followsSettings,
    );
    expect(published.map(({ hostName }) => hostName)).toEqual(hostsThat(() => true));

    const update = async (groupId: string, change: string) =>
      (
        await operate(`mutation($g: String!) { updateAgentGroup(groupId: $g, ${change}) { version } }`, {
          g: groupId,
        })
      ).updateAgentGroup.version as number;
    const first = await update(groups[0], 'batchMaxEvents: 321');
    const wave = await untilAll(
      'the first wave',
      ({ agentGroup, runningVersion }) => agentGroup !== 'Test' || runningVersion === first,
    );
    const behind = (all: readonly Source[]) =>
      all.filter((one) => !one.followsSettings).map(({ hostName }) => hostName);
    expect(behind(wave)).toEqual(hostsThat((i) => IN_TEST(i) && DENYING(i)));
    for (const { agentGroup, running } of wave)
      expect(running?.batchMaxEvents).toBe(agentGroup === 'Test' ? 321 : 1_000);

    const second = await update(groups[1], 'batchMaxEvents: 321, databasesOff: ["Ledger"]');
    const all = await untilAll(
      'the second wave',
      ({ agentGroup, runningVersion }) => runningVersion === (agentGroup === 'Test' ? first : second),
    );
    expect(behind(all)).toEqual(hostsThat(DENYING));
    for (const { hostName, running, problem } of all) {
      const isOff = running?.isOn === false;
      expect([hostName, isOff]).toEqual([hostName, hostName.startsWith('PROD') && !hostName.endsWith('9')]);
      expect(problem !== null).toBe(isOff);
    }
    await update(groups[1], 'unset: ["Databases"]');
    await untilAll('on again', ({ running, problem }) => running?.isOn === true && problem === null);

    const silent = nameOf(1);
    await estate.stop(silent);
    await operate('mutation($t: String!) { renewAgentKeys(tenantId: $t) { asked } }');
    const KEYS = '{ apiKeys { name renewal } }';
    const left = await estate.until('all but one have renewed', async () => {
      const { apiKeys } = await operate(KEYS);
      const asked = apiKeys.filter(({ renewal }: { renewal: string | null }) => renewal === 'waiting');
      return asked.length <= 1 ? asked : null;
    });
    expect(left.map(({ name }: { name: string }) => name)).toEqual([silent]);
    expect(estate.failures()).toEqual([]);
  }, 1_800_000);

  it('takes a package by waves, and goes back from one that does not work', async () => {
    const silent = nameOf(1);
    const offer = async (groupId: string, content: string, version: string) => {
      const { signature, sha256 } = signedOf(content, { version });
      await offerTo(open.world, groupId, Buffer.from(content), { version, build: 1, signature });
      return sha256;
    };
    const untilAllOf = (group: string, state: string) =>
      untilAll(
        `${group}: ${state}`,
        ({ agentGroup, hostName, packageState }) =>
          agentGroup !== group || hostName === silent || packageState === state,
      );
    await offer(groups[0], 'good', '9.1.0');
    const first = await untilAllOf('Test', 'INSTALLED');
    for (const { agentGroup, hostName, packageState } of first)
      if (agentGroup === 'Production' || hostName === silent)
        expect(packageState).toBe(hostName === silent ? 'OFFERED' : null);
    const bad = await offer(groups[1], 'bad', '9.2.0');
    estate.isBad = (sha256) => sha256 === bad;
    for (const { agentGroup, packageReason } of await untilAllOf('Production', 'TAKEN_BACK'))
      if (agentGroup === 'Production') expect(packageReason).toContain('started 5 times');
    const listed = async () => {
      const { agentPackages } = await operate(
        'query($t: String) { agentPackages(tenantId: $t) { groupId hosts installed takenBack refused } }',
      );
      return groups.map((id) =>
        Object.values(agentPackages.find(({ groupId }: { groupId: string }) => groupId === id)).slice(1),
      );
    };
    const [test, production] = [hostsThat(IN_TEST).length, hostsThat((i) => !IN_TEST(i)).length];
    expect(await listed()).toEqual([
      [test, test - 1, 0, 0],
      [production, 0, production, 0],
    ]);
    await offer(groups[1], 'good', '9.1.0');
    const last = await untilAllOf('Production', 'INSTALLED');
    expect(await listed()).toEqual([
      [test, test - 1, 0, 0],
      [production, production, 0, 0],
    ]);
    expect(last.every(({ problem }) => problem === null)).toBe(true);
    expect(estate.failures()).toEqual([]);
  }, 1_800_000);
});
