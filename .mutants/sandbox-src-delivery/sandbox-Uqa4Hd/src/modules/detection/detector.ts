import { randomUUID } from 'node:crypto';
import type { OwnerDb, Prisma } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import type { Finding } from '../../detection/finding';
import type { EngineHost, Evaluated, RuleSource, StoredState } from '../../detection/host';
import { EngineFailure } from '../../detection/thread-host';
import { LIMITS } from '../../limits';
import type { ArrivalReader } from '../../trail/arrivals/arrival-reader';
import { FIRST_MARK, isMark, type Newcomers, newcomersOf, putMarks } from './newcomers';
import type { WrittenAlert } from './put-alerts';
import type { RuleAbouts } from './rule-abouts';
import type { ShippedRule } from './shipped-rules';
import { lastOfEach, putState, stateOf } from './stored-state';
import { DetectionTally } from './tally';
import { enabledRules } from './tenant-rules';
import { writeFindings } from './write-findings';

const TENANTS_PER_ROUND = 250;
const STEP_MS_MAX = 60_000;
/** A turn is held as long as a step may take. */
const TURN_SECONDS = 30;
/** The most engines that stay open between steps, and the most entries in all of them. Others are loaded again. */
const ENGINES_MAX = 100;
const ENGINES_SIZE_MAX = 200_000;

interface Place {
  readonly position: number;
  readonly learned: number;
  readonly learnUntil: number;
  readonly revision: number;
}

interface OpenEngine {
  readonly place: Place;
  readonly size: number;
  /** Newcomers run on an engine of their own. */
  readonly newcomers: (Newcomers & { readonly actions: readonly string[] | null }) | null;
}

/**
 * Evaluates the arrivals in each tenant's log with the tenant's rules. A step writes its findings, the state of its
 * windows and its position in one transaction, which fails if another instance was faster. So nothing is found twice
 * and nothing is skipped. Instances take turns, so such a failure is rare.
 */
export class Detector {
  readonly #me = randomUUID();
  readonly #rounds: TenantRounds;
  /** The position and state of each tenant's engine, least recently used first. */
  readonly #open = new Map<number, OpenEngine>();
  /** Until when a tenant whose engine failed is left alone, so that the others need not wait for it. */
  readonly #resting = new Map<number, number>();

  constructor(
    private readonly parts: {
      readonly owner: OwnerDb;
      readonly reader: ArrivalReader;
      readonly host: EngineHost;
      readonly shipped: ReadonlyMap<string, ShippedRule>;
      readonly abouts: RuleAbouts;
      readonly nowMs: () => number;
      readonly tally: DetectionTally;
      /** Called in the transaction that writes alerts. */
      readonly onAlerts?: (
        tx: Prisma.TransactionClient,
        tenantId: number,
        alerts: readonly WrittenAlert[],
      ) => Promise<void>;
    },
  ) {
    this.#rounds = new TenantRounds(parts.owner, (error) => error instanceof EngineFailure);
  }

  /** @returns the number of tenants that have work left after one step */
  async run(): Promise<number> {
    const tenants = await this.#rounds.ask((of) =>
      this.parts.owner.$queryRawUnsafe<{ tenant_id: number }[]>(
        `SELECT h.tenant_id FROM audit_log_head h LEFT JOIN detection_position p ON p.tenant_id = h.tenant_id
         WHERE ${of('h.tenant_id')} AND (p.tenant_id IS NULL OR p.position < h.size OR p.learned < p.learn_until
           OR p.due_at <= $1::timestamptz) ORDER BY p.held_until NULLS FIRST LIMIT ${TENANTS_PER_ROUND}`,
        new Date(this.parts.nowMs()),
      ),
    );
    let [more, failure] = [0, null as EngineFailure | null];
    for (const { tenant_id } of tenants) {
      if ((this.#resting.get(tenant_id) ?? 0) > this.parts.nowMs()) continue;
      try {
        more += (await this.#rounds.attempt(tenant_id, () => this.#step(tenant_id))) ?? 0;
        this.#resting.delete(tenant_id);
      } catch (error) {
        if (!(error instanceof EngineFailure)) throw error;
        this.#resting.set(tenant_id, this.parts.nowMs() + LIMITS.detectionRestMs);
        failure = error;
      }
    }
    this.#rounds.end();
    if (failure) throw failure;
    return more;
  }

  /** @returns 1 if work is left, else 0 */
  async #step(tenantId: number): Promise<number> {
    const place = await this.#takeTurn(tenantId);
    if (!place) return 0;
    try {
      await this.#load(tenantId, place);
      const learned = await this.#learn(tenantId, place);
      const isReady = learned.to >= place.learnUntil;
      const read = await this.parts.reader.readRows(tenantId, place.position, LIMITS.detectionStep);
      const { host, nowMs } = this.parts;
      const clock = {
        ...{ nowMs: nowMs(), isReady, workMs: LIMITS.detectionWorkMs },
        isBehind: read.next < read.size,
      };
      const began = performance.now();
      const done = await host.evaluate(tenantId, read.items, clock);
      this.parts.tally.seconds += (performance.now() - began) / 1_000;
      const next = read.items[done.seen]?.position ?? read.next;
      const reached = { ...place, position: next, learned: learned.to };
      const isWritten = await this.#write(tenantId, {
        place,
        reached,
        done,
        learnt: learned.changes,
        nowMs: clock.nowMs,
      });
      if (isWritten) {
        await this.#keep(tenantId, reached, done.size);
        this.parts.tally.events += Math.min(done.seen, read.items.length);
      } else await this.#forget(tenantId);
      const isMore = isWritten && isReady && (await this.#advance(tenantId, reached));
      return next < read.size || !isReady || isMore ? 1 : 0;
    } catch (error) {
      this.parts.tally.stepFailures += 1;
      // The engine may have evaluated events whose findings were not written, and its thread may have ended with all
      // engines.
      await this.#forget(tenantId);
      if (error instanceof EngineFailure) this.#open.clear();
      throw error;
    }
  }

  /** By the database's clock, asked first: a distributed one takes no reckoning with times below. Null: it is another instance's. */
  async #takeTurn(tenantId: number): Promise<Place | null> {
    const [clock] = await this.parts.owner.$queryRawUnsafe<{ now: Date }[]>(
      'SELECT statement_timestamp() AS now',
    );
    const now = clock?.now ?? new Date(0);
    const [row] = await this.parts.owner.$queryRawUnsafe<
      { position: bigint; learned: bigint; learn_until: bigint; revision: number }[]
    >(
      `INSERT INTO detection_position AS p (tenant_id, position, learned, learn_until, holder, held_until)
       VALUES ($1::int, 0, 0, 0, $2::uuid, $4::timestamptz)
       ON CONFLICT (tenant_id) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
         WHERE p.holder IS NULL OR p.holder = excluded.holder OR p.held_until < $3::timestamptz
       RETURNING position, learned, learn_until, revision`,
      ...[tenantId, this.#me, now, new Date(now.getTime() + TURN_SECONDS * 1_000)],
    );
    return row
      ? {
          position: Number(row.position),
          learned: Number(row.learned),
          learnUntil: Number(row.learn_until),
          revision: row.revision,
        }
      : null;
  }

  async #load(tenantId: number, place: Place): Promise<void> {
    const open = this.#open.get(tenantId)?.place;
    const isCurrent =
      open?.position === place.position && open.learned === place.learned && open.revision === place.revision;
    if (isCurrent) return;
    const { owner, host, shipped, abouts } = this.parts;
    const rules = await owner.$transaction((tx) => enabledRules(tx, tenantId, shipped, abouts));
    const rows = await stateOf(owner, abouts, tenantId, rules);
    await this.#countRefused(tenantId, place.revision, rules);
    const current = new Set(rules.map(({ ruleId, version }) => `${ruleId}/${version}`));
    const isOf = (names: ReadonlySet<string>, { node }: { readonly node: string }) =>
      names.has(node.slice(0, node.lastIndexOf('/')));
    const of = { tenantId, position: place.position, rules, rows };
    const { joined, newcomers } = await newcomersOf(owner, abouts, of);
    const windowsOf = (some: readonly RuleSource[]) => {
      const names = new Set(some.map(({ ruleId, version }) => `${ruleId}/${version}`));
      return rows.filter((row) => !isMark(row) && isOf(names, row));
    };
    await host.open(tenantId, joined, windowsOf(joined));
    const opened =
      newcomers && (await host.open(tenantId, newcomers.rules, windowsOf(newcomers.rules), 'newcomers'));
    const gone = [
      ...new Set(
        rows.filter((row) => !isOf(current, row) && row.node !== FIRST_MARK).map(({ node }) => node),
      ),
    ];
    if (gone.length > 0)
      await owner.$executeRawUnsafe(
        'DELETE FROM detection_state WHERE tenant_id = $1::int AND node = ANY($2::text[])',
        tenantId,
        gone,
      );
    this.#open.set(tenantId, {
      ...{ place, size: rows.length },
      newcomers: newcomers && opened && { ...newcomers, actions: opened.actions },
    });
    await this.#keep(tenantId, place, rows.length);
  }

  /**
   * Runs one step of the newcomers. They learn from the events that were in the log when they were enabled, evaluate
   * the later ones, and join the other rules at the same position.
   * @returns whether they have still to join
   */
  async #advance(tenantId: number, reached: Place): Promise<boolean> {
    const newcomers = this.#open.get(tenantId)?.newcomers;
    if (!newcomers) return false;
    const { host, nowMs, owner, onAlerts } = this.parts;
    const { at, until, actions } = newcomers;
    const end = at < until ? until : reached.position;
    const limits = { ...LIMITS.detectionStep, end, actions: actions ?? undefined };
    const read = await this.parts.reader.readRows(tenantId, at, limits);
    const now = nowMs();
    const clock = { nowMs: now, isReady: true, workMs: LIMITS.detectionWorkMs, isBehind: true };
    const done =
      at < until
        ? { findings: [], ...(await host.learn(tenantId, read.items, clock.workMs, 'newcomers')) }
        : await host.evaluate(tenantId, read.items, clock, 'newcomers');
    const to = Math.min(end, read.items[done.seen]?.position ?? Math.max(read.next, at));
    const joins = to >= until && to >= reached.position;
    const written = await owner.$transaction(
      async (tx) => {
        // Every instance must notice that they have joined, so the tenant stays due until then.
        const isThere = await tx.$executeRawUnsafe(
          `UPDATE detection_position SET due_at = $2::timestamptz, revision = revision + $3::int
           WHERE tenant_id = $1::int AND position = $4::bigint AND revision = $5::int`,
          ...[tenantId, new Date(now), joins ? 1 : 0, reached.position, reached.revision],
        );
        if (isThere === 0 || !(await putMarks(tx, tenantId, newcomers, joins ? 'joined' : to))) return null;
        await putState(tx, tenantId, lastOfEach(done.changes));
        const alerts = await writeFindings(tx, tenantId, done.findings, now);
        await onAlerts?.(tx, tenantId, alerts);
        return alerts;
      },
      { timeout: STEP_MS_MAX, maxWait: STEP_MS_MAX },
    );
    const open = this.#open.get(tenantId);
    if (written === null || joins || !open) await this.#forget(tenantId);
    else this.#open.set(tenantId, { ...open, newcomers: { ...newcomers, at: to } });
    this.#tell(done.findings, written ?? []);
    return true;
  }

  /** Closes the least recently used engines if all engines together hold too much. */
  async #keep(tenantId: number, place: Place, size: number): Promise<void> {
    const newcomers = this.#open.get(tenantId)?.newcomers ?? null;
    this.#open.delete(tenantId);
    this.#open.set(tenantId, { place, size, newcomers });
    let held = [...this.#open.values()].reduce((sum, open) => sum + open.size, 0);
    for (const [other, open] of [...this.#open]) {
      if (other === tenantId || (held <= ENGINES_SIZE_MAX && this.#open.size <= ENGINES_MAX)) break;
      held -= open.size;
      await this.#forget(other);
    }
  }

  async #learn(tenantId: number, place: Place): Promise<{ to: number; changes: readonly StoredState[] }> {
    if (place.learned >= place.learnUntil) return { to: place.learned, changes: [] };
    const read = await this.parts.reader.readRows(tenantId, place.learned, LIMITS.detectionStep);
    const items = read.items.filter(({ position }) => position < place.learnUntil);
    const { seen, changes } = await this.parts.host.learn(tenantId, items, LIMITS.detectionWorkMs);
    const left = items[seen]?.position;
    if (left !== undefined) return { to: left, changes };
    return { to: read.next >= read.size ? place.learnUntil : Math.min(read.next, place.learnUntil), changes };
  }

  /** Counts a tenant's own and tuned rules that this release cannot read. Shipped rules are checked at the start. */
  async #countRefused(tenantId: number, revision: number, rules: readonly RuleSource[]): Promise<void> {
    const { shipped, tally, abouts } = this.parts;
    if (tally.refusedRules.get(tenantId)?.revision === revision) return;
    const given = rules.filter(({ ruleId, tuning }) => tuning !== null || !shipped.has(ruleId));
    let count = 0;
    for (const { ruleId, source, tuning } of given) {
      const about = await abouts.of({ ruleId, source, tuning: tuning && JSON.stringify(tuning) }, []);
      count += Number(about === null);
    }
    tally.refusedRules.set(tenantId, { revision, count });
  }

  async #forget(tenantId: number): Promise<void> {
    this.#open.delete(tenantId);
    await this.parts.host.forget(tenantId);
  }

  /** @returns false if another instance wrote first */
  async #write(
    tenantId: number,
    step: {
      readonly place: Place;
      readonly reached: Place;
      readonly done: Evaluated;
      readonly learnt: readonly StoredState[];
      readonly nowMs: number;
    },
  ): Promise<boolean> {
    const { place, reached, done, learnt, nowMs } = step;
    const written = await this.parts.owner.$transaction(
      async (tx) => {
        const moved = await tx.$executeRawUnsafe(
          `UPDATE detection_position SET position = $2::bigint, learned = $3::bigint, due_at = $4::timestamptz
           WHERE tenant_id = $1::int AND position = $5::bigint AND learned = $6::bigint AND revision = $7::int`,
          ...[tenantId, reached.position, reached.learned, done.dueMs === null ? null : new Date(done.dueMs)],
          ...[place.position, place.learned, place.revision],
        );
        if (moved === 0) return null;
        await putState(tx, tenantId, lastOfEach([...learnt, ...done.changes]));
        const alerts = await writeFindings(tx, tenantId, done.findings, nowMs);
        await this.parts.onAlerts?.(tx, tenantId, alerts);
        return alerts;
      },
      { timeout: STEP_MS_MAX, maxWait: STEP_MS_MAX },
    );
    if (written === null) return false;
    this.#tell(done.findings, written);
    return true;
  }

  #tell(findings: readonly Finding[], written: readonly WrittenAlert[]): void {
    const { tally } = this.parts;
    for (const { severity } of findings) DetectionTally.add(tally.findings, severity);
    for (const { severity, isNew } of written) if (isNew) DetectionTally.add(tally.alerts, severity);
  }
}
