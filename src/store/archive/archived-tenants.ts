import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { DAY_MS, TICKS_PER_MS } from '../../event/event-time';
import type { TimeRange } from '../../event/query';
import { LIMITS } from '../../limits';

const ANNOUNCED = 'SELECT a.tenant_id FROM audit_archive a';
const ANNOUNCE = `
INSERT INTO audit_archive (tenant_id) SELECT t.tenant_id FROM tenant t WHERE t.tenant_id = $1::int
ON CONFLICT (tenant_id) DO NOTHING`;

/** Later events are in no sealed week, even where clocks differ by a day. */
export const NEVER_SEALED_MS = DAY_MS;

const byDoor = new WeakMap<ServiceDoor | OwnerDoor, ArchivedTenants>();

/**
 * The tenants whose weeks may lie in files. A tenant is announced, and its first week is sealed only after a while. So
 * whoever read rows by a list that was not older than half of that while when they arrived has missed no sealed week.
 */
export class ArchivedTenants {
  #known: ReadonlySet<number> = new Set();
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(
    private readonly owner: OwnerDoor,
    private readonly announceMs: number = LIMITS.archiveAnnounceMs,
    /** Of a clock that never goes back. */
    private readonly nowMs: () => number = () => performance.now(),
    private readonly wallMs: () => number = Date.now,
  ) {}

  /** Whether a range reaches into times whose weeks can be sealed. */
  reaches({ from }: Pick<TimeRange, 'from'>): boolean {
    return from === null || from < BigInt(this.wallMs() - NEVER_SEALED_MS) * TICKS_PER_MS;
  }

  /** Readers behind this door ask here. */
  announceAt(door: ServiceDoor | OwnerDoor): void {
    byDoor.set(door, this);
  }

  /** Whether one of them is known to have files. False says nothing. */
  knows(tenants: readonly number[]): boolean {
    return tenants.some((tenantId) => this.#known.has(tenantId));
  }

  /** To be asked after the rows have come. */
  async hasSome(tenants: readonly number[]): Promise<boolean> {
    if (this.knows(tenants)) return true;
    if (this.nowMs() - this.#readAtMs >= this.announceMs / 2) await this.#read();
    return this.knows(tenants);
  }

  /** @returns whether the tenant was announced long enough ago, as this instance has seen */
  async announce(tenantId: number): Promise<boolean> {
    const added = await this.owner.models.$executeRawUnsafe(ANNOUNCE, tenantId);
    if (added > 0) this.#announcedAtMs.set(tenantId, this.nowMs());
    const at = this.#announcedAtMs.get(tenantId);
    // Another instance, or an earlier run of this one, announced it: the time counts from when this one learned of it.
    if (at === undefined) this.#announcedAtMs.set(tenantId, this.nowMs());
    return this.nowMs() - (this.#announcedAtMs.get(tenantId) as number) >= this.announceMs;
  }
  readonly #announcedAtMs = new Map<number, number>();

  #read(): Promise<void> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readNow(): Promise<void> {
    const atMs = this.nowMs();
    const rows = await this.owner.models.$queryRawUnsafe<{ tenant_id: number }[]>(ANNOUNCED);
    this.#known = new Set(rows.map(({ tenant_id }) => tenant_id));
    this.#readAtMs = atMs;
  }
}

/**
 * Answers from rows alone, or across rows and files where weeks of the range may lie in files. Of a tenant that was not
 * known to have files, rows are read first and the list of tenants afterwards (`ArchivedTenants`).
 */
export async function byTier<T>(
  door: ServiceDoor | OwnerDoor,
  { tenants, range }: { readonly tenants: readonly number[]; readonly range: Pick<TimeRange, 'from'> },
  rows: () => Promise<T>,
  across: () => Promise<T>,
): Promise<T> {
  const archived = byDoor.get(door);
  if (!archived?.reaches(range)) return rows();
  if (archived.knows(tenants)) return across();
  const answer = await rows();
  return (await archived.hasSome(tenants)) ? across() : answer;
}
