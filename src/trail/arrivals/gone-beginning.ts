import type { OwnerDb } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { LIMITS } from '../../limits';
import type { ArrivalReader } from './arrival-reader';
import type { GoneSeal, SealedPosition } from './gone-seal';

const TENANTS_PER_ROUND = 50;

/**
 * Tenants from which retention has removed something since the last look, and those whose row this key did not seal. $1
 * tenants at most.
 */
const toLookAt = (condition: string) => `
SELECT r.tenant_id AS "tenantId", coalesce(g.position, 0)::float8 AS position, g.key_id AS "keyId", g.mac,
  max(r.ended_at) AS "endedAt"
FROM retention_run r LEFT JOIN audit_log_gone g ON g.tenant_id = r.tenant_id
WHERE ${condition} GROUP BY r.tenant_id, g.position, g.looked_until, g.key_id, g.mac
HAVING g.looked_until IS NULL OR max(r.ended_at) > g.looked_until OR g.key_id IS DISTINCT FROM $2::text
ORDER BY r.tenant_id LIMIT $1::int`;

/** $3 null: the look has not come to its end. Nothing is saved if the row has changed since the look. */
const SAVE = `
INSERT INTO audit_log_gone AS g (tenant_id, position, looked_until, key_id, mac)
VALUES ($1::int, $2::bigint, $3::timestamptz, $4::text, $5::bytea)
ON CONFLICT (tenant_id) DO UPDATE SET position = excluded.position, looked_until = excluded.looked_until,
  key_id = excluded.key_id, mac = excluded.mac
WHERE g.position = $6::bigint AND g.mac IS NOT DISTINCT FROM $7::bytea`;

interface Tenant extends SealedPosition {
  readonly tenantId: number;
  readonly endedAt: Date;
}

/**
 * Finds the part at the beginning of each log whose events are all gone, so that a reader does not look for each of
 * them. A position stays without its event: an event that is sent again stands at a new position.
 */
export class GoneBeginnings {
  readonly #rounds: TenantRounds;

  /** @param reader one that uses the connections of background tasks */
  constructor(
    private readonly owner: OwnerDb,
    private readonly reader: Pick<ArrivalReader, 'read'>,
    private readonly seal: GoneSeal,
  ) {
    this.#rounds = new TenantRounds(owner);
  }

  /** @returns the number of tenants with further positions to look at */
  async run(): Promise<number> {
    const tenants = await this.#rounds.ask((of) =>
      this.owner.$queryRawUnsafe<Tenant[]>(toLookAt(of('r.tenant_id')), TENANTS_PER_ROUND, this.seal.keyId),
    );
    let more = 0;
    for (const tenant of tenants)
      more += (await this.#rounds.attempt(tenant.tenantId, () => this.#look(tenant))) ?? 0;
    this.#rounds.end();
    return more;
  }

  /** @returns 1 while the first event that is left is not found yet */
  async #look({ tenantId, endedAt, ...stored }: Tenant): Promise<number> {
    const { seal } = this;
    const limits = { positions: LIMITS.goneBeginningStep, events: 1, bytes: 1 };
    const { items, next, size } = await this.reader.read(tenantId, seal.open(tenantId, stored), limits);
    const isDone = items.length > 0 || next >= size;
    const first = items[0]?.position ?? next;
    await this.owner.$executeRawUnsafe(
      SAVE,
      ...[tenantId, first, isDone ? endedAt : null],
      ...[seal.keyId, seal.seal(tenantId, first)],
      ...[stored.position, stored.mac],
    );
    return isDone ? 0 : 1;
  }
}
