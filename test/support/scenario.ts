import type { Database } from '../../src/database/clients';

/** A tenant for one scenario of a property test. */
export async function newTenant({ service }: Pick<Database, 'service'>): Promise<number> {
  return (await service.models.tenant.create({ data: { name: 'test' } })).tenantId;
}

const TABLES = [
  ...['audit_event', 'audit_delta', 'audit_count', 'audit_dim', 'audit_segment', 'audit_word'],
  'retention_run',
];

/** Removes the events of earlier scenarios, whose tenants would keep weeks that a later scenario expects to go. */
export async function clearEvents({ migrator }: Pick<Database, 'migrator'>): Promise<void> {
  for (const table of TABLES) await migrator.models.$executeRawUnsafe(`DELETE FROM ${table}`);
}
