import type { Prisma } from '../../src/database/clients';
import { layout } from '../../src/database/each-tenant';
import { LIST_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventQuery } from '../../src/event/query';
import { pageStatement } from '../../src/modules/activity/page.statement';
import { summaryStatement } from '../../src/modules/activity/summary.statement';
import { oneTenant, tenantSet } from '../../src/tenant-set';
import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { Store } from '../support/store';

const FOLDED = 100_000;

describeOnPostgres('counts that are not folded', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open('postgresql');
    // The table is analysed in the middle of a busy minute, when it is large and a good part of it is unfolded. Soon
    // after, hardly any row is, but the plan stays until the next analysis.
    const { migrator } = store.database;
    await migrator.models.$executeRawUnsafe('ALTER TABLE audit_delta SET (autovacuum_enabled = off)');
    await migrator.models.$executeRawUnsafe(
      `INSERT INTO audit_delta (tenant_id, hour, action_id, database_name, server_principal_name, n, ok)
       SELECT $1::int, 490000 + i % 100, 'SL', 'db', 'login', 1, 1 FROM generate_series(1, ${FOLDED}) i`,
      store.tenantId,
    );
    await migrator.models.$executeRawUnsafe('DELETE FROM audit_delta WHERE hour % 5 > 0');
    await store.writer.insert(store.tenantId, store.checked([anEvent({})]));
    await migrator.models.$executeRawUnsafe('ANALYZE audit_delta');
  });
  afterAll(() => store.close());

  const scope = () => layout(false).each(tenantSet([store.tenantId]));
  const firstPage = toAuditEventQuery(parseParameters(LIST_PARAMETERS, {}));
  it.each<[string, () => Prisma.Sql]>([
    ['a page', () => pageStatement(scope(), firstPage, 'counts')],
    ['a summary', () => summaryStatement(scope(), { from: null, to: null })],
  ])('are found by their index, however many were folded before: %s', async (_, statementOf) => {
    const { text, values } = statementOf();
    const rows = await store.database.service.run(`EXPLAIN ${text}`, values, oneTenant(store.tenantId));
    const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    expect(plan).toContain('audit_delta_tenant');
    expect(plan).not.toContain('Seq Scan on audit_delta');
  });
});
