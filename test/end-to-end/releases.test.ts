import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isLifted, RECORD_FIELDS } from '../../src/event/fields';
import { API_BASE_PATH } from '../../src/version';
import { type AgentProgram, CompiledAgent } from '../agent/support/compiled-agent';
import type { ChildService } from '../support/child-service';
import { createEmptyDatabase, type TestDatabase, temporaryFolder } from '../support/engines';
import { Release } from '../support/release';
import { World } from '../support/world';

jest.setTimeout(300_000);

const BEFORE = '62fc9b1';
const SAMPLES = path.join(__dirname, '../fixtures/sqlaudit');
const SCHEMAS = readdirSync(SAMPLES).filter((name) => name.startsWith('schema-'));

type Line = Readonly<Record<string, unknown>> & { readonly additional: Readonly<Record<string, unknown>> };
const linesOf = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const EXPECTED = SCHEMAS.flatMap((schema) =>
  linesOf(readFileSync(path.join(SAMPLES, schema, 'expected.ndjson'), 'utf8')),
);
const COUNT = { 'schema-2017': 80, 'schema-2022': 150 };

/** What the tests need of a service, of either release. */
interface Site {
  readonly url: string;
  readonly tenantId: string;
  readonly key: string;
  readonly agentKey: string;
  readonly operate: <T>(query: string) => Promise<T>;
}

async function siteOf(url: string, operate: Site['operate']): Promise<Site> {
  const { createTenant } = await operate<{ createTenant: { tenantId: string } }>(
    'mutation { createTenant(name: "Acme") { tenantId } }',
  );
  const { tenantId } = createTenant;
  const { createApiKey } = await operate<{ createApiKey: { key: string } }>(
    `mutation { createApiKey(name: "reader", tenantIds: ["${tenantId}"], scopes: ["read:audit-activity"]) { key } }`,
  );
  const { createAgentKey } = await operate<{ createAgentKey: { key: string } }>(
    `mutation { createAgentKey(name: "agent", tenantId: "${tenantId}") { key } }`,
  );
  return { url, tenantId, key: createApiKey.key, agentKey: createAgentKey.key, operate };
}

describe('the previous release and this one', () => {
  let folder: string;
  let release: Release;
  let compiled: CompiledAgent;
  let emptyDatabase: TestDatabase;
  let serviceOfBefore: ChildService;
  let world: World;
  let sites: Readonly<Record<'before' | 'now', Site>>;
  let agents: Readonly<Record<'before' | 'now', AgentProgram>>;

  beforeAll(async () => {
    folder = await temporaryFolder();
    release = Release.unpack(BEFORE);
    compiled = new CompiledAgent();
    emptyDatabase = await createEmptyDatabase('embedded');
    [serviceOfBefore, world] = await Promise.all([
      release.startService({ DATA_DIR: emptyDatabase.dataDir }),
      World.open('embedded'),
    ]);
    const { operatorKey } = serviceOfBefore;
    sites = {
      before: await siteOf(serviceOfBefore.url, (query) => serviceOfBefore.graphql(operatorKey, query)),
      now: await siteOf(world.service.url, (query) => world.operate(query)),
    };
    agents = { before: release.agent, now: compiled };
  });
  afterAll(async () => {
    await serviceOfBefore?.stop();
    await world?.close();
    await emptyDatabase?.drop();
    compiled?.remove();
    release?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['before', 'now'],
    ['now', 'before'],
  ] as const)(
    'work together: with the agent of %s and the service of %s every record is stored once, without rejects or gaps',
    async (agentOf, serviceOf) => {
      const site = sites[serviceOf];
      const state = await configured(site, `${agentOf}-${serviceOf}`);
      expect(await publish(agents[agentOf], state)).toEqual(summary((count) => [count, 0]));
      // The agent of the other release continues with this agent's state, and the service knows what it has sent.
      expect(await publish(agents[serviceOf], state)).toEqual(summary(() => [0, 0]));
      const fresh = await configured(site, `${serviceOf}-${serviceOf}-fresh`);
      expect(await publish(agents[serviceOf], fresh)).toEqual(summary((count) => [0, count]));

      for (const { dataDir } of [state, fresh])
        expect([existsSync(path.join(dataDir, 'rejected')), gapsIn(dataDir)]).toEqual([false, []]);
      const { auditSources } = await site.operate<{ auditSources: object[] }>(
        '{ auditSources { databaseName gapCount problem } }',
      );
      expect(auditSources).toEqual(
        SCHEMAS.map((databaseName) => ({ databaseName, gapCount: 0, problem: null })),
      );
      const stored = await exported(site);
      expect(stored.map(statedBy).sort()).toEqual(EXPECTED.map(statedBy).sort());
      expect(stored.every(({ sourceType }) => sourceType === 'DirectFile')).toBe(true);
    },
  );

  it('store every record alike, value for value, under the same id', async () => {
    expect(sites.now.tenantId).toBe(sites.before.tenantId);
    const [now, before] = [await exported(sites.now), await exported(sites.before)];
    expect(now).toHaveLength(EXPECTED.length);
    // The release before leaves the lifted fields in `additional`, where they are still.
    const withoutLifted = (line: Line) =>
      Object.fromEntries(Object.entries(withoutSalt(line)).filter(([name]) => !isLifted(name)));
    expect(now.map(withoutLifted)).toEqual(before.map(withoutSalt));
  });

  async function configured(site: Site, name: string) {
    const dataDir = path.join(folder, name);
    await mkdir(dataDir);
    const config = path.join(folder, `${name}.json`);
    const databases = SCHEMAS.map((schema) => ({
      Name: schema,
      AuditSource: {
        Type: 'DirectFile',
        DirectFile: { AuditFilePath: path.join(SAMPLES, schema, '*.sqlaudit') },
      },
    }));
    await writeFile(
      config,
      JSON.stringify({
        CentralApi: { BaseUrl: site.url, ApiKey: site.agentKey, TenantId: site.tenantId },
        EventHubPublisher: { Databases: databases },
      }),
    );
    return { config, dataDir };
  }

  /** @returns what the agent prints for each database */
  async function publish(agent: AgentProgram, { config, dataDir }: { config: string; dataDir: string }) {
    const { code, stdout, stderr } = await agent.run(
      'run',
      '--config',
      config,
      '--data-dir',
      dataDir,
      '--once',
    );
    if (code !== 0) throw new Error(stderr);
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/ from .*/, ''))
      .sort();
  }
});

const summary = (of: (count: number) => readonly [published: number, duplicates: number]) =>
  Object.entries(COUNT).map(([schema, count]) => {
    const [published, duplicates] = of(count);
    return `${schema}: ${published} published (${duplicates} duplicates, 0 rejected)`;
  });

/** @returns the lines of the gaps that the agent keeps */
const gapsIn = (dataDir: string): string[] =>
  existsSync(path.join(dataDir, 'gaps'))
    ? readdirSync(path.join(dataDir, 'gaps'), { recursive: true })
        .map((name) => path.join(dataDir, 'gaps', String(name)))
        .filter((file) => file.endsWith('.ndjson'))
        .flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean))
    : [];

async function exported({ url, key }: Site): Promise<Line[]> {
  const response = await fetch(`${url}${API_BASE_PATH}/audit-activity/export`, {
    headers: { 'X-Api-Key': key },
  });
  expect(response.status).toBe(200);
  return linesOf(await response.text());
}

/** Each service gives an event a random salt of its own. */
const withoutSalt = (line: Line): Line => {
  const { entrySalt: _, ...additional } = line.additional;
  return { ...line, additional };
};

/** The facts of a record that the sample files state, as one text. */
function statedBy(line: Line): string {
  const { file, fileGuid, parts } = { ...line, ...line.additional };
  return JSON.stringify([file, fileGuid, parts, ...RECORD_FIELDS.map((name) => line[name] ?? null)]);
}
