import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { ofTenants } from '../../database/tenant-rows';
import { DAY_MS } from '../../event/event-time';
import { LIMITS } from '../../limits';
import { fromStored, toStored } from '../../store/rows/stored-text';
import { oneTenant } from '../../tenant-set';
import type { LogCheck } from './log-check';

/** A comparison of a tenant's whole evidence log with the stored events. */
export interface Verification {
  readonly begunAt: Date;
  readonly endedAt: Date;
  /** The number of entries that it compared. */
  readonly entries: number;
  /** The number of events that were altered or missing. */
  readonly wrong: number;
  /** The first problem that it found; null: none. */
  readonly problem: string | null;
}

/**
 * Notes the stretches that operators compare. A walk from the first entry of a log to the last, without a hole, is a
 * verification.
 */
export class Verifications {
  constructor(
    private readonly service: ServiceDoor,
    /** Removes notes. Requests of callers may not. */
    private readonly owner: OwnerDoor,
    private readonly nowMs: () => number,
  ) {}

  async note(tenantId: number, check: LogCheck): Promise<void> {
    const { from, next, signed, wrong, problems } = check;
    const now = new Date(this.nowMs());
    const found = { wrong, problem: problems[0] === undefined ? null : toStored(problems[0]) };
    const reached = { next: BigInt(next), endedAt: next === signed ? now : null };
    if (from === 0) await guarded(() => this.#forget(tenantId, now));
    await guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), async ({ auditLogVerification: table }) => {
        if (from === 0) {
          const row = { ...reached, ...found };
          await table.upsert({
            where: { tenantId_begunAt: { tenantId, begunAt: now } },
            create: { tenantId, begunAt: now, ...row },
            update: row,
          });
          return;
        }
        const walk = await table.findFirst({
          where: { tenantId, endedAt: null, next: BigInt(from) },
          orderBy: { begunAt: 'desc' },
        });
        if (!walk) return;
        const { begunAt } = walk;
        await table.update({
          where: { tenantId_begunAt: { tenantId, begunAt } },
          data: { ...reached, wrong: walk.wrong + found.wrong, problem: walk.problem ?? found.problem },
        });
      }),
    );
  }

  /** The verifications that ended in a period, the newest first. */
  async ended(tenantId: number, from: Date, to: Date): Promise<readonly Verification[]> {
    // Nobody verified before 1970, and the database takes no time of the year 0.
    const [gt, lte] = [from, to].map((at) => new Date(Math.max(0, at.getTime()))) as [Date, Date];
    const rows = await guarded(() =>
      ofTenants(this.service, oneTenant(tenantId), (tx) =>
        tx.auditLogVerification.findMany({
          where: { tenantId, endedAt: { gt, lte } },
          orderBy: { endedAt: 'desc' },
          take: LIMITS.verificationsKept,
        }),
      ),
    );
    return rows.flatMap(({ begunAt, endedAt, next, wrong, problem }) =>
      endedAt
        ? [
            {
              begunAt,
              endedAt,
              entries: Number(next),
              wrong,
              problem: problem === null ? null : fromStored(problem),
            },
          ]
        : [],
    );
  }

  /** Removes walks that nobody went on with for a day, and the oldest beyond the number that is kept. */
  async #forget(tenantId: number, now: Date): Promise<void> {
    const { auditLogVerification: table } = this.owner.models;
    const left = new Date(now.getTime() - DAY_MS);
    await table.deleteMany({ where: { tenantId, endedAt: null, begunAt: { lt: left } } });
    const [oldest] = await table.findMany({
      where: { tenantId },
      orderBy: { begunAt: 'desc' },
      skip: LIMITS.verificationsKept - 1,
      take: 1,
    });
    if (oldest) await table.deleteMany({ where: { tenantId, begunAt: { lte: oldest.begunAt } } });
  }
}
