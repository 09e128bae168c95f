import { randomUUID } from 'node:crypto';
import { type Attempt, changeOf } from '../../caller/access-log';
import { insertEntries } from '../../caller/access-log.store';
import type { OwnerDb, ServiceDb } from '../../database/clients';
import { guarded } from '../../database/failure';
import { ofTenants } from '../../database/tenant-rows';
import type { RuleSource } from '../../detection/host';
import { DomainError } from '../../errors';
import { DAY_MS } from '../../event/event-time';
import type { Answer } from '../../event/shape';
import type { TenantSet } from '../../tenant-set';
import { takeTurn } from './tenant-turn';
import type { BACKTEST } from './work-answers';

export type BacktestAnswer = Answer<typeof BACKTEST>;

/** A rule to test. It need not be one of the tenant's. A file may have several rules. */
export interface TestedRule extends RuleSource {
  readonly title: string;
  /** The other rules of the same file. */
  readonly others?: readonly RuleSource[];
}

/** A backtest that this instance has taken. */
export interface TakenBacktest {
  readonly tenantId: number;
  readonly backtestId: string;
  readonly rule: TestedRule;
  readonly since: Date;
  readonly answer: BacktestAnswer;
  readonly tries: number;
}

/** The number of backtests that are kept for a tenant; older ones are deleted. */
const KEPT_MAX = 20;
/** After this time without a sign, the instance of a backtest counts as lost. */
const LEASE_MS = 40_000;
/** A lease that ends later than this is of a clock that was ahead: those of two instances differ by less. */
export const LEASE_MS_MAX = 600_000;

/** The stored backtests. Requests begin a tenant's backtests and read them, and instances run them. */
export class BacktestStore {
  readonly #me = randomUUID();

  constructor(
    private readonly prisma: ServiceDb,
    private readonly owner: OwnerDb,
    private readonly nowMs: () => number,
  ) {}

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
      findingCount: 0,
      days: [],
      examples: [],
    };
    return guarded(() =>
      ofTenants(this.prisma, [tenantId], async (tx) => {
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
        await insertEntries(tx, [changeOf(attempt, { tenantIds: [tenantId] })]);
        return answer;
      }),
    );
  }

  /** @throws DomainError `not_found` */
  async find(tenants: TenantSet | null, backtestId: string): Promise<BacktestAnswer> {
    const row =
      tenants &&
      (await guarded(() =>
        ofTenants(this.prisma, tenants, (tx) =>
          tx.backtest.findFirst({ where: { backtestId, tenantId: { in: [...tenants] } } }),
        ),
      ));
    if (!row) throw new DomainError('not_found', { public: 'There is no such record.' });
    return { ...(JSON.parse(row.answer) as BacktestAnswer), state: row.state };
  }

  /** @returns null if another instance took it first */
  async take(tenantId: number, backtestId: string): Promise<TakenBacktest | null> {
    const now = this.nowMs();
    const [row] = await this.owner.$queryRawUnsafe<
      { rule: string; since: Date; answer: string; tries: number }[]
    >(
      `UPDATE backtest SET holder = $3::uuid, held_until = $5::timestamptz, tries = tries + 1
       WHERE tenant_id = $1::int AND backtest_id = $2::uuid AND state = 'running'
         AND (held_until IS NULL OR held_until < $4::timestamptz OR held_until > $6::timestamptz)
       RETURNING rule, since, answer, tries`,
      ...[
        tenantId,
        backtestId,
        this.#me,
        new Date(now),
        new Date(now + LEASE_MS),
        new Date(now + LEASE_MS_MAX),
      ],
    );
    if (!row) return null;
    return {
      tenantId,
      backtestId,
      rule: JSON.parse(row.rule) as TestedRule,
      since: new Date(row.since),
      answer: JSON.parse(row.answer) as BacktestAnswer,
      tries: row.tries,
    };
  }

  /** Stores the progress. @returns false if another instance has taken the backtest */
  async note({ tenantId, backtestId }: TakenBacktest, answer: BacktestAnswer): Promise<boolean> {
    const { count } = await this.owner.backtest.updateMany({
      where: { tenantId, backtestId, holder: this.#me, state: 'running' },
      data: {
        state: answer.state,
        answer: JSON.stringify(answer),
        heldUntil: new Date(this.nowMs() + LEASE_MS),
      },
    });
    return count > 0;
  }

  /** Makes it wait again, so that any instance with room can begin it anew. */
  async putBack({ tenantId, backtestId }: TakenBacktest): Promise<void> {
    await this.owner.backtest.updateMany({
      where: { tenantId, backtestId, holder: this.#me, state: 'running' },
      data: { holder: null, heldUntil: null, tries: { decrement: 1 } },
    });
  }
}
