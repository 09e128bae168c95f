import type { OwnerDoor } from '../../database/clients';
import { databaseTime } from '../../database/lease';
import { guarded } from '../../database/limited';
import { LIMITS } from '../../limits';
import type { KnownFiles } from '../plan';

const ANNOUNCED = 'SELECT a.tenant_id FROM audit_archive a';
const ANNOUNCE = `
INSERT INTO audit_archive (tenant_id) SELECT t.tenant_id FROM tenant t WHERE t.tenant_id = $1::int
ON CONFLICT (tenant_id) DO NOTHING`;

/**
 * The tenants whose weeks may lie in files. A tenant is announced, and its first week is sealed only after a while. So
 * whoever read rows by a list that was not older than half of that while when they arrived has missed no sealed week.
 */
export class ArchivedTenants implements KnownFiles {
  tenants: ReadonlySet<number> = new Set();
  #database: { readonly ms: number; readonly atMs: number } | null = null;
  isSureUntilMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(
    private readonly owner: OwnerDoor,
    private readonly announceMs: number = LIMITS.archiveAnnounceMs,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** The later of two clocks. Weeks are sealed by the earlier of two: no instance takes a sealed week for a later one. */
  readonly wallMs = (): number => {
    const { ms, atMs } = this.#database ?? { ms: 0, atMs: 0 };
    return Math.max(this.nowMs(), ms + performance.now() - atMs);
  };

  /** @returns whether the tenant was announced long enough ago, as this instance has seen */
  async announce(tenantId: number): Promise<boolean> {
    const added = await this.owner.models.$executeRawUnsafe(ANNOUNCE, tenantId);
    if (added > 0) this.#announcedAtMs.set(tenantId, performance.now());
    const at = this.#announcedAtMs.get(tenantId);
    // Another instance, or an earlier run of this one, announced it: the time counts from when this one learned of it.
    if (at === undefined) this.#announcedAtMs.set(tenantId, performance.now());
    return performance.now() - (this.#announcedAtMs.get(tenantId) as number) >= this.announceMs;
  }
  readonly #announcedAtMs = new Map<number, number>();

  read(): Promise<void> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readNow(): Promise<void> {
    const atMs = performance.now();
    const rows = await guarded(() => this.owner.models.$queryRawUnsafe<{ tenant_id: number }[]>(ANNOUNCED));
    const now = await guarded(() => databaseTime(this.owner.models));
    this.#database = { ms: now.getTime(), atMs: performance.now() };
    this.tenants = new Set(rows.map(({ tenant_id }) => tenant_id));
    this.isSureUntilMs = atMs + this.announceMs / 2;
  }
}
