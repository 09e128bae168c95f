import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { OwnerDoor } from '../../database/clients';
import { type OfTenant, TenantRounds } from '../../database/distribute/tenant-rounds';
import { type Leased, Leases } from '../../database/lease';
import { DAY_MS } from '../../event/event-time';
import { LIMITS } from '../../limits';
import type { ArchivedTenants } from '../../store/archive/archived-tenants';
import type { FileCache } from '../../store/archive/file-cache';
import type { FileWriter } from '../../store/archive/questions';
import { type Sealing, sealWeek } from '../../store/archive/seal-week';
import { startOfWeek, weekOfMs } from '../../store/rows/partitions';

/** A week is sealed in less time, and who seals it twice does so for nothing, but does no harm. */
const SEALING: Leased = {
  table: 'audit_archive',
  key: { tenant_id: 'int' },
  holder: 'holder',
  until: 'held_until',
  ms: 600_000,
};

/** SQL: the week of a day of counts; days and weeks are counted since 1970. */
const WEEK = 'floor((c.bucket - 4) / 7.0)::int';

/**
 * Tenants with their oldest week that is over and has no file, or so many events beside its file that it is sealed anew.
 * $1: the first week that is not over.
 */
const DUE = (of: OfTenant) => `
SELECT u.tenant_id AS "tenantId", min(u.week) AS week FROM (
  SELECT c.tenant_id, ${WEEK} AS week, sum(c.n) AS n FROM audit_count c
  WHERE c.grain = 2 AND c.a = 0 AND c.d = 0 AND c.p = 0 AND c.n > 0 AND c.bucket >= 4 AND ${WEEK} < $1::int
    AND ${of('c.tenant_id')} GROUP BY 1, 2) u
  LEFT JOIN audit_sealed_week w ON w.tenant_id = u.tenant_id AND w.week = u.week
  LEFT JOIN audit_archive a ON a.tenant_id = u.tenant_id
WHERE (w.events IS NULL OR u.n - w.events > greatest(${LIMITS.archiveLateEvents}, w.events / ${LIMITS.archiveLateShare}))
  AND (a.restored IS NULL OR u.week <> ALL(a.restored))
GROUP BY u.tenant_id ORDER BY 2, 1 LIMIT ${LIMITS.archiveTenantsPerRound}`;

/** Seals weeks that are over. */
export class Sealer {
  readonly #holder = randomUUID();
  readonly #rounds: TenantRounds;
  readonly #leases: Leases;

  constructor(
    private readonly parts: {
      readonly owner: OwnerDoor;
      readonly tenants: ArchivedTenants;
      readonly writer: FileWriter;
      readonly cache: FileCache;
      readonly folder: string;
      /** Days after the end of a week. */
      readonly afterDays: number;
      readonly nowMs: () => number;
      readonly log: Logger;
    },
  ) {
    this.#rounds = new TenantRounds(parts.owner);
    this.#leases = new Leases(parts.owner.models, SEALING);
  }

  /** Seals the oldest week of each tenant that has one. @returns the number of sealed weeks */
  async run(): Promise<number> {
    const { owner, afterDays, nowMs, log } = this.parts;
    const end = weekOfMs(nowMs() - afterDays * DAY_MS);
    const due = await this.#rounds.ask((of) =>
      owner.models.$queryRawUnsafe<{ tenantId: number; week: number }[]>(DUE(of), end),
    );
    let sealed = 0;
    for (const { tenantId, week } of due) {
      const sealing = await this.#rounds.attempt(tenantId, () => this.seal(tenantId, week));
      if (sealing?.outcome !== 'sealed') continue;
      sealed += 1;
      const { events, bytes } = sealing;
      log.info(
        { tenantId, week: new Date(startOfWeek(week)).toISOString().slice(0, 10), events, bytes },
        'week sealed',
      );
    }
    this.#rounds.end();
    return sealed;
  }

  /** @returns null: another instance is sealing, or the tenant has only been announced */
  async seal(tenantId: number, week: number): Promise<Sealing | null> {
    if (!(await this.parts.tenants.announce(tenantId))) return null;
    if (!(await this.#leases.take([tenantId], this.#holder))) return null;
    try {
      return await sealWeek(this.parts, tenantId, week);
    } finally {
      await this.#leases.release([tenantId], this.#holder);
    }
  }
}
