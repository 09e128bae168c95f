import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DETAIL_FIELDS, LIST_FIELDS, STATEMENT_PREVIEW } from '../../src/event/fields';
import { CompiledAgent } from '../agent/support/compiled-agent';
import { ENGINES } from '../support/engines';
import { type TestTenant, World } from '../support/world';

const SAMPLES = path.join(__dirname, '../fixtures/sqlaudit');
const SCHEMAS = readdirSync(SAMPLES).filter((name) => name.startsWith('schema-'));

interface Expected {
  readonly [field: string]: unknown;
  readonly eventTime: string;
  readonly statement: string | null;
}

const expectedOf = (schema: string): Expected[] =>
  readFileSync(path.join(SAMPLES, schema, 'expected.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The fields that both an expected record and its REST representation have. */
const shared = (record: Expected, fields: readonly string[]) =>
  Object.fromEntries(fields.filter((name) => name in record).map((name) => [name, record[name]]));

describe.each(ENGINES)('audit files, agent, service on %s and REST together', (engine) => {
  let world: World;
  let agent: CompiledAgent;
  beforeAll(async () => {
    world = await World.open(engine);
    agent = new CompiledAgent();
  });
  afterAll(async () => {
    agent.remove();
    await world.close();
  });

  it.each(SCHEMAS)('every record of %s comes back once and unchanged, in list and detail', async (schema) => {
    const tenant = await world.tenant(schema);
    const expected = expectedOf(schema);
    const first = await publish(tenant, schema);
    expect(first).toContain(`${expected.length} published (0 duplicates, 0 rejected)`);
    expect(await publish(tenant, schema)).toContain('0 published (0 duplicates, 0 rejected)');

    const listed = await listAll(tenant);
    const byTime = expected.toSorted((a, b) => (a.eventTime < b.eventTime ? 1 : -1));
    expect(
      listed.map((item) =>
        shared(
          item,
          LIST_FIELDS.filter((f) => f in (byTime[0] ?? {})),
        ),
      ),
    ).toEqual(byTime.map((record) => shared(record, LIST_FIELDS)));
    for (const [i, item] of listed.entries()) {
      const statement = byTime[i]?.statement ?? null;
      const preview =
        statement === null ? null : [...statement].slice(0, STATEMENT_PREVIEW.charsMax).join('');
      expect(item.statementPreview).toBe(preview);
      expect(item.sourceType).toBe('DirectFile');
      const { body } = await tenant.get(`/audit-activity/${item.recordId}`);
      expect(body.data).toMatchObject(shared(byTime[i] as Expected, DETAIL_FIELDS));
    }
  });

  async function publish(tenant: TestTenant, schema: string): Promise<string> {
    const folder = path.join(world.database.dataDir, `agent-${tenant.tenantId}`);
    await mkdir(folder, { recursive: true });
    const config = path.join(folder, 'agent.json');
    const source = {
      Type: 'DirectFile',
      DirectFile: { AuditFilePath: path.join(SAMPLES, schema, '*.sqlaudit') },
    };
    await writeFile(
      config,
      JSON.stringify({
        CentralApi: { BaseUrl: world.service.url, ApiKey: tenant.agentKey, TenantId: tenant.tenantId },
        EventHubPublisher: { Databases: [{ Name: schema, AuditSource: source }] },
      }),
    );
    const { code, stdout, stderr } = await agent.run('run', '--config', config, '--once');
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }
});

async function listAll(tenant: TestTenant): Promise<Expected[]> {
  const items: Expected[] = [];
  for (let page = 1; ; page++) {
    const { body } = await tenant.get('/audit-activity', { page, pageSize: 100 });
    items.push(...body.data);
    if (!body.meta.hasNextPage) return items;
  }
}
