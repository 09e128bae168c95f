import { createHash } from 'node:crypto';
import type { OwnerDoor } from '../../../database/clients';
import { TenantRounds } from '../../../database/distribute/tenant-rounds';
import type { ReadTime } from '../../../database/lease';
import { TICKS_PER_MS } from '../../../event/event-time';
import { toStored } from '../../../store/rows/stored-text';
import { noteAlerts } from '../alerts/note-alerts';
import { severityNumber } from '../alerts/put-alerts';
import { openSuppressions, suppressesGroup } from '../alerts/suppression';
import { takeTurn } from '../base/tenant-turn';
import { alertKey } from '../detector/write-findings';
import { tuningOf } from '../rules/rule-digest';
import type { ShippedRule } from '../rules/shipped-rules';
import type { Attempt } from './canary-problems';
import { type TrailProblem, trailProblems } from './trail-problems';

const TRAIL_UNHEALTHY = 40;
/** After an alert, the same problem is not checked again for this time. */
const TOLD_MS = 10 * 60_000;
/** Routes that do not get the alert, because the alert is about them. */
interface Except {
  readonly exceptRouteIds?: readonly string[];
}

interface Seen {
  readonly since: Date;
  readonly toldMs: number | null;
}

/**
 * Alerts of rule 40, which concern the trail itself. They have no findings, and each problem has at most one open
 * alert.
 */
export class HealthAlerts {
  readonly #rounds: TenantRounds;
  /** Tenants whose canaries cannot be read are told of their other problems. */
  readonly #canaryRounds: TenantRounds;
  /** By tenant and problem: since when it exists and when it was told, as of the last look. */
  #seen = new Map<string, Seen>();

  constructor(
    private readonly owner: OwnerDoor,
    private readonly shipped: ReadonlyMap<string, ShippedRule>,
    private readonly nowMs: () => number,
    private readonly stoppedLogs: () => ReadonlyMap<number, string> = () => new Map(),
    /** By which its notices are due. */
    private readonly time?: ReadTime,
    private readonly unsealed: () => ReadonlyMap<number, string> = () => new Map(),
    /** Problems that canaries show. */
    private readonly canaries: (
      nowMs: number,
      attempt: Attempt,
    ) => Promise<readonly TrailProblem[]> = async () => [],
  ) {
    this.#rounds = new TenantRounds(owner);
    this.#canaryRounds = new TenantRounds(owner);
  }

  /** Looks for sources and logs that are silent, incomplete, stopped or in doubt. */
  async look(): Promise<void> {
    const now = this.nowMs();
    const seen = new Map<string, Seen>();
    for (const problem of await trailProblems(this.owner, this.stoppedLogs(), now, this.unsealed(), (nowMs) =>
      this.canaries(nowMs, (tenantId, work) => this.#canaryRounds.attempt(tenantId, work)),
    )) {
      const name = `${problem.tenantId} ${problem.key}`;
      const before = this.#seen.get(name);
      // For a problem that may pass by itself, its beginning is the first look that saw it.
      const since = problem.mayPass === true ? (before?.since ?? problem.since) : problem.since;
      const isTold =
        before?.toldMs != null && Math.abs(now - before.toldMs) < TOLD_MS && +before.since === +since;
      const isDue = !isTold && (problem.mayPass !== true || before !== undefined);
      // An alert that failed is told at the next look.
      const toldNow =
        isDue &&
        (await this.#rounds.attempt(problem.tenantId, () => this.tell({ ...problem, since }))) !== null;
      seen.set(name, { since, toldMs: toldNow ? now : isTold ? before.toldMs : null });
    }
    this.#seen = seen;
    try {
      this.#rounds.end();
    } finally {
      this.#canaryRounds.end();
    }
  }

  /** Makes an alert of a problem. @returns whether the alert is new */
  async tell({
    tenantId,
    key,
    since,
    isByLook = false,
    group,
    exceptRouteIds = [],
  }: TrailProblem & Except): Promise<boolean> {
    const rule = [...this.shipped.values()].find(({ number }) => number === TRAIL_UNHEALTHY)?.rule;
    if (!rule) return false;
    const { ruleId, title } = rule;
    const now = new Date(this.nowMs());
    const [anchor, last] = [since, now].map(ticksOf) as [bigint, bigint];
    const groupKey = alertKey(key);
    return this.owner.models.$transaction(async (tx) => {
      await takeTurn(tx, tenantId);
      const own = await tx.detectionRule.findFirst({ where: { tenantId, ruleId } });
      if (own?.enabled === false) return false;
      const before = await tx.alert.findFirst({
        where: { tenantId, ruleId, groupKey },
        orderBy: { createdAt: 'desc' },
        select: { status: true, suppressedUntil: true, anchor: true, createdAt: true },
      });
      // Each instance that saw the problem has another beginning, up to when the first one told of it.
      const beganAgain = (of: { readonly anchor: bigint; readonly createdAt: Date }) =>
        (isByLook ? ticksOf(of.createdAt) : of.anchor) < anchor;
      if (before && !isOver(before, beganAgain(before), now)) return false;
      const severity = severityNumber(tuningOf(own?.tuning ?? null)?.severity ?? rule.severity);
      const suppressions = await openSuppressions(tx, tenantId, now.getTime());
      const suppression = suppressions.find((one) => suppressesGroup(one, ruleId, group));
      const status = suppression ? 'suppressed' : 'new';
      const alertId = idOf(`${tenantId}\n${key}\n${now.getTime()}`);
      await tx.alert.create({
        data: {
          tenantId,
          alertId,
          ruleId,
          title: toStored(title),
          severity,
          status,
          groupKey,
          groupValues: JSON.stringify(group),
          suppressedUntil: suppression?.until ?? null,
          anchor,
          firstEvent: anchor,
          lastEvent: last,
          findingCount: 0,
          eventCount: 0n,
          principals: [],
          instances: [],
          createdAt: now,
          updatedAt: now,
        },
      });
      if (status === 'new')
        await noteAlerts(tx, [{ tenantId, alertId, ruleId, severity, status, exceptRouteIds }], this.time);
      return true;
    });
  }
}

/**
 * Whether the previous alert permits another one: after it was resolved, a problem is told only when it begins again.
 */
function isOver(
  before: { readonly status: string; readonly suppressedUntil: Date | null },
  beganAgain: boolean,
  now: Date,
): boolean {
  if (before.status === 'resolved') return beganAgain;
  return before.status === 'suppressed' && before.suppressedUntil !== null && before.suppressedUntil <= now;
}

const ticksOf = (at: Date): bigint => BigInt(at.getTime()) * TICKS_PER_MS;

function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
