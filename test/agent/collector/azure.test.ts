import { check } from '../../../agent/cli/check';
import { guidOf, row, writer } from '../gaps/support';
import { AgentWorld } from '../support/agent-world';
import { capturedOutput } from '../support/captured-output';
import { until } from '../support/until';
import { AzureStandIn, CONTAINER } from './support/azure-stand-in';
import { fileOf, selects } from './support/bucket-world';

const DAY_MS = 24 * 3_600_000;
const FOLDER = 'srv-1/payroll/SqlDbAuditing_ServerAudit';

/** Name of a blob that was begun some days ago. */
const blobOf = (daysAgo: number, time = '09_15_02_120_0', replica = ''): string => {
  return `${FOLDER}/${dayOf(daysAgo)}/${replica}${time}.xel`;
};
const dayOf = (daysAgo: number): string => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);

describe('a collector of a container', () => {
  let agents: AgentWorld;
  let store: AzureStandIn;
  beforeEach(async () => {
    agents = await AgentWorld.create();
    store = await AzureStandIn.start();
    configure();
  });
  afterEach(async () => {
    await agents.close();
    await store.stop();
  });

  function configure(settings: object = { AccountKey: store.accountKey }): void {
    const given = {
      Account: store.account,
      Container: CONTAINER,
      Endpoint: store.endpoint,
      ListIntervalMs: 20,
      ...settings,
    };
    const AuditSource = { Type: 'AzureBlob', AzureBlob: given };
    agents.configure({}, { Databases: [{ Name: 'Payroll', AuditSource }] });
  }
  const statements = () => agents.service.events.map(({ statement }) => statement ?? '');
  const gaps = () => agents.service.reports.flatMap((report) => report.gaps);
  const reported = () => agents.service.reports.at(-1)?.problem ?? '';

  it('reads a blob as it grows, each byte once, and goes on with the next', async () => {
    const blob = blobOf(0, '09_15_02_120_0');
    await store.append(blob, writer.prologue(guidOf(0)));
    agents.follow();
    for (let n = 1; n <= 100; n++) {
      await store.append(blob, writer.block([row(n)], { sequence: n }));
      if (n % 10 === 0) await until(`record ${n}`, () => statements().length === n);
    }
    await store.append(blobOf(0, '09_16_00_7_0'), fileOf(1, 101));
    await until('the next blob', () => statements().length === 101);
    expect(statements()).toEqual(selects(...Array.from({ length: 101 }, (_, i) => i + 1)));
    expect(agents.service.sentCount).toBe(101);
    expect(agents.service.events[0]).toMatchObject({ sourceType: 'AzureBlob', file: blob });
    const starts = store.ranges.flatMap((range) => (range.endsWith('+512') ? [] : [range.split('+')[0]]));
    expect(new Set(starts).size).toBe(starts.length);
    await until('caught up', () => agents.statusOf()?.state === 'idle');
    expect(gaps()).toEqual([]);
  });

  it('reads what replicas wrote days ago, although it has come further with the primary', async () => {
    let n = 0;
    const add = (daysAgo: number, ...name: string[]) =>
      store.append(blobOf(daysAgo, ...name), fileOf(++n, n), Date.now() - daysAgo * DAY_MS);
    for (const daysAgo of [9, 8, 3, 2]) await add(daysAgo);
    // One listing takes 64 files of a series.
    for (const [daysAgo, files] of [
      [9, 60],
      [8, 20],
    ] as const)
      for (let file = 0; file < files; file++) await add(daysAgo, `10_15_00_${100 + file}_0`, 'RO/');
    agents.follow();
    await until('every record', () => statements().length === n);
    await until('caught up', () => agents.statusOf()?.state === 'idle');
    const before = store.requests.length;
    await until('more listings', () => store.requests.length > before + 20);
    expect(store.requests.slice(before + 10).join()).not.toMatch(new RegExp(dayOf(9)));
    expect(gaps()).toEqual([]);
  });

  it('lists the days from two before the newest on, replicas too, after a restart as well', async () => {
    for (const daysAgo of [9, 8, 3, 2, 1])
      await store.append(blobOf(daysAgo), fileOf(daysAgo, daysAgo), Date.now() - daysAgo * DAY_MS);
    await store.append(blobOf(1, '10_00_00_000_0', 'RO/'), fileOf(50, 50), Date.now() - DAY_MS);
    store.pageSize = 2;
    const code = await agents.once();
    expect([code, agents.log]).toEqual([0, '']);
    expect(statements().sort()).toEqual(selects(1, 2, 3, 50, 8, 9));
    const before = store.requests.length;
    await store.append(blobOf(0), fileOf(20, 20));
    expect(await agents.once()).toBe(0);
    expect(statements()).toHaveLength(7);
    const listed = store.requests
      .slice(before)
      .map((url) => new URL(url, store.url).searchParams.get('prefix'));
    const days = listed.flatMap((prefix) => /\d{4}-\d\d-\d\d/.exec(prefix ?? '') ?? []);
    const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
    expect([...new Set(days)].sort()).toEqual([dayOf(3), dayOf(2), dayOf(1), dayOf(0)]);
    expect(gaps()).toEqual([]);
  });

  it('has a gap for a blob that goes before it is read, and none for one that goes long after', async () => {
    await store.append(blobOf(2), fileOf(0, 1), Date.now() - 2 * DAY_MS);
    const agent = agents.follow();
    await until('the first', () => agents.statusOf()?.caughtUpAt && statements().length === 1);
    await store.clear();
    await until('the empty container', () => reported().startsWith('no file since '));
    agents.service.fault = (_, response) => {
      response.writeHead(503).end();
      return true;
    };
    const gone = blobOf(1);
    await store.append(gone, fileOf(1, 2), Date.now() - DAY_MS);
    await until('the header', () => store.ranges.some((range) => range.startsWith(gone)));
    await agent.stop();
    await store.clear();
    agents.service.fault = () => false;
    await store.append(blobOf(0), fileOf(2, 3));
    agents.follow();
    await until('the gap', () => gaps().length > 0 && statements().length === 2);
    expect(gaps().map(({ fileName, reason }) => [fileName, reason])).toEqual([[gone, 'FILE_DELETED']]);
  });

  it.each<[string, (store: AzureStandIn) => object, Record<string, string>]>([
    ['a SAS token', ({ sas }) => ({ SasToken: sas }), {}],
    ['a key of the account', ({ accountKey }) => ({ AccountKey: accountKey }), {}],
    [
      'a client secret',
      () => ({ TenantId: 'directory', ClientId: 'app', ClientSecret: 's3cret~' }),
      { AZURE_AUTHORITY_HOST: 'URL' },
    ],
    [
      'the environment',
      () => ({}),
      {
        AZURE_TENANT_ID: 'd',
        AZURE_CLIENT_ID: 'a',
        AZURE_CLIENT_SECRET: 's3cret~',
        AZURE_AUTHORITY_HOST: 'URL',
      },
    ],
    ['a managed identity', () => ({ ClientId: 'identity' }), { AZURE_POD_IDENTITY_AUTHORITY_HOST: 'URL' }],
  ])('may use %s', async (_, settings, env) => {
    configure(settings(store));
    agents.env = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value === 'URL' ? store.url : value]),
    );
    await store.append(blobOf(0, '01_02_03_4_0'), fileOf(0, 1));
    expect([await agents.once(), agents.log]).toEqual([0, expect.any(String)]);
    expect(statements()).toEqual(selects(1));
    expect(agents.log + JSON.stringify(agents.status())).not.toMatch(/sig=|s3cret|token-1/);
  });

  it('fetches another token when the store refuses the one it has', async () => {
    configure({ TenantId: 'directory', ClientId: 'app', ClientSecret: 's3cret~' });
    agents.env = { AZURE_AUTHORITY_HOST: store.url };
    await store.append(blobOf(0), fileOf(0, 1));
    agents.follow();
    await until('the record', () => statements().length === 1);
    store.token = 'token-2';
    await store.append(blobOf(0, '10_00_00_000_0'), fileOf(1, 2));
    await until('another', () => statements().length === 2);
    expect(store.logins).toHaveLength(2);
  });

  it.each<[string, (world: { store: AzureStandIn }) => object, RegExp]>([
    [
      'an expired SAS token',
      (world) => {
        world.store.isSasExpired = true;
        return { SasToken: world.store.sas };
      },
      /the SAS token has expired/,
    ],
    ['a wrong key', () => ({ AccountKey: 'AAAA' }), /the account key or SAS token is wrong/],
    [
      'another container',
      ({ store: { accountKey } }) => ({ AccountKey: accountKey, Container: 'other' }),
      /no such container/,
    ],
    [
      'an expired client secret',
      () => ({ TenantId: 'd', ClientId: 'a', ClientSecret: 'ended' }),
      /no credentials: the client secret has expired \(AADSTS7000222\)/,
    ],
    ['an empty container', ({ store: { accountKey } }) => ({ AccountKey: accountKey }), /no audit file in/],
  ])('says in status, report and check: %s', async (_, spoil, message) => {
    configure(spoil({ store }));
    agents.env = { AZURE_AUTHORITY_HOST: store.url };
    agents.follow();
    await until('the report', () => message.test(reported()));
    await until('the status', () => message.test(agents.statusOf()?.problem ?? ''));
    const { out, text } = capturedOutput();
    const { configPath, env } = agents;
    const given = { configPath, env, timeoutMs: 2_000, out, becomeServiceUser: async () => [] };
    expect(await check(given)).toBe(1);
    expect(text()).toMatch(message);
    expect(text() + agents.log + reported()).not.toMatch(/sig=|AAAA|ended(?! )/);
  });
});
