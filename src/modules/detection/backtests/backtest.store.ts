import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../../caller/access-log';
import { changeOfTenant } from '../../../caller/access-log.store';
import type { OwnerDoor, ServiceDoor } from '../../../database/clients';
import { isFree, type Leased, Leases, type ReadTime } from '../../../database/lease';
import { guarded } from '../../../database/limited';
import { ofTenants } from '../../../database/tenant-rows';
import { DomainError } from '../../../errors';
import { DAY_MS } from '../../../event/event-time';
import type { Answer } from '../../../event/shape';
import type { TenantSet } from '../../../tenant-set';
import { takeTurn } from '../base/tenant-turn';
import type { BACKTEST } from '../base/work-answers';
import type { TestedRule } from '../rules/rule.store';

export type BacktestAnswer = Answer<typeof BACKTEST>;

/** A backtest that this instance has taken. */
export interface TakenBacktest {
  readonly tenantId: number;
  readonly backtestId: string;
  readonly rule: TestedRule;
  readonly since: Date;
  readonly answer: BacktestAnswer;
  readonly tries: number;
  /** The id of the lease. */
  readonly holder: string;
}

/** The number of backtests that are kept for a tenant; older ones are deleted. */
const KEPT_MAX = 20;
const BACKTESTS: Leased = {
  table: 'backtest',
  key: { tenant_id: 'int', backtest_id: 'uuid' },
  holder: 'holder',
  until: 'held_until',
  /** After this time without a sign, the instance of a backtest counts as lost. */
  ms: 40_000,
};

/** The stored backtests. Requests begin a tenant's backtests and read them, and instances run them. */
export class BacktestStore {
  readonly #leases: Leases;

  constructor(
    private readonly service: ServiceDoor,
    private readonly owner: OwnerDoor,
    private readonly nowMs: () => number,
    time?: ReadTime,
  ) {
    this.#leases = new Leases(owner.models, BACKTESTS, time);
  }

  /** @throws DomainError `service_unavailable` while another backtest of the tenant runs */
  begin(tenantId: number, rule: TestedRule, days: number, attempt: Attempt): Promise<BacktestAnswer> {
    const now = new Date(this.nowMs());
    const answer: BacktestAnswer = {
      backtestId: randomUUID(),
      tenantId: String(tenantId),
      title: rule.title,
      state: 'running',
      eventsRead: 0,
      eventsLeft: 0,
      eventsUnread: 0,
      findingCount: 0,
      days: [],
      examples: [],
    };
    return changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      await takeTurn(tx, tenantId);
      const there = await tx.backtest.findMany({
        where: { tenantId },
        orderBy: { createdAt: 'desc' },
        select: { backtestId: true, state: true },
      });
      if (there.some(({ state }) => state === 'running'))
        throw new DomainError('service_unavailable', {
          public: 'Another backtest is running. Try again when it is done.',
          retryAfterSeconds: 10,
        });
      const old = there.slice(KEPT_MAX - 1).map(({ backtestId }) => backtestId);
      if (old.length > 0) await tx.backtest.deleteMany({ where: { tenantId, backtestId: { in: old } } });
      await tx.backtest.create({
        data: {
          tenantId,
          backtestId: answer.backtestId,
          rule: JSON.stringify(rule),
          state: 'running',
          since: new Date(now.getTime() - days * DAY_MS),
          answer: JSON.stringify(answer),
          tries: 0,
          createdAt: now,
        },
      });
      return { value: answer };
    });
  }

  /** @throws DomainError `not_found` */
  async find(tenants: TenantSet | null, backtestId: string): Promise<BacktestAnswer> {
    const row =
      tenants &&
      (await guarded(() =>
        ofTenants(this.service, tenants, (tx) =>
          tx.backtest.findFirst({ where: { backtestId, tenantId: { in: [...tenants] } } }),
        ),
      ));
    if (!row) throw new DomainError('not_found', { public: 'There is no such record.' });
    const answer = JSON.parse(row.answer) as BacktestAnswer;
    // A build before 0.1.0 stored answers without this number. This goes with 0.3.0.
    return { ...answer, eventsUnread: answer.eventsUnread ?? 0, state: row.state };
  }

  /**
   * @param of the condition on the tenant
   * @param except backtests that are left out
   * @returns backtests that no instance runs, oldest first
   */
  async waiting(
    of: string,
    most: number,
    except: readonly string[] = [],
  ): Promise<readonly { readonly tenantId: number; readonly id: string }[]> {
    return this.owner.models.$queryRawUnsafe(
      `SELECT tenant_id AS "tenantId", backtest_id::text AS id FROM backtest b
       WHERE state = 'running' AND ${isFree(BACKTESTS, 'b', '$1::timestamptz', '$2::timestamptz')} AND ${of}
         AND NOT backtest_id = ANY($3::uuid[])
       ORDER BY created_at LIMIT ${most}`,
      ...[...(await this.#leases.times()), except],
    );
  }

  /** @returns null if another instance took it first */
  async take(tenantId: number, backtestId: string): Promise<TakenBacktest | null> {
    const holder = randomUUID();
    const row = await this.#leases.take<{ rule: string; since: Date; answer: string; tries: number }>(
      [tenantId, backtestId],
      holder,
      {
        set: () => 'tries = tries + 1',
        where: "l.state = 'running'",
        returning: 'rule, since, answer, tries',
      },
    );
    if (!row) return null;
    // From here on this instance runs the backtest. After a crash the lease ends, and another one begins it anew.
    return {
      tenantId,
      backtestId,
      rule: JSON.parse(row.rule) as TestedRule,
      since: new Date(row.since),
      answer: JSON.parse(row.answer) as BacktestAnswer,
      tries: row.tries,
      holder,
    };
  }

  /** Stores the progress. @returns false if another instance has taken the backtest */
  async note({ tenantId, backtestId, holder }: TakenBacktest, answer: BacktestAnswer): Promise<boolean> {
    const noted = await this.#leases.renew([tenantId, backtestId], holder, {
      set: (add) => `state = ${add(answer.state)}, answer = ${add(JSON.stringify(answer))}`,
      where: "l.state = 'running'",
    });
    return noted !== null;
  }

  /** Makes it wait again, so that any instance with room can begin it anew. */
  async putBack({ tenantId, backtestId, holder }: TakenBacktest): Promise<void> {
    await this.#leases.release([tenantId, backtestId], holder, {
      set: () => 'tries = tries - 1',
      where: "l.state = 'running'",
    });
  }
}
