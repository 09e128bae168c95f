import { type Attempt, changeOf } from '../../caller/access-log';
import { insertEntries } from '../../caller/access-log.store';
import type { OwnerDoor, Prisma } from '../../database/clients';
import { clockNotAhead } from '../../database/lease';
import { DomainError } from '../../errors';
import { DAY_MS, msOfTime } from '../../event/event-time';
import type { Answer } from '../../event/shape';
import { LIMITS } from '../../limits';
import type { Archive } from '../../store/archive/archive';
import { leaveInRows } from '../../store/archive/restore-week';
import { startOfWeek, weekOfMs } from '../../store/rows/partitions';
import type { SEALED_WEEK, UNSEALED_WEEK, WEEK_CHANGE } from './answers';
import type { Sealer } from './sealer';
import { FAILED, whyUnsealed } from './why-unsealed';

const LIST = `
SELECT w.tenant_id AS "tenantId", w.week, w.events::float8 AS events, w.bytes::float8 AS bytes, w.sha256,
  w.sealed_at AS "sealedAt"
FROM audit_sealed_week w WHERE $1::int IS NULL OR w.tenant_id = $1::int
ORDER BY w.week DESC, w.tenant_id LIMIT $2::int`;
/** A problem that no attempt has met for a day is none any more: the week is gone, or nobody seals. */
const UNSEALED = `
SELECT a.tenant_id AS "tenantId", a.problem_week AS week, a.problem, a.problem_at AS at FROM audit_archive a
WHERE a.problem_at > now() - interval '1 day' AND ($1::int IS NULL OR a.tenant_id = $1::int)
ORDER BY a.problem_at DESC, a.tenant_id LIMIT $2::int`;
const MAY_BE_SEALED = `
UPDATE audit_archive SET restored = array_remove(restored, $2::int)
WHERE tenant_id = $1::int AND $2::int = ANY(restored)`;

interface Week {
  readonly tenantId: number;
  readonly week: number;
  readonly events: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly sealedAt: Date;
}
interface Unsealed {
  readonly tenantId: number;
  readonly week: number;
  readonly problem: string;
  readonly at: Date;
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

  async list(tenantId: string | null, first: number): Promise<Answer<typeof SEALED_WEEK>[]> {
    const asked = tenantId === null ? null : idOf(tenantId);
    const rows = await this.owner.models.$queryRawUnsafe<Week[]>(LIST, asked, first);
    return rows.map(({ sealedAt, ...row }) => ({
      ...row,
      tenantId: String(row.tenantId),
      week: beginningOf(row.week),
      sealedAt: new Date(sealedAt).toISOString(),
    }));
  }

  async unsealed(tenantId: string | null, first: number): Promise<Answer<typeof UNSEALED_WEEK>[]> {
    const asked = tenantId === null ? null : idOf(tenantId);
    const rows = await this.owner.models.$queryRawUnsafe<Unsealed[]>(UNSEALED, asked, first);
    return rows.map(({ tenantId: tenant, week, problem, at }) => ({
      tenantId: String(tenant),
      week: beginningOf(week),
      problem,
      at: new Date(at).toISOString(),
    }));
  }

  /** A change and its entry in the access log are one transaction; a call that changed nothing has an entry too. */
  async seal(tenantId: string, time: string, attempt: Attempt): Promise<Change> {
    const [tenant, week] = [idOf(tenantId), weekOf(time)];
    const asked = { tenantId, week: beginningOf(week), events: 0 };
    const permit = (tx: Tx) => tx.$executeRawUnsafe(MAY_BE_SEALED, tenant, week);
    const noted = (change: Change) => this.#noted(attempt, tenant, change, permit);
    const clock = await clockNotAhead(this.owner.models, this.nowMs);
    if (startOfWeek(week + 1) > clock() - LIMITS.archiveAfterDaysMin * DAY_MS)
      return noted({ ...asked, outcome: 'waits', because: 'the week has not been over for long enough' });
    const sealing = await this.sealer
      .seal(tenant, week, async (tx, events) => {
        await permit(tx);
        await insertEntries(tx, [entryFor(attempt, tenant, events)]);
      })
      .catch((error: unknown) => {
        const why = whyUnsealed(error);
        throw why === FAILED ? error : staysInRows(why, error);
      });
    switch (sealing?.outcome) {
      case 'sealed':
        return { ...asked, outcome: 'sealed', events: sealing.events, because: null };
      case 'empty':
        return noted({ ...asked, outcome: 'nothing', because: null });
      case 'waits':
        return noted({ ...asked, outcome: 'waits', because: sealing.because });
      default:
        return noted({
          ...asked,
          outcome: 'waits',
          because:
            'the tenant was announced as one with files a moment ago, or a week of it is being put into a file',
        });
    }
  }

  /** As for `seal`. */
  async restore(tenantId: string, time: string, attempt: Attempt): Promise<Change> {
    const [tenant, week] = [idOf(tenantId), weekOf(time)];
    const asked = { tenantId, week: beginningOf(week), events: 0, because: null };
    const lacks = this.sealer.lacks();
    if (lacks) return this.#noted(attempt, tenant, { ...asked, outcome: 'waits', because: lacks });
    const events = await this.archive.restore(this.owner, tenant, week, async (tx, restored) => {
      await leaveInRows(tx, tenant, week);
      await insertEntries(tx, [entryFor(attempt, tenant, restored)]);
    });
    return events === null
      ? this.#noted(attempt, tenant, { ...asked, outcome: 'nothing' })
      : { ...asked, outcome: 'restored', events };
  }

  /** Writes the entry of a call that moved no event. */
  async #noted(
    attempt: Attempt,
    tenant: number,
    change: Change,
    also: (tx: Tx) => Promise<unknown> = async () => {},
  ): Promise<Change> {
    await this.owner.models.$transaction(async (tx) => {
      await also(tx);
      await insertEntries(tx, [entryFor(attempt, tenant, 0)]);
    });
    return change;
  }
}

const staysInRows = (why: string, cause: unknown) =>
  new DomainError('service_unavailable', { public: `The week stays in rows: ${why}.`, cause });

type Tx = Prisma.TransactionClient;
const entryFor = (attempt: Attempt, tenant: number, rows: number) =>
  changeOf(attempt, { rows, tenantIds: tenant > 0 ? [tenant] : [] });
const idOf = (tenantId: string) => (/^[1-9]\d{0,8}$/.test(tenantId) ? Number(tenantId) : 0);
const weekOf = (time: string) => weekOfMs(msOfTime(time));
const beginningOf = (week: number) => new Date(startOfWeek(week)).toISOString();
