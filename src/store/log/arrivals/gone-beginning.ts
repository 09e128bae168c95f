import type { OwnerDoor } from '../../../database/clients';
import { type OfTenant, TenantRounds } from '../../../database/distribute/tenant-rounds';
import { LIMITS } from '../../../limits';
import type { ArrivalReader } from './arrival-reader';
import type { GoneSeal, SealedPosition } from './gone-seal';

const TENANTS_PER_ROUND = 50;

/**
 * Tenants from which retention has removed something since the last look, and those whose row this key did not seal or
 * is of more events than the recorded runs removed. $1 tenants at most.
 */
const toLookAt = (of: OfTenant) => `
SELECT r.tenant_id AS "tenantId", coalesce(g.position, 0)::float8 AS position, g.key_id AS "keyId", g.mac,
  max(r.ended_at) AS "endedAt", sum(r.events)::float8 AS removed
FROM retention_run r LEFT JOIN audit_log_gone g ON g.tenant_id = r.tenant_id
WHERE ${of('r.tenant_id')} GROUP BY r.tenant_id, g.position, g.looked_until, g.key_id, g.mac
HAVING g.looked_until IS NULL OR max(r.ended_at) > g.looked_until OR g.key_id IS DISTINCT FROM $2::text
  OR g.position > sum(r.events)
UNION ALL
SELECT g.tenant_id, g.position::float8, g.key_id, g.mac, g.looked_until, 0 FROM audit_log_gone g
WHERE ${of('g.tenant_id')} AND g.position > 0
  AND NOT EXISTS (SELECT FROM retention_run r WHERE r.tenant_id = g.tenant_id)
ORDER BY 1 LIMIT $1::int`;

/** $3 null: the look has not come to its end. Nothing is saved if the row has changed since the look. */
const SAVE = `
INSERT INTO audit_log_gone AS g (tenant_id, position, looked_until, key_id, mac)
VALUES ($1::int, $2::bigint, $3::timestamptz, $4::text, $5::bytea)
ON CONFLICT (tenant_id) DO UPDATE SET position = excluded.position, looked_until = excluded.looked_until,
  key_id = excluded.key_id, mac = excluded.mac
WHERE g.position = $6::bigint AND g.mac IS NOT DISTINCT FROM $7::bytea`;

interface Tenant extends SealedPosition {
  readonly tenantId: number;
  readonly endedAt: Date | null;
  /** Events that all runs removed. */
  readonly removed: number;
}

/**
 * Finds the part at the beginning of each log whose events are all gone, so that a reader does not look for each of
 * them. A position stays without its event: an event that is sent again stands at a new position. The part has no more
 * positions than retention removed events: whoever takes other events away cannot hide them by putting them back.
 */
export class GoneBeginnings {
  readonly #rounds: TenantRounds;

  /** @param reader one that uses the connections of background tasks */
  constructor(
    private readonly owner: OwnerDoor,
    private readonly reader: Pick<ArrivalReader, 'read'>,
    private readonly seal: GoneSeal,
  ) {
    this.#rounds = new TenantRounds(owner);
  }

  /** @returns the number of tenants with further positions to look at */
  async run(): Promise<number> {
    const tenants = await this.#rounds.ask((of) =>
      this.owner.models.$queryRawUnsafe<Tenant[]>(toLookAt(of), TENANTS_PER_ROUND, this.seal.keyId),
    );
    let more = 0;
    for (const tenant of tenants)
      more += (await this.#rounds.attempt(tenant.tenantId, () => this.#look(tenant))) ?? 0;
    this.#rounds.end();
    return more;
  }

  /** @returns 1 while the first event that is left is not found yet */
  async #look({ tenantId, endedAt, removed, ...stored }: Tenant): Promise<number> {
    const { seal } = this;
    const limits = {
      positions: LIMITS.goneBeginningStep,
      events: 1,
      bytes: 1,
      end: removed,
      isWhole: true as const,
    };
    const known = seal.open(tenantId, stored);
    const read = await this.reader.read(tenantId, known > removed ? 0 : known, limits);
    const { items, next, size } = read;
    const isDone = items.length > 0 || next >= Math.min(size, removed);
    const first = items[0]?.position ?? next;
    await this.owner.models.$executeRawUnsafe(
      SAVE,
      ...[tenantId, first, isDone ? endedAt : null],
      ...[seal.keyId, seal.seal(tenantId, first)],
      ...[stored.position, stored.mac],
    );
    return isDone ? 0 : 1;
  }
}
