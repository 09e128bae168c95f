import type { OwnerDoor } from '../../database/clients';
import { Prisma } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { LIMITS } from '../../limits';
import { archiveOf, sealedIn, snapshotOf } from '../../store/archive/archive';
import { oneTenant } from '../../tenant-set';

const TABLES = ['event_note', 'incident_event'] as const;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const HAS_FILES = (tenantId: number) =>
  Prisma.sql`SELECT w.week FROM audit_sealed_week w WHERE w.tenant_id = ${tenantId}::int LIMIT 1`;

/** Removes what people wrote about events that are not stored any more. */
export class ForgetGone {
  readonly #rounds: TenantRounds;

  constructor(private readonly owner: OwnerDoor) {
    this.#rounds = new TenantRounds(owner);
  }

  async run(): Promise<void> {
    for (const table of TABLES) {
      const tenants = await this.#rounds.ask((of) =>
        this.owner.models.$queryRawUnsafe<{ tenantId: number }[]>(
          `SELECT DISTINCT n.tenant_id AS "tenantId" FROM ${table} n WHERE ${of('n.tenant_id')}`,
        ),
      );
      for (const { tenantId } of tenants)
        await this.#rounds.attempt(tenantId, () => this.#forget(table, tenantId));
    }
    this.#rounds.end();
  }

  async #forget(table: string, tenantId: number): Promise<void> {
    for (let after: string | null = FIRST_ID; after !== null; ) {
      const { gone, last }: Awaited<ReturnType<typeof goneAfter>> = await goneAfter(
        this.owner,
        table,
        tenantId,
        after,
      );
      if (gone.length > 0)
        await this.owner.models.$executeRawUnsafe(
          `DELETE FROM ${table} WHERE tenant_id = $1::int AND record_id = ANY(string_to_array($2::text, ',')::uuid[])`,
          ...[tenantId, gone.join()],
        );
      after = last;
    }
  }
}

/** Those of the next records of a table that are stored neither in rows nor in files. @returns last null: it was the end */
function goneAfter(owner: OwnerDoor, table: string, tenantId: number, after: string) {
  return snapshotOf(owner, oneTenant(tenantId), async (ask) => {
    const rows = await ask<{ id: string; stored: boolean }>(Prisma.sql`
      SELECT n.id::text AS id, EXISTS (
        SELECT FROM audit_event e WHERE e.tenant_id = ${tenantId}::int AND e.record_id = n.id) AS stored
      FROM (SELECT DISTINCT record_id AS id FROM ${Prisma.raw(table)}
        WHERE tenant_id = ${tenantId}::int AND record_id > ${after}::uuid
        ORDER BY record_id LIMIT ${LIMITS.goneNotesStep}::int) n ORDER BY n.id`);
    const last = rows.length < LIMITS.goneNotesStep ? null : (rows.at(-1)?.id ?? null);
    const missing = rows.filter(({ stored }) => !stored).map(({ id }) => id);
    if (missing.length === 0) return { gone: missing, last };
    // Whoever cannot read files does not know what is gone.
    if (!archiveOf(owner) && (await ask(HAS_FILES(tenantId))).length > 0) return { gone: [], last };
    const sealed = await sealedIn(owner, ask)?.known(tenantId, missing);
    return { gone: missing.filter((id) => !sealed?.has(id)), last };
  });
}
