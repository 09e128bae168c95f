import type { OwnerDb } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { LIMITS } from '../../limits';
import type { ArrivalReader } from './arrival-reader';

const TENANTS_PER_ROUND = 50;

/** Tenants from which retention has removed something since the last look. $1 tenants at most. */
const toLookAt = (condition: string) => `
SELECT r.tenant_id AS "tenantId", coalesce(g.position, 0)::float8 AS position, max(r.ended_at) AS "endedAt"
FROM retention_run r LEFT JOIN audit_log_gone g ON g.tenant_id = r.tenant_id
WHERE ${condition} GROUP BY r.tenant_id, g.position, g.looked_until
HAVING g.looked_until IS NULL OR max(r.ended_at) > g.looked_until ORDER BY r.tenant_id LIMIT $1::int`;

/** $3 null: the look has not come to its end. */
const SAVE = `
INSERT INTO audit_log_gone (tenant_id, position, looked_until) VALUES ($1::int, $2::bigint, $3::timestamptz)
ON CONFLICT (tenant_id) DO UPDATE SET position = greatest(audit_log_gone.position, excluded.position),
  looked_until = coalesce(excluded.looked_until, audit_log_gone.looked_until)`;

interface Tenant {
  readonly tenantId: number;
  readonly position: number;
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
  ) {
    this.#rounds = new TenantRounds(owner);
  }

  /** @returns the number of tenants with further positions to look at */
  async run(): Promise<number> {
    const tenants = await this.#rounds.ask((of) =>
      this.owner.$queryRawUnsafe<Tenant[]>(toLookAt(of('r.tenant_id')), TENANTS_PER_ROUND),
    );
    let more = 0;
    for (const tenant of tenants)
      more += (await this.#rounds.attempt(tenant.tenantId, () => this.#look(tenant))) ?? 0;
    this.#rounds.end();
    return more;
  }

  /** @returns 1 while the first event that is left is not found yet */
  async #look({ tenantId, position, endedAt }: Tenant): Promise<number> {
    const limits = { positions: LIMITS.goneBeginningStep, events: 1, bytes: 1 };
    const { items, next, size } = await this.reader.read(tenantId, position, limits);
    const isDone = items.length > 0 || next >= size;
    const first = items[0]?.position ?? next;
    await this.owner.$executeRawUnsafe(SAVE, tenantId, first, isDone ? endedAt : null);
    return isDone ? 0 : 1;
  }
}
