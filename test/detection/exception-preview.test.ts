import { randomUUID } from 'node:crypto';
import { microsecondsOfRecordId } from '../../src/event/record-id';
import { AlertStore } from '../../src/modules/detection/alerts/alert.store';
import { ExceptionPreview } from '../../src/modules/detection/backtests/exception-preview';
import { writeFindings } from '../../src/modules/detection/detector/write-findings';
import type { Finding } from '../../src/rules/finding';
import { oneTenant } from '../../src/tenant-set';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const NOW_MS = Date.parse('2026-02-03T04:05:06.007Z');
/** The findings that a preview reads. */
const READ = 2_000;

describe('what an exception would have removed', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  /** An alert with one finding of an event of each host, the first one first. */
  async function anAlert(hosts: readonly string[]) {
    const own = await store.forNewTenant();
    const { tenantId } = own;
    const { models } = own.database.owner;
    const events = own.checked(hosts.map((hostName) => ({ hostName, clientIp: '203.0.113.11' })));
    await own.insert(events);
    const findings = events.map(({ recordId }, i): Finding => {
      const at = microsecondsOfRecordId(recordId);
      return {
        ...{ findingId: randomUUID(), ruleId: '638edcb2-98cc-48ad-a5fb-fc4fedb65f74', ruleVersion: 1 },
        ...{ title: 'Brute force', severity: 'high', dedupMinutes: 60, eventCount: 1, recordIds: [recordId] },
        ...{ group: { clientIp: '203.0.113.11' }, groupKey: '203.0.113.11', firstAt: at, lastAt: at + i },
        ...{ principals: [], instances: [] },
      };
    });
    await models.$transaction((tx) => writeFindings(tx, tenantId, findings, NOW_MS));
    const [alert] = await models.alert.findMany({ where: { tenantId } });
    const alertId = alert?.alertId ?? '';
    const preview = new ExceptionPreview(own.database.service, () => NOW_MS);
    return {
      own,
      tenantId,
      alertId,
      models,
      findings,
      preview: (fields: readonly string[]) => preview.of(oneTenant(tenantId), alertId, fields),
    };
  }

  it('is an alert of whose findings it leaves out each event', async () => {
    const { preview } = await anAlert(['PROBE01', 'PROBE01']);
    expect(await preview(['hostName'])).toMatchObject({ alerts: 1, removed: 1, open: 1 });
  });

  it('is also an alert that somebody works on, and the alert itself where it is older than the days that count', async () => {
    const { tenantId, alertId, models, preview } = await anAlert(['PROBE01']);
    await models.alert.updateMany({
      where: { tenantId, alertId },
      data: { status: 'acknowledged', createdAt: new Date(NOW_MS - 31 * 86_400_000) },
    });
    expect(await preview(['hostName'])).toMatchObject({ alerts: 1, removed: 1, open: 1, openIds: [alertId] });
    await models.alert.updateMany({ where: { tenantId, alertId }, data: { status: 'suppressed' } });
    expect(await preview(['hostName'])).toMatchObject({ alerts: 1, removed: 1, open: 0, openIds: [] });
  });

  it('is resolved as it is told, if it is open, with when a person first took it up', async () => {
    const [own, other] = [await anAlert(['PROBE01']), await anAlert(['PROBE01'])];
    const { tenantId, alertId, models } = own;
    const first = new Date(NOW_MS - 60_000);
    const resolved = async (data: object) => {
      await models.alert.updateMany({ where: { tenantId }, data });
      const alerts = new AlertStore(store.database.service, () => NOW_MS);
      const by = { actor: 'Ada', verdict: 'false_positive', comment: null };
      const count = await models.$transaction((tx) =>
        alerts.resolveThese(tx, tenantId, [alertId, other.alertId], by),
      );
      const { status, verdict, acknowledgedAt } = await models.alert.findFirstOrThrow({ where: { alertId } });
      return { count, status, verdict, acknowledgedAt };
    };
    const done = { count: 1, status: 'resolved', verdict: 'false_positive' };
    expect(await resolved({ status: 'acknowledged', acknowledgedAt: first })).toEqual({
      ...{ ...done, acknowledgedAt: first },
    });
    expect(await resolved({ status: 'new', verdict: null, acknowledgedAt: null })).toEqual({
      ...{ ...done, acknowledgedAt: new Date(NOW_MS) },
    });
    const kept = { status: 'resolved', verdict: 'true_positive', acknowledgedAt: first };
    expect(await resolved(kept)).toEqual({ count: 0, ...kept });
    expect(await models.alert.count({ where: { tenantId: other.tenantId, status: 'new' } })).toBe(1);
  });

  it('is asked for by an alert behind hundreds of newer ones', async () => {
    const { own, tenantId, alertId, preview } = await anAlert(['PROBE01']);
    await own.query(
      `INSERT INTO alert (tenant_id, alert_id, rule_id, title, severity, status, group_key, group_values, anchor, first_event,
         last_event, finding_count, event_count, principals, instances, created_at, updated_at)
       SELECT tenant_id, gen_random_uuid(), rule_id, title, severity, status, group_key, group_values, anchor, first_event,
         last_event, finding_count, event_count, principals, instances, created_at + n * interval '1 second', updated_at
       FROM alert CROSS JOIN generate_series(1, 250) n WHERE tenant_id = $1`,
      tenantId,
    );
    expect(await preview(['hostName'])).toMatchObject({
      alerts: 250,
      removed: 1,
      open: 1,
      openIds: [alertId],
    });
  });

  it('is no alert that has more findings than are read: an older one may be an attack', async () => {
    const { own, tenantId, alertId, models, findings, preview } = await anAlert(['KALI', 'PROBE01']);
    const [, probe] = findings;
    // The findings of the probe are the newest, and there are as many as are read.
    await own.query(
      `INSERT INTO finding (tenant_id, finding_id, alert_id, rule_id, rule_version, title, severity, group_values,
         first_event, last_event, record_ids, event_count, principals, instances, detected_at)
       SELECT tenant_id, gen_random_uuid(), alert_id, rule_id, rule_version, title, severity, group_values,
         first_event, last_event, record_ids, event_count, principals, instances, detected_at + n * interval '1 second'
       FROM finding CROSS JOIN generate_series(1, ${READ}) n WHERE tenant_id = $1 AND finding_id = $2::uuid`,
      tenantId,
      probe?.findingId,
    );
    await models.alert.updateMany({
      where: { tenantId, alertId },
      data: { findingCount: { increment: READ } },
    });
    const told = await preview(['hostName']);
    expect(told).toMatchObject({ alerts: 1, removed: 0, open: 0, values: { hostName: 'PROBE01' } });
  });
});
