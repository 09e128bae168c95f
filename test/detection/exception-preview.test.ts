import { randomUUID } from 'node:crypto';
import { microsecondsOfRecordId } from '../../src/event/record-id';
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
