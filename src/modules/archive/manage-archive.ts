import type { OwnerDoor } from '../../database/clients';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';
import type { Answer } from '../../event/shape';
import { LIMITS } from '../../limits';
import type { Archive } from '../../store/archive/archive';
import { startOfWeek, weekOfMs } from '../../store/rows/partitions';
import type { SEALED_WEEK, WEEK_CHANGE } from './answers';
import type { Sealer } from './sealer';

const LIST = `
SELECT w.tenant_id AS "tenantId", w.week, w.events::float8 AS events, w.bytes::float8 AS bytes, w.sha256,
  w.sealed_at AS "sealedAt"
FROM audit_sealed_week w WHERE $1::int IS NULL OR w.tenant_id = $1::int ORDER BY w.tenant_id, w.week`;
const LEAVE_IN_ROWS = `
UPDATE audit_archive SET restored = array_append(array_remove(restored, $2::int), $2::int) WHERE tenant_id = $1::int`;
const MAY_BE_SEALED = `
UPDATE audit_archive SET restored = array_remove(restored, $2::int) WHERE tenant_id = $1::int`;

interface Week {
  readonly tenantId: number;
  readonly week: number;
  readonly events: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly sealedAt: Date;
}
type Change = Answer<typeof WEEK_CHANGE>;

/** What operators ask of the archive. */
export class ManageArchive {
  constructor(
    private readonly owner: OwnerDoor,
    private readonly archive: Archive,
    private readonly sealer: Sealer,
    private readonly nowMs: () => number,
  ) {}

  async list(tenantId: string | null): Promise<Answer<typeof SEALED_WEEK>[]> {
    const asked = tenantId === null ? null : idOf(tenantId);
    const rows = await this.owner.models.$queryRawUnsafe<Week[]>(LIST, asked);
    return rows.map(({ sealedAt, ...row }) => ({
      ...row,
      tenantId: String(row.tenantId),
      week: beginningOf(row.week),
      sealedAt: new Date(sealedAt).toISOString(),
    }));
  }

  async seal(tenantId: string, time: string): Promise<Change> {
    const [tenant, week] = [idOf(tenantId), weekOf(time)];
    const change = { tenantId, week: beginningOf(week), events: 0 };
    if (startOfWeek(week + 1) > this.nowMs() - LIMITS.archiveAfterDaysMin * 86_400_000)
      return { ...change, outcome: 'waits', because: 'the week has not been over for long enough' };
    await this.owner.models.$executeRawUnsafe(MAY_BE_SEALED, tenant, week);
    const sealing = await this.sealer.seal(tenant, week);
    switch (sealing?.outcome) {
      case 'sealed':
        return { ...change, outcome: 'sealed', events: sealing.events, because: null };
      case 'empty':
        return { ...change, outcome: 'nothing', because: null };
      case 'waits':
        return { ...change, outcome: 'waits', because: sealing.because };
      default:
        return {
          ...change,
          outcome: 'waits',
          because: 'the tenant was announced as one with files a moment ago, or another instance seals',
        };
    }
  }

  async restore(tenantId: string, time: string): Promise<Change> {
    const [tenant, week] = [idOf(tenantId), weekOf(time)];
    await this.owner.models.$executeRawUnsafe(LEAVE_IN_ROWS, tenant, week);
    const events = await this.archive.restore(this.owner, tenant, week);
    const outcome = events === null ? 'nothing' : 'restored';
    return { tenantId, week: beginningOf(week), outcome, events: events ?? 0, because: null };
  }
}

const idOf = (tenantId: string) => (/^[1-9]\d{0,8}$/.test(tenantId) ? Number(tenantId) : 0);
const weekOf = (time: string) => weekOfMs(Number((parseTicks(time) ?? 0n) / TICKS_PER_MS));
const beginningOf = (week: number) => new Date(startOfWeek(week)).toISOString();
