import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { changeOf, ownAttempt } from '../../caller/access-log';
import { insertEntries } from '../../caller/access-log.store';
import type { OwnerDoor } from '../../database/clients';
import { type OfTenant, TenantRounds } from '../../database/distribute/tenant-rounds';
import { clockNotAhead, type Leased, Leases } from '../../database/lease';
import { DAY_MS } from '../../event/event-time';
import { LIMITS } from '../../limits';
import { grownMs, Rests } from '../../rests';
import type { ArchivedTenants } from '../../store/archive/archived-tenants';
import type { FileCache } from '../../store/archive/file-cache';
import type { FilePlace } from '../../store/archive/file-place';
import { whatDuckLacks } from '../../store/archive/open-duck';
import type { FileWriter } from '../../store/archive/questions';
import { type InTransaction, type Sealing, sealWeek } from '../../store/archive/seal-week';
import { HOURS_PER_DAY } from '../../store/counts/dimensions';
import type { CheckpointKey } from '../../store/log/evidence/note-key';
import { hourOf } from '../../store/rows/event-rows';
import { startOfWeek, weekOfMs } from '../../store/rows/partitions';
import { concernsAll, whyUnsealed } from './why-unsealed';

/** A week is sealed in less time, and who seals it beside another attempt does so for nothing, but does no harm. */
const SEALING: Leased = {
  table: 'audit_archive',
  key: { tenant_id: 'int' },
  holder: 'holder',
  until: 'held_until',
  ms: 600_000,
};

/** An attempt writes and reads all of a week, so it is not made again and again while it fails. */
const REST = { firstMs: LIMITS.archiveMs, mostMs: LIMITS.archiveRestMsMax };
const ALL = 'all tenants';

/** SQL: the week of a day; days and weeks are counted since 1970. */
const weekOfDay = (day: string) => `floor((${day} - 4) / 7.0)::int`;
const WEEK = weekOfDay('c.bucket');

/**
 * Tenants with their weeks that are over and have no file, or so many events beside their file that they are sealed anew,
 * those with the oldest week first. $1: the first week that is not over. A week that waits until retention has removed
 * events of a wrong clock may wait for ever, so it is left out.
 */
const DUE = (of: OfTenant) => `
SELECT u.tenant_id AS "tenantId", array_agg(u.week ORDER BY u.week) AS weeks FROM (
  SELECT c.tenant_id, ${WEEK} AS week, sum(c.n) AS n FROM audit_count c
  WHERE c.grain = 2 AND c.a = 0 AND c.d = 0 AND c.p = 0 AND c.n > 0 AND c.bucket >= 4 AND ${WEEK} < $1::int
    AND ${of('c.tenant_id')} GROUP BY 1, 2) u
  LEFT JOIN audit_sealed_week w ON w.tenant_id = u.tenant_id AND w.week = u.week
  LEFT JOIN audit_archive a ON a.tenant_id = u.tenant_id
  LEFT JOIN (SELECT DISTINCT k.tenant_id, ${weekOfDay(`${hourOf('k.record_id')} / ${HOURS_PER_DAY}.0`)} AS week
    FROM audit_clock k WHERE ${of('k.tenant_id')}) m ON m.tenant_id = u.tenant_id AND m.week = u.week
WHERE m.week IS NULL
  AND (w.events IS NULL OR u.n - w.events > greatest(${LIMITS.archiveLateEvents}, w.events / ${LIMITS.archiveLateShare}))
  AND (a.restored IS NULL OR u.week <> ALL(a.restored))
GROUP BY u.tenant_id ORDER BY min(u.week), 1`;

interface Due {
  readonly tenantId: number;
  readonly weeks: readonly number[];
}

const NOTE_PROBLEM = `
UPDATE audit_archive SET problem_week = $2::int, problem = $3::text, problem_at = statement_timestamp()
WHERE tenant_id = $1::int`;
const END_PROBLEM = `
UPDATE audit_archive SET problem_week = NULL, problem = NULL, problem_at = NULL
WHERE tenant_id = $1::int AND problem_week = $2::int`;

/** Since the start; `waiting`: weeks at the last look, null before it. */
export interface SealingTally {
  weeks: number;
  events: number;
  bytes: number;
  seconds: number;
  failures: number;
  waiting: number | null;
}

/** Seals weeks that are over. */
export class Sealer {
  readonly tally: SealingTally = { weeks: 0, events: 0, bytes: 0, seconds: 0, failures: 0, waiting: null };
  /**
   * By tenant: its weeks whose last attempt did not seal them, the longest ago first, and why it failed; null: the week
   * waits for something. Other weeks of the tenant go first.
   */
  readonly #unsealed = new Map<number, Map<number, string | null>>();
  readonly #rounds: TenantRounds;
  readonly #leases: Leases;
  readonly #rests: Rests<number | typeof ALL>;

  constructor(
    private readonly parts: {
      readonly owner: OwnerDoor;
      readonly key: CheckpointKey;
      /** What keeps files from being made here; null: nothing does. */
      readonly lacks?: () => string | null;
      readonly tenants: ArchivedTenants;
      readonly writer: FileWriter;
      readonly cache: FileCache;
      readonly folder: string;
      readonly place?: FilePlace | null;
      /** Left free on the disk of the folder. */
      readonly roomBytes?: number;
      /** Days after the end of a week. */
      readonly afterDays: number;
      /** Whether another instance has its files in another place, and so would not find those that this one makes. */
      readonly isApart?: () => boolean;
      readonly nowMs: () => number;
      readonly log: Logger;
      /** By which tenants, or all, rest after attempts that failed. */
      readonly steadyMs?: () => number;
    },
  ) {
    this.#rests = new Rests(parts.steadyMs);
    this.#rounds = new TenantRounds(parts.owner, undefined, parts.steadyMs);
    this.#leases = new Leases(parts.owner.models, SEALING);
  }

  /** What keeps files from being made and read here; null: nothing does. */
  lacks(): string | null {
    return (this.parts.lacks ?? whatDuckLacks)();
  }

  /** Tenants of whom the last attempt to seal a week failed, with what they may know of it. */
  get problems(): ReadonlyMap<number, string> {
    const problems = new Map<number, string>();
    for (const [tenantId, weeks] of this.#unsealed)
      for (const why of weeks.values()) if (why !== null) problems.set(tenantId, why);
    return problems;
  }

  /** Seals a week of each tenant that has one, by default its oldest. @returns the number of sealed weeks */
  async run(): Promise<number> {
    const { owner, afterDays, nowMs } = this.parts;
    const lacks = this.lacks();
    if (lacks) throw new Error(lacks);
    const clock = await clockNotAhead(owner.models, nowMs);
    const end = weekOfMs(clock() - afterDays * DAY_MS);
    const due = await this.#rounds.ask((of) => owner.models.$queryRawUnsafe<Due[]>(DUE(of), end));
    this.tally.waiting = due.reduce((sum, { weeks }) => sum + weeks.length, 0);
    this.#forgetOthers(due);
    this.#rests.keepOnly(new Set([ALL, ...due.map(({ tenantId }) => tenantId)]));
    let [sealed, attempts] = [0, 0];
    for (const one of due) {
      if (this.#rests.isResting(ALL) || attempts === LIMITS.archiveTenantsPerRound) break;
      if (this.#rests.isResting(one.tenantId)) continue;
      attempts += 1;
      const sealing = await this.#rounds.attempt(one.tenantId, () =>
        this.#attempt(one.tenantId, this.#nextOf(one)),
      );
      if (sealing?.outcome === 'sealed') sealed += 1;
    }
    this.tally.waiting -= sealed;
    this.#rounds.end();
    return sealed;
  }

  /** Forgets weeks that are not due any more. */
  #forgetOthers(due: readonly Due[]): void {
    const weeksOf = new Map(due.map(({ tenantId, weeks }) => [tenantId, new Set(weeks)]));
    for (const [tenantId, weeks] of this.#unsealed)
      for (const week of weeks.keys()) if (!weeksOf.get(tenantId)?.has(week)) weeks.delete(week);
  }

  #nextOf({ tenantId, weeks }: Due): number {
    const unsealed = this.#unsealed.get(tenantId);
    const [oldest = 0] = [...weeks.filter((week) => !unsealed?.has(week)), ...(unsealed?.keys() ?? [])];
    return oldest;
  }

  #attempt(tenantId: number, week: number): Promise<Sealing | null> {
    const parameters = { tenantId, week: new Date(startOfWeek(week)) };
    const attempt = ownAttempt('sealWeek', new Date(this.parts.nowMs()), parameters);
    return this.seal(tenantId, week, (tx, events) =>
      insertEntries(tx, [changeOf(attempt, { rows: events, tenantIds: [tenantId] })]),
    );
  }

  /** @returns null: another attempt is under way, or the tenant has only been announced */
  async seal(tenantId: number, week: number, also: InTransaction): Promise<Sealing | null> {
    const lacks = this.lacks();
    if (lacks) return { outcome: 'waits', because: lacks };
    if (this.parts.isApart?.())
      return { outcome: 'waits', because: 'another instance has another ARCHIVE_URL: set it alike on each' };
    if (!(await this.parts.tenants.announce(tenantId))) return null;
    // Of this attempt: the task and an operator may ask this instance at once.
    const holder = randomUUID();
    if (!(await this.#leases.take([tenantId], holder))) return null;
    const startedMs = performance.now();
    try {
      const sealing = await sealWeek(this.parts, tenantId, week, also);
      if (sealing.outcome === 'sealed') this.#note(tenantId, week, sealing);
      await this.parts.owner.models.$executeRawUnsafe(END_PROBLEM, tenantId, week);
      this.#unsealed.get(tenantId)?.delete(week);
      if (sealing.outcome === 'waits') this.#setUnsealed(tenantId, week, null);
      for (const key of [ALL, tenantId] as const) this.#rests.end(key);
      return sealing;
    } catch (error) {
      this.tally.failures += 1;
      this.#rests.failed(concernsAll(error) ? ALL : tenantId, (failures) => grownMs(REST, failures));
      const why = whyUnsealed(error);
      this.#setUnsealed(tenantId, week, why);
      // Other instances tell of it too. A database that does not answer has told this already.
      await this.parts.owner.models.$executeRawUnsafe(NOTE_PROBLEM, tenantId, week, why).catch(() => {});
      throw error;
    } finally {
      this.tally.seconds += (performance.now() - startedMs) / 1000;
      await this.#leases.release([tenantId], holder);
    }
  }

  #setUnsealed(tenantId: number, week: number, why: string | null): void {
    const weeks = this.#unsealed.get(tenantId) ?? new Map<number, string | null>();
    weeks.delete(week);
    this.#unsealed.set(tenantId, weeks.set(week, why));
  }

  #note(tenantId: number, week: number, { events, bytes }: { events: number; bytes: number }): void {
    this.tally.weeks += 1;
    this.tally.events += events;
    this.tally.bytes += bytes;
    const monday = new Date(startOfWeek(week)).toISOString().slice(0, 10);
    this.parts.log.info({ tenantId, week: monday, events, bytes }, 'week sealed');
  }
}
