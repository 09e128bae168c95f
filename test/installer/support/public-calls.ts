import { API_BASE_PATH } from '../../../src/version';
import type { ChildService } from '../../support/child-service';
import { anEvent } from '../../support/events';
import { INGEST } from '../../support/world';

type Service = Pick<ChildService, 'url' | 'operatorKey' | 'graphql'>;

/** Makes a tenant with three events, and checks the answers of the three public calls about them. */
export async function expectPublicCalls(service: Service): Promise<void> {
  const { operatorKey } = service;
  const { createTenant } = await service.graphql<{ createTenant: { tenantId: string } }>(
    operatorKey,
    'mutation { createTenant(name: "Acme") { tenantId } }',
  );
  const { tenantId } = createTenant;
  const keys = await service.graphql<Record<'reader' | 'agent', { key: string }>>(
    operatorKey,
    `mutation {
       reader: createApiKey(name: "reader", tenantIds: ["${tenantId}"], scopes: ["read:audit-activity"]) { key }
       agent: createAgentKey(name: "agent", tenantId: "${tenantId}") { key } }`,
  );
  const events = [anEvent(), anEvent(), anEvent({ databaseName: 'Sales' })];
  const { ingestAuditEvents } = await service.graphql<{ ingestAuditEvents: object }>(keys.agent.key, INGEST, {
    batch: { events },
  });
  expect(ingestAuditEvents).toEqual({ accepted: 3, duplicates: 0, rejected: [] });

  const ask = async (path: string) => {
    const url = `${service.url}${API_BASE_PATH}/audit-activity${path}`;
    const response = await fetch(url, { headers: { 'X-Api-Key': keys.reader.key } });
    // biome-ignore lint/suspicious/noExplicitAny: bodies of three shapes
    return [response.status, (await response.json()) as any] as const;
  };
  const [listed, list] = await ask('?databaseName=Payroll');
  expect([listed, list.data.length, list.meta.totalCount]).toEqual([200, 2, 2]);
  const [found, detail] = await ask(`/${list.data[0].recordId}`);
  expect([found, detail.data.statement]).toEqual([200, 'SELECT * FROM dbo.Employees']);
  const [summed, summary] = await ask('/summary');
  expect([summed, summary.data.totalCount]).toEqual([200, 3]);
}
