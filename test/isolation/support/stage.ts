import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { type Database } from '../../../src/database/clients';
import { openDatabase } from '../../../src/database/database';
import { migrate } from '../../../src/database/migrate';
import { loadCheckpointKeys } from '../../../src/modules/evidence/checkpoint-key-file';
import { applyRetention } from '../../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../../src/modules/tenants/retention/retention.store';
import { createDestination } from '../../destinations/support/destinations';
import { offerPackage } from '../../support/agent-packages';
import { REPORT, reportOf } from '../../support/audit-sources';
import { createTestDatabase, type EngineName, type TestDatabase } from '../../support/engines';
import { type IngestedEvent } from '../../support/events';
import { until } from '../../support/until';
import { TestTenant, World } from '../../support/world';
import {
  type MarkedTenant,
  type Marks,
  markedEvents,
  markedReport,
  marksOf,
  OLD,
  OUTGOING_ACCESS,
  READ,
} from './marked-tenant';
import { sealOlderWeeks } from './sealed-weeks';

/** Tenant ids that occur in no other number. */
const IDS = 'ALTER SEQUENCE tenant_tenant_id_seq RESTART 710000007 INCREMENT 110000001';
/** On a cluster the sequence cannot be altered, but it can be set. */
const IDS_ON_CITUS = `SELECT setval('tenant_tenant_id_seq', 710000007)`;
const KEEP_DAYS = 5_000;

export interface Stage {
  readonly world: World;
  readonly a: MarkedTenant;
  readonly b: MarkedTenant;
  /** Where files lie that are not in the database. */
  readonly files: string;
}

export const COUNTS = { a: { kept: 7, old: 3 }, b: { kept: 11, old: 2 } } as const;

/** A service with two tenants that have data of every kind. */
export async function openStage(engine: EngineName): Promise<Stage> {
  const database = await createTestDatabase(engine);
  await asOwner(database, async ({ migrator }) => {
    await migrate(migrator);
    await migrator.models.$executeRawUnsafe(engine === 'citus' ? IDS_ON_CITUS : IDS);
  });
  const files = path.join(database.dataDir, 'folder of files');
  await mkdir(files);
  const before = await World.on(database);
  const a = await filled(before, marksOf('alpha'), COUNTS.a);
  const b = await filled(before, marksOf('bravo'), COUNTS.b);
  await before.service.close();
  await asOwner(database, async (opened) => {
    await applyRetention({
      store: new PostgresRetentionStore(opened.service, opened.migrator),
      nowMs: Date.now,
      log: pino({ level: 'silent' }),
    });
    const [key] = await loadCheckpointKeys(database.dataDir, null);
    await sealOlderWeeks(opened, files, key);
  });
  // Each caller has an address of its own, because failed authentications are limited by address.
  const world = await World.on(database, {
    trustProxy: ['127.0.0.1'],
    archivePlace: { kind: 'folder', folder: files },
  });
  return { world, files, a: await described(world, a), b: await described(world, b) };
}

async function asOwner(place: TestDatabase, work: (database: Database) => Promise<unknown>): Promise<void> {
  const database = await openDatabase(place);
  await work(database);
  await database.close();
}

interface Filled {
  readonly tenantId: string;
  readonly marks: Marks;
  readonly events: readonly IngestedEvent[];
}

async function filled(world: World, marks: Marks, count: (typeof COUNTS)['a' | 'b']): Promise<Filled> {
  const tenant = await world.tenant(`${marks.admin} tenant`);
  const { tenantId, agentKey } = tenant;
  const events = markedEvents(marks, count);
  await tenant.ingest(events);
  const report = markedReport(marks, tenantId);
  reportOf((await world.graphql(agentKey, REPORT, { report })).body);
  await until(
    async () => (await tenant.get('/audit-log')).body.data,
    ({ checkpoint }) => checkpoint !== null,
  );
  await world.operate(
    'mutation($tenantId: String!, $days: Int!) { setTenantRetention(tenantId: $tenantId, days: $days) { name } }',
    { tenantId, days: KEEP_DAYS },
  );
  return { tenantId, marks, events };
}

/** Reads what permitted callers can know of a tenant. */
async function described(world: World, { tenantId, marks, events }: Filled): Promise<MarkedTenant> {
  const tenant = await TestTenant.of(world, tenantId, READ);
  const { destinationId } = await createDestination(world, {
    tenantId,
    name: `${marks.admin} destination`,
    url: 'https://siem.invalid',
    from: 'now',
    filter: `objectName:"${marks.event}"`,
  });
  const { createHold } = await world.operate(
    `mutation($tenantId: String!, $filter: String, $reason: String!) {
      createHold(tenantId: $tenantId, filter: $filter, reason: $reason) { holdId } }`,
    { tenantId, filter: `objectName:"${marks.event}"`, reason: `${marks.admin} reason` },
  );
  const { packageId } = await offerPackage(world, tenantId, {
    name: `${marks.admin} group`,
    host: `${marks.admin}*`,
    content: Buffer.from(`${marks.event} of a package`),
  });
  const named = await world.key({ name: `${marks.admin} key`, tenantIds: [tenantId] });
  const { data } = (await tenant.get('/audit-activity', { pageSize: 100 })).body;
  const entries = (await tenant.get('/audit-log/entries')).body.data;
  const { body } = await until(
    () => tenant.get('/findings'),
    (answer) => answer.body.data.length > 0,
  );
  const findings = body.data;
  const alerts = (await tenant.get('/alerts')).body.data;
  const tested = await world.graphql(
    tenant.key,
    'mutation($t: String!, $r: String!) { testRule(tenantId: $t, ruleId: $r) { backtestId } }',
    { t: tenantId, r: OUTGOING_ACCESS },
  );
  const run = await tenant.get('/reports/activity/content', {
    databaseName: `${marks.event} databaseName`,
    startTime: '2026-01-01',
    endTime: '2026-02-01',
    format: 'json',
  });
  const { sealedWeeks } = await world.operate(
    'query($tenantId: String!) { sealedWeeks(tenantId: $tenantId) { sha256 } }',
    { tenantId },
  );
  const hashesIn = (base64: string, bytes: number) =>
    Buffer.from(base64, 'base64')
      .toString('hex')
      .match(new RegExp(`.{${2 * bytes}}`, 'g')) ?? [];
  return {
    tenant,
    marks,
    report: markedReport(marks, tenantId),
    events: events.filter(({ eventTime }) => eventTime !== OLD),
    recordIds: data.map(({ recordId }: { recordId: string }) => recordId),
    backtestId: tested.body.data.testRule.backtestId,
    alertIds: alerts.map(({ alertId }: { alertId: string }) => alertId),
    runId: run.body.report.runId,
    incidentIds: alerts.flatMap(({ incidentId }: { incidentId: string | null }) => incidentId ?? []),
    findingIds: findings.map(({ findingId }: { findingId: string }) => findingId),
    keyIds: [tenant.keyId, named.keyId],
    destinationId,
    holdId: createHold.holdId,
    packageId,
    fileName: sealedWeeks[0].sha256,
    logged: [...hashesIn(entries.recordIds, 16), ...hashesIn(entries.leafHashes, 32)],
  };
}
