import { Client } from 'pg';
import { LIMITS } from '../../src/limits';
import { aReport, REPORT } from '../support/audit-sources';
import { ANY_ENGINE, ONE_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { FRESH_METRICS, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import { type TestTenant, World } from '../support/world';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const REFUSED = 5;
const RULE = `title: test
logsource:
  product: sqlserver
detection:
  s:
    databaseName: Payroll
  condition: s
`;

/** The samples of Prometheus' text format. */
function parseMetrics(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const parts = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (!parts) throw new Error(`no sample: ${line}`);
      const labels = [...(parts[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        name: parts[1]?.replace(/^audit_activity_/, '') ?? '',
        labels: Object.fromEntries(labels.map(([, name, value]) => [name, value])),
        value: Number(parts[3]),
      };
    });
}

describe.each(ONE_ENGINE)('/metrics of a service on %s', (engine) => {
  useLimits({ ...FRESH_METRICS, longStatementWaitMs: 30_000 });
  const at = useWorld(engine, { metrics: { host: '127.0.0.1', port: 0 } });
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
  });
  const url = () => at.world.service.metricsUrl ?? '';
  const scrape = async () => parseMetrics(await (await fetch(url())).text());
  const sampleOf = async (name: string, labels: object = {}) =>
    (await scrape()).find((sample) => sample.name === name && sameLabels(sample.labels, labels))?.value;
  const sameLabels = (given: object, wanted: object) =>
    JSON.stringify(Object.entries(given).sort()) === JSON.stringify(Object.entries(wanted).sort());

  it('counts requests by the pattern of their route, never by their path', async () => {
    const recordId = '019a8f00-0000-8000-8000-000000000000';
    await acme.get(`/audit-activity/${recordId}`);
    await at.world.fetch('/nothing/geheim', { method: 'PURGE' });
    const requests = async (route: string, status: string, method = 'GET') =>
      sampleOf('http_requests_total', { method, route, status });
    await until(
      () => requests('/api/v1/public/audit-activity/:recordId', '404'),
      (n) => n === 1,
    );
    await until(
      () => requests('none', '404', 'other'),
      (n) => n === 1,
    );
    const text = await (await fetch(url())).text();
    for (const value of [recordId, 'geheim', acme.key, acme.keyId]) expect(text).not.toContain(value);
  });

  it('measures how long each route takes', async () => {
    await acme.get('/audit-activity');
    const route = '/api/v1/public/audit-activity';
    await until(
      () => sampleOf('http_request_duration_seconds_count', { route }),
      (n) => n === 1,
    );
    expect(await sampleOf('http_request_duration_seconds_bucket', { le: '+Inf', route })).toBe(1);
    expect(await sampleOf('http_request_duration_seconds_sum', { route })).toBeGreaterThan(0);
  });

  it('counts accepted, duplicate and rejected events', async () => {
    const events = [anEvent(), anEvent(), anEvent()];
    await acme.ingest(events);
    await acme.ingest([...events, 'bad', anEvent()]);
    const outcome = (name: string) => sampleOf('ingest_events_total', { outcome: name });
    await until(
      () => outcome('accepted'),
      (n) => n === 4,
    );
    expect([await outcome('duplicate'), await outcome('rejected')]).toEqual([3, 1]);
  });

  it('has values of the process, its connections, its rate limiter and its background tasks', async () => {
    await until(
      () => sampleOf('background_last_round_timestamp_seconds', { task: 'folding counts' }),
      (at) => Number(at) > 1.7e9,
    );
    const samples = await scrape();
    const rounds = samples.filter(({ labels: { task } }) => task === 'fold' || task === 'folding counts');
    expect(rounds.map(({ name, value }) => [name, value]).sort()).toEqual([
      ['background_last_round_timestamp_seconds', rounds[0]?.value],
      ['background_task_last_round_timestamp_seconds', rounds[0]?.value],
    ]);
    for (const name of [
      'nodejs_eventloop_lag_seconds',
      'process_resident_memory_bytes',
      'http_requests_in_flight',
    ])
      expect(samples.map((sample) => sample.name)).toContain(name);
    expect(await sampleOf('rate_limit_shared')).toBe(1);
    expect(await sampleOf('database_connections', { state: 'total' })).toBeGreaterThanOrEqual(1);
    expect(await sampleOf('database_connections', { state: 'waiting' })).toBe(0);
    for (const name of ['long_statements', 'changes']) {
      for (const state of ['running', 'waiting']) expect(await sampleOf(name, { state })).toBe(0);
      for (const share of ['key', 'tenant', 'all'])
        expect(await sampleOf(`${name}_refused_total`, { share })).toBe(0);
    }
  });

  // The embedded engine has one connection, which nobody else can hold.
  if (engine !== 'embedded')
    it('counts changes that are refused, and not as searches', async () => {
      const { key } = await at.world.key({ tenantIds: [acme.tenantId], scopes: ['work:alerts'] });
      const change =
        'mutation($t: String!, $source: String!) { importRules(tenantId: $t, source: $source) { ruleId } }';
      const variables = { t: acme.tenantId, source: RULE };
      const blocker = new Client({ connectionString: at.world.database.databaseUrl ?? '' });
      await blocker.connect();
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE detection_rule IN SHARE MODE');
      const { longStatementsWaitingPerKey: waiting } = LIMITS;
      // One has its turn, and waits for the table.
      const answers = Array.from({ length: 1 + waiting + REFUSED }, () =>
        at.world.graphql(key, change, variables),
      );
      const counted = async (name: string) =>
        (await scrape())
          .filter((sample) => sample.name === `${name}_refused_total`)
          .reduce((sum, { value }) => sum + value, 0);
      await until(
        () => counted('changes'),
        (n) => n === REFUSED,
      );
      await blocker.query('ROLLBACK');
      await blocker.end();
      const texts = (await Promise.all(answers)).map(({ text }) => text);
      expect(texts.filter((text) => text.includes('"service_unavailable"'))).toHaveLength(REFUSED);
      expect(await counted('long_statements')).toBe(0);
    });

  it('tells how far folding and indexing are, and how fresh each source is', async () => {
    const report = aReport({
      tenantId: acme.tenantId,
      waitingBytes: 4_096,
      caughtUpAt: '2026-01-05T08:00:00.0000000Z',
    });
    await at.world.graphql(acme.agentKey, REPORT, { report });
    const labels = { tenant: acme.tenantId, host: report.hostName, database: report.databaseName };
    // Figures from the database are kept for a while, so the test waits.
    await until(
      () => sampleOf('source_waiting_bytes', labels),
      (n) => n === 4_096,
    );
    expect(await sampleOf('source_reported_seconds', labels)).toBeLessThan(60);
    expect(await sampleOf('source_lag_seconds', labels)).toBeGreaterThan(0);
    expect(await sampleOf('sources')).toBe(1);
    expect(await sampleOf('database_figures_up')).toBe(1);
    for (const name of ['unfolded_deltas', 'unindexed_segments', 'unindexed_oldest_seconds'])
      expect(await sampleOf(name)).toBeGreaterThanOrEqual(0);
  });

  it('is the only page of a port of its own', async () => {
    expect((await at.world.fetch('/metrics')).status).toBe(404);
    expect((await fetch(new URL('/health', url()))).status).toBe(404);
    expect((await fetch(url(), { method: 'POST' })).status).toBe(404);
  });
});

it('metrics are not served unless METRICS_PORT is set', async () => {
  const world = await World.open(ANY_ENGINE);
  expect(world.service.metricsUrl).toBeNull();
  await world.close();
});
