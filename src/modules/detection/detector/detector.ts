import { randomUUID } from 'node:crypto';
import { ThreadFailure } from '../../../asked-thread';
import type { OwnerDoor, Prisma } from '../../../database/clients';
import { TenantRounds } from '../../../database/distribute/tenant-rounds';
import { LIMITS } from '../../../limits';
import { Rests } from '../../../rests';
import type { Arrived } from '../../../rules/arrived';
import { NEWEST_NODE } from '../../../rules/engine';
import type { Finding } from '../../../rules/finding';
import type { EngineHost, EnginePart, Evaluated, RuleSource, StoredState } from '../../../rules/host';
import type { ArrivalReader } from '../../../store/log/arrivals/arrival-reader';
import { growIncidents } from '../alerts/grow-incidents';
import type { WrittenAlert } from '../alerts/put-alerts';
import { DetectionTally } from '../base/tally';
import type { RuleAbouts } from '../rules/rule-abouts';
import type { ShippedRule } from '../rules/shipped-rules';
import { enabledRules } from '../rules/tenant-rules';
import type { Lane, Lanes } from './lanes';
import { FIRST_MARK, isMark, type Newcomers, newcomersOf, putMarks } from './newcomers';
import { nextRevision, type Progress, putProgress } from './progress';
import { countRefused } from './refused-rules';
import { StepReader } from './step-reader';
import { engineStateOf, lastOfEach, putState } from './stored-state';
import { type Ask, type Done, type Rows, Suspects } from './suspects';
import type { TrustedProgress } from './trusted-progress';
import { WaitClock } from './wait-clock';
import { writeFindings } from './write-findings';

const TENANTS_PER_ROUND = 250;
const STEP_MS_MAX = 60_000;
/** SQL: a wait of the tenant's rules is over by the clock, or is looked at because the clock was set. */
const IS_DUE = '(p.due_at <= $1::timestamptz OR $2::boolean AND p.due_at IS NOT NULL)';
/** The most engines that stay open between steps, and the most entries in all of them. Others are loaded again. */
const ENGINES_MAX = 100;
const ENGINES_SIZE_MAX = 200_000;

interface OpenEngine {
  readonly progress: Progress;
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
  readonly #me: string;
  readonly #rounds: TenantRounds;
  readonly #rows: StepReader;
  /** The position and state of each tenant's engine, least recently used first. */
  readonly #open = new Map<number, OpenEngine>();
  /** Tenants whose engine failed. */
  readonly #rests: Rests<number>;
  readonly #suspects = new Suspects();
  readonly #waits: WaitClock;
  /** The setting of the clock after which all waits were looked at. */
  #settled = 0;

  constructor(
    private readonly parts: {
      readonly owner: OwnerDoor;
      readonly reader: ArrivalReader;
      readonly host: EngineHost;
      readonly shipped: ReadonlyMap<string, ShippedRule>;
      readonly abouts: RuleAbouts;
      readonly nowMs: () => number;
      /** Not given: the time of the database. */
      readonly waits?: WaitClock;
      readonly tally: DetectionTally;
      readonly progress: TrustedProgress;
      /** Whether this instance leaves the rules to others. */
      readonly isIdle?: () => boolean;
      /** Tells of events at which rules failed, before the step that looked at them is stored. */
      readonly onUnread?: (tenantId: number, unread: Evaluated['unread']) => Promise<unknown>;
      /** Tells of rules of a tenant that this release cannot read, before the others look at events. */
      readonly onRefused?: (tenantId: number, rules: readonly string[]) => Promise<unknown>;
      /** Called in the transaction that writes alerts. */
      readonly onAlerts?: (
        tx: Prisma.TransactionClient,
        tenantId: number,
        alerts: readonly WrittenAlert[],
      ) => Promise<void>;
      /** Shared by the detectors of an instance: each works on the tenants of one lane. Not given: on all tenants. */
      readonly lanes?: { readonly shared: Lanes; readonly own: Lane; readonly holder: string };
    },
  ) {
    this.#me = parts.lanes?.holder ?? randomUUID();
    this.#rounds = new TenantRounds(parts.owner, (error) => error instanceof ThreadFailure);
    this.#rows = new StepReader(parts.reader);
    this.#rests = new Rests(parts.nowMs);
    this.#waits = parts.waits ?? new WaitClock(parts.owner.models);
  }

  /** @returns the number of tenants that have work left after one step */
  async run(): Promise<number> {
    if (this.parts.isIdle?.()) return 0;
    const { nowMs } = await this.#waits.look();
    const { steps } = this.#waits;
    const { lanes } = this.parts;
    for (const tenantId of this.#open.keys()) if (!this.#isOwn(tenantId)) await this.#forget(tenantId);
    const tenants = await this.#rounds.ask(
      (of) =>
        this.parts.owner.models.$queryRawUnsafe<{ tenant_id: number; due_at: Date | null }[]>(
          `SELECT h.tenant_id, p.due_at FROM audit_log_head h LEFT JOIN detection_position p ON p.tenant_id = h.tenant_id
         WHERE ${of('h.tenant_id')} AND (p.tenant_id IS NULL OR p.position <> h.size OR p.learned < p.learn_until
           OR ${IS_DUE}) AND ${lanes?.own === 'slow' ? '' : 'NOT '}h.tenant_id = ANY($3::int[])
           AND NOT h.tenant_id = ANY($4::int[]) ORDER BY p.held_until NULLS FIRST LIMIT ${TENANTS_PER_ROUND}`,
          ...[new Date(nowMs), steps !== this.#settled, lanes?.shared.slow ?? [], this.#rests.resting],
        ),
      'in use',
    );
    if (tenants.length < TENANTS_PER_ROUND) this.#settled = steps;
    this.#rows.keepOnly(new Set(tenants.map(({ tenant_id }) => tenant_id)));
    let [more, failure] = [0, null as ThreadFailure | null];
    for (const { tenant_id, due_at } of tenants) {
      if (!this.#isOwn(tenant_id)) continue;
      try {
        more += (await this.#rounds.attempt(tenant_id, () => this.#step(tenant_id, due_at))) ?? 0;
        this.#rests.end(tenant_id);
      } catch (error) {
        if (!(error instanceof ThreadFailure)) throw error;
        failure = error;
        lanes?.shared.note(tenant_id, Number.POSITIVE_INFINITY);
        // It rests only if it fails in the slow lane too.
        if (lanes?.own === 'quick') await this.#forget(tenant_id);
        else this.#rests.failed(tenant_id, () => LIMITS.detectionRestMs);
      }
    }
    this.#rounds.end();
    if (failure) throw failure;
    return more;
  }

  #isOwn(tenantId: number): boolean {
    const { lanes } = this.parts;
    return !lanes || lanes.shared.of(tenantId) === lanes.own;
  }

  /** @param dueAt when the first wait is over by the clock @returns 1 if work is left, else 0 */
  async #step(tenantId: number, dueAt: Date | null): Promise<number> {
    const progress = await this.parts.progress.take(tenantId, this.#me);
    if (!progress) {
      this.#rows.drop(tenantId);
      return 0;
    }
    try {
      await this.#load(tenantId, progress);
      const learned = await this.#learn(tenantId, progress);
      const isReady = learned.to >= progress.learnUntil;
      // In this order: what arrives before the time that ends a wait is read.
      const time = await this.#waits.look();
      const isAwaited = dueAt !== null && (await this.#isAwaited(tenantId, dueAt));
      const read = await this.#rows.read(tenantId, 'joined', progress.position, LIMITS.detectionStep);
      const { host, nowMs } = this.parts;
      const clock = { ...time, isReady, workMs: LIMITS.detectionWorkMs };
      const isBehind = read.next < read.size || isAwaited;
      const began = performance.now();
      const done = await this.#work(tenantId, 'joined', read.items, (some, isPart) =>
        host.evaluate(tenantId, some, { ...clock, isBehind: isBehind || isPart }),
      );
      this.parts.tally.seconds += (performance.now() - began) / 1_000;
      if (done.unread.length > 0) await this.parts.onUnread?.(tenantId, done.unread);
      const next = this.#rows.seen(tenantId, 'joined', read, done.seen);
      const to = { ...progress, position: next, learned: learned.to };
      const reached = await this.#write(tenantId, {
        progress,
        to,
        seen: read.items.slice(0, done.seen),
        done,
        learnt: learned.changes,
        nowMs: nowMs(),
      });
      if (reached) {
        await this.#keep(tenantId, reached, done.size);
        this.parts.tally.events += Math.min(done.seen, read.items.length);
      } else await this.#forget(tenantId);
      const isMore = reached !== null && isReady && (await this.#advance(tenantId, reached));
      return next < read.size || !isReady || isMore ? 1 : 0;
    } catch (error) {
      this.parts.tally.stepFailures += 1;
      // The engine may have evaluated events whose findings were not written, and its thread may have ended with all
      // engines.
      await this.#forget(tenantId);
      if (error instanceof ThreadFailure) this.#open.clear();
      throw error;
    }
  }

  /** Whether events that arrived in time wait for the evidence log. */
  async #isAwaited(tenantId: number, dueAt: Date): Promise<boolean> {
    const [row] = await this.parts.owner.models.$queryRawUnsafe<{ is_awaited: boolean }[]>(
      `SELECT EXISTS (SELECT 1 FROM audit_log_queue q WHERE q.tenant_id = $1::int AND q.received_at <= $2::timestamptz
         AND NOT q.refused) AS is_awaited`,
      ...[tenantId, dueAt],
    );
    return row?.is_awaited ?? false;
  }

  async #load(tenantId: number, progress: Progress): Promise<void> {
    const open = this.#open.get(tenantId)?.progress;
    const isCurrent =
      open?.position === progress.position &&
      open.learned === progress.learned &&
      open.revision === progress.revision;
    if (isCurrent) return;
    this.#rows.drop(tenantId);
    const { owner, host, shipped, abouts } = this.parts;
    const rules = await owner.models.$transaction((tx) => enabledRules(tx, tenantId, shipped, abouts));
    const rows = await engineStateOf(owner, abouts, tenantId, rules);
    await countRefused(this.parts, tenantId, progress.revision, rules);
    const current = new Set(rules.map(({ ruleId, version }) => `${ruleId}/${version}`));
    const isOf = (names: ReadonlySet<string>, { node }: { readonly node: string }) =>
      names.has(node.slice(0, node.lastIndexOf('/')));
    const of = { tenantId, position: progress.position, rules, rows };
    const { joined, newcomers } = await newcomersOf(owner, abouts, of);
    const windowsOf = (some: readonly RuleSource[]) => {
      const names = new Set(some.map(({ ruleId, version }) => `${ruleId}/${version}`));
      return rows.filter((row) => !isMark(row) && isOf(names, row));
    };
    const newest = rows.filter(({ node }) => node === NEWEST_NODE);
    await host.ready();
    await this.#timed(tenantId, () => host.open(tenantId, joined, [...newest, ...windowsOf(joined)]));
    const opened =
      newcomers &&
      (await this.#timed(tenantId, () =>
        host.open(tenantId, newcomers.rules, windowsOf(newcomers.rules), 'newcomers'),
      ));
    const gone = [
      ...new Set(
        rows
          .filter((row) => !isOf(current, row) && row.node !== FIRST_MARK && row.node !== NEWEST_NODE)
          .map(({ node }) => node),
      ),
    ];
    if (gone.length > 0)
      await owner.models.$executeRawUnsafe(
        'DELETE FROM detection_state WHERE tenant_id = $1::int AND node = ANY($2::text[])',
        tenantId,
        gone,
      );
    this.#open.set(tenantId, {
      progress,
      size: rows.length,
      newcomers: newcomers && opened && { ...newcomers, actions: opened.actions },
    });
    await this.#keep(tenantId, progress, rows.length);
  }

  /**
   * Runs one step of the newcomers. They learn from the events that were in the log when they were enabled, evaluate
   * the later ones, and join the other rules at the same position.
   * @returns whether they have still to join
   */
  async #advance(tenantId: number, reached: Progress): Promise<boolean> {
    const newcomers = this.#open.get(tenantId)?.newcomers;
    if (!newcomers) return false;
    const { host, nowMs, owner, onAlerts } = this.parts;
    const { seal } = this.parts.progress;
    const { at, until, actions } = newcomers;
    const end = at < until ? until : reached.position;
    const limits = { ...LIMITS.detectionStep, end, actions: actions ?? undefined };
    const read = await this.#rows.read(tenantId, 'newcomers', at, limits);
    const now = nowMs();
    const time = await this.#waits.look();
    const clock = { ...time, isReady: true, workMs: LIMITS.detectionWorkMs, isBehind: true };
    const done = await this.#work(tenantId, 'newcomers', read.items, async (some) =>
      at < until
        ? { findings: [], unread: [], ...(await host.learn(tenantId, some, clock.workMs, 'newcomers')) }
        : host.evaluate(tenantId, some, clock, 'newcomers'),
    );
    if (done.unread.length > 0) await this.parts.onUnread?.(tenantId, done.unread);
    const to = Math.min(end, Math.max(at, this.#rows.seen(tenantId, 'newcomers', read, done.seen)));
    const joins = to >= until && to >= reached.position;
    const written = await owner.models.$transaction(
      async (tx) => {
        // The tenant stays due until they have joined.
        const isThere = await putProgress(
          tx,
          tenantId,
          { from: reached, to: reached, dueMs: time.nowMs },
          seal,
        );
        if (!isThere || !(await putMarks(tx, tenantId, newcomers, joins ? 'joined' : to))) return null;
        // The newest time of the log is that of the joined rules, which are ahead.
        const changes = done.changes.filter(({ node }) => node !== NEWEST_NODE);
        await putState(tx, tenantId, lastOfEach(changes));
        const { alerts, findings } = await writeFindings(tx, tenantId, done.findings, now, owner);
        await onAlerts?.(tx, tenantId, alerts);
        const progress = { ...reached, findings: reached.findings + findings };
        if (findings > 0) await putProgress(tx, tenantId, { from: reached, to: progress }, seal);
        // Every instance must notice that they have joined.
        if (joins) await nextRevision(tx, tenantId);
        return { alerts, progress };
      },
      { timeout: STEP_MS_MAX, maxWait: STEP_MS_MAX },
    );
    const open = this.#open.get(tenantId);
    if (written) seal.note(tenantId, written.progress);
    if (written === null || joins || !open) await this.#forget(tenantId);
    else this.#open.set(tenantId, { ...open, newcomers: { ...newcomers, at: to } });
    this.#tell(done.findings, written?.alerts ?? []);
    return true;
  }

  /** Closes the least recently used engines if all engines together hold too much. */
  async #keep(tenantId: number, progress: Progress, size: number): Promise<void> {
    const newcomers = this.#open.get(tenantId)?.newcomers ?? null;
    this.#open.delete(tenantId);
    this.#open.set(tenantId, { progress, size, newcomers });
    let held = [...this.#open.values()].reduce((sum, open) => sum + open.size, 0);
    for (const [other, open] of [...this.#open]) {
      if (other === tenantId || (held <= ENGINES_SIZE_MAX && this.#open.size <= ENGINES_MAX)) break;
      held -= open.size;
      await this.#forget(other);
    }
  }

  async #learn(
    tenantId: number,
    progress: Progress,
  ): Promise<{ to: number; changes: readonly StoredState[] }> {
    if (progress.learned >= progress.learnUntil) return { to: progress.learned, changes: [] };
    const read = await this.parts.reader.readRows(tenantId, progress.learned, LIMITS.detectionStep);
    const items = read.items.filter(({ position }) => position < progress.learnUntil);
    const { seen, changes } = await this.parts.host.learn(tenantId, items, LIMITS.detectionWorkMs);
    const left = items[seen]?.position;
    if (left !== undefined) return { to: left, changes };
    return {
      to: read.next >= read.size ? progress.learnUntil : Math.min(read.next, progress.learnUntil),
      changes,
    };
  }

  /** Has an engine work on events. In the quick lane, what does not end may still end in the slow one. */
  #work<T extends Done>(tenantId: number, part: EnginePart, items: Rows, ask: Ask<T>): Promise<T> {
    const isLast = this.parts.lanes?.own !== 'quick';
    return this.#timed(tenantId, () =>
      isLast ? this.#suspects.work(`${tenantId}/${part}`, items, ask) : ask(items, false),
    );
  }

  /** Notes the time that an engine takes, by which tenants are sorted into lanes. */
  async #timed<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const done = await work();
    this.parts.lanes?.shared.note(tenantId, performance.now() - began);
    return done;
  }

  async #forget(tenantId: number): Promise<void> {
    this.#open.delete(tenantId);
    this.#rows.drop(tenantId);
    await this.parts.host.forget(tenantId);
  }

  /** @returns the progress that was stored; null: another instance wrote first */
  async #write(
    tenantId: number,
    step: {
      readonly progress: Progress;
      readonly to: Progress;
      /** The events that were evaluated. */
      readonly seen: readonly Arrived[];
      readonly done: Evaluated;
      readonly learnt: readonly StoredState[];
      readonly nowMs: number;
    },
  ): Promise<Progress | null> {
    const { progress, to, seen, done, learnt, nowMs } = step;
    const { seal } = this.parts.progress;
    const written = await this.parts.owner.models.$transaction(
      async (tx) => {
        if (!(await putProgress(tx, tenantId, { from: progress, to, dueMs: done.dueMs }, seal))) return null;
        await putState(tx, tenantId, lastOfEach([...learnt, ...done.changes]));
        const { alerts, findings } = await writeFindings(
          tx,
          tenantId,
          done.findings,
          nowMs,
          this.parts.owner,
        );
        await growIncidents(tx, tenantId, seen, nowMs, this.parts.owner);
        await this.parts.onAlerts?.(tx, tenantId, alerts);
        const reached = { ...to, findings: to.findings + findings };
        if (findings > 0) await putProgress(tx, tenantId, { from: to, to: reached }, seal);
        return { alerts, reached };
      },
      { timeout: STEP_MS_MAX, maxWait: STEP_MS_MAX },
    );
    if (written === null) return null;
    // From here on the step is stored: findings, alerts, notices, windows and position, in one transaction. After a crash
    // before, none of them is, and the step is done again from the same position.
    seal.note(tenantId, written.reached);
    this.#tell(done.findings, written.alerts);
    return written.reached;
  }

  #tell(findings: readonly Finding[], written: readonly WrittenAlert[]): void {
    const { tally } = this.parts;
    for (const { severity } of findings) DetectionTally.add(tally.findings, severity);
    for (const { severity, isNew } of written) if (isNew) DetectionTally.add(tally.alerts, severity);
  }
}
