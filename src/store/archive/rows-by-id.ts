import { setImmediate } from 'node:timers/promises';
import { Prisma, type ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import type { AuditEventListItem } from '../../event/fields';
import { ticksOfRecordId } from '../../event/record-id';
import { oneTenant, type TenantSet } from '../../tenant-set';
import { byTier } from '../plan';
import type { StoredAuditEvent } from '../rows/audit-event-reader';
import { listColumns, listItemOf, MARKED_COLUMNS, type Row, toStoredEvent } from '../rows/event-rows';
import { type SealedWeeks, sealedIn, snapshotOf } from './archive';

/**
 * The whole rows of some records, with marks in place of large statements, in no order. Across rows and files they are
 * read in one snapshot.
 */
export const rowsByIds = (
  service: ServiceDoor,
  tenants: TenantSet,
  ids: readonly string[],
): Promise<readonly Row[]> =>
  byIds(service, tenants, ids, {
    columns: MARKED_COLUMNS,
    ofFiles: (sealed, tenantId) => sealed.wholeRows(tenantId, ids),
  });

/** Rows that are read at once: a statement below the size of a mark may take 256 KB. */
const ROWS_AT_ONCE = 50;

/**
 * Some records as whole events, with marks in place of large statements, in the order of the ids. To read a long statement
 * may take the caller a while: others are served before it gets the next event.
 */
export async function* eventsByIds(
  service: ServiceDoor,
  tenants: TenantSet,
  ids: readonly string[],
): AsyncGenerator<StoredAuditEvent, void> {
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
    const some = ids.slice(at, at + ROWS_AT_ONCE);
    const rows = new Map<string, Row>();
    for (const row of await rowsByIds(service, tenants, some)) rows.set(String(row.record_id), row);
    for (const id of some) {
      const row = rows.get(id);
      if (row) yield toStoredEvent(row);
      await setImmediate();
    }
  }
}

const WITH_LIFTED = { hasLifted: true };

/** Some records as items of a list, with lifted fields, in no order. */
export async function listItemsByIds(
  service: ServiceDoor,
  tenants: TenantSet,
  ids: readonly string[],
): Promise<readonly AuditEventListItem[]> {
  const rows = await byIds(service, tenants, ids, {
    columns: listColumns(WITH_LIFTED),
    ofFiles: (sealed, tenantId) => sealed.listRows(tenantId, ids),
  });
  return rows.map(listItemOf(WITH_LIFTED));
}

async function byIds(
  service: ServiceDoor,
  tenants: TenantSet,
  ids: readonly string[],
  how: {
    readonly columns: Prisma.Sql;
    readonly ofFiles: (sealed: SealedWeeks, tenantId: number) => Promise<readonly Row[]>;
  },
): Promise<readonly Row[]> {
  const first = ids.toSorted()[0];
  if (first === undefined) return [];
  const statement = service.each(tenants)(
    (tenant) => Prisma.sql`
      SELECT ${how.columns} FROM audit_event e
      WHERE e.tenant_id = ${tenant} AND e.record_id = ANY(${[...ids]}::uuid[])`,
  );
  const across = () =>
    snapshotOf(service, tenants, async (ask) => {
      const found = [...(await ask<Row>(statement))];
      const sealed = sealedIn(service, ask);
      for (const tenantId of found.length < ids.length ? tenants : [])
        if (sealed) found.push(...(await how.ofFiles(sealed, tenantId)));
      return found;
    });
  return guarded(() =>
    byTier<readonly Row[]>(
      service,
      { tenants, range: { from: ticksOfRecordId(first) } },
      () => service.ask(statement, tenants),
      across,
    ),
  );
}

/** Reads statements, in their stored form, from the sealed weeks behind a door; null: the record is in none. */
export const sealedStatement =
  (service: ServiceDoor) =>
  (tenantId: number, recordId: string): Promise<string | null> =>
    guarded(() =>
      snapshotOf(
        service,
        oneTenant(tenantId),
        async (ask) => (await sealedIn(service, ask)?.statement(tenantId, recordId)) ?? null,
      ),
    );
