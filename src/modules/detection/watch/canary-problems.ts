import type { OwnerDoor, ServiceDoor } from '../../../database/clients';
import type { TenantRounds } from '../../../database/distribute/tenant-rounds';
import type { JsonScalar } from '../../../event/audit-record';
import {
  CANARY_ACTION,
  type Canary,
  type CanaryState,
  canaryNumber,
  canaryStates,
  hiddenCanaries,
} from '../../../event/canary';
import { DAY_MS, formatTicks } from '../../../event/event-time';
import { toSummaryFilter } from '../../../event/query';
import { msOfRecordId, ticksOfRecordId } from '../../../event/record-id';
import { LIMITS } from '../../../limits';
import { rowsByIds } from '../../../store/archive/rows-by-id';
import type { AuditEventReader } from '../../../store/rows/audit-event-reader';
import { toStoredEvent } from '../../../store/rows/event-rows';
import { fromStored } from '../../../store/rows/stored-text';
import { oneTenant } from '../../../tenant-set';
import type { TrailProblem } from './trail-problems';

/** The time in which canaries are looked for, and that in which missing numbers are told. */
const PERIOD_MS = 7 * DAY_MS;
const MISSING_MS = DAY_MS;
/** The kind of `audit_dim` that numbers actions. */
const ACTION_KIND = 1;
/** Whole rows that are read at once: a statement below the size of a mark may take 256 KB. */
const ROWS_AT_ONCE = 50;

/** Does the work of one tenant; null: it failed. */
export type Attempt = TenantRounds['attempt'];

/**
 * Canaries whose numbers are missing, or that do not come any more. The trail itself is asked each time, so late events,
 * a restart and other instances change nothing. A tenant whose trail cannot be asked hides no problem of another one.
 */
export async function canaryProblems(
  from: {
    readonly owner: OwnerDoor;
    readonly service: ServiceDoor;
    readonly page: AuditEventReader['page'];
  },
  nowMs: number,
  attempt: Attempt,
): Promise<readonly TrailProblem[]> {
  const tenants = await from.owner.models.$queryRawUnsafe<{ tenant_id: number }[]>(
    'SELECT tenant_id FROM audit_dim WHERE kind = $1 AND value = $2 ORDER BY tenant_id',
    ACTION_KIND,
    CANARY_ACTION,
  );
  const problems: TrailProblem[] = [];
  for (const { tenant_id: tenantId } of tenants) {
    const found = await attempt(tenantId, () => canariesOf(from, tenantId, nowMs));
    if (found) problems.push(...problemsOf(tenantId, found, nowMs));
  }
  return problems;
}

/**
 * The newest canaries of a tenant, among other records of `sp_audit_write`. Whoever may call it can write so many that
 * these alone are looked at, so the oldest records of the period tell of which canaries there should be more.
 */
async function canariesOf(
  { owner, service, page }: Parameters<typeof canaryProblems>[0],
  tenantId: number,
  nowMs: number,
): Promise<readonly CanaryState[]> {
  const idsOf = async (endTime: string | undefined, descending: boolean) => {
    const { items } = await page(oneTenant(tenantId), {
      filter: toSummaryFilter({
        filter: `actionId:${CANARY_ACTION}`,
        startTime: new Date(nowMs - PERIOD_MS).toISOString(),
        endTime,
      }),
      sort: 'recordId',
      descending,
      page: 1,
      pageSize: LIMITS.canariesMax,
    });
    return items.map(({ recordId }) => recordId);
  };
  const canaries: Canary[] = [];
  const looked = new Set<string>();
  for (let endTime: string | undefined; ; ) {
    const all = await idsOf(endTime, true);
    // Records of one time may stand on two pages.
    const ids = all.filter((id) => !looked.has(id));
    for (const id of ids) looked.add(id);
    canaries.push(...(await readCanaries(owner, service, tenantId, ids)));
    const last = all.at(-1);
    const states = () => canaryStates(canaries, nowMs);
    if (all.length < LIMITS.canariesMax || last === undefined) return states();
    // A page of one time has no page before it.
    const isFull = canaries.length >= LIMITS.canariesMax || looked.size >= LIMITS.canaryRecordsMax;
    if (!isFull && ids.length > 0) {
      endTime = formatTicks(ticksOfRecordId(last) + 1n);
      continue;
    }
    const oldest = await idsOf(formatTicks(ticksOfRecordId(last)), false);
    const before = await readCanaries(owner, service, tenantId, oldest);
    return [...states(), ...hiddenCanaries(before, canaries, msOfRecordId(last), nowMs)];
  }
}

async function readCanaries(
  owner: OwnerDoor,
  service: ServiceDoor,
  tenantId: number,
  ids: readonly string[],
): Promise<readonly Canary[]> {
  if (ids.length === 0) return [];
  const rows = await owner.models.$queryRawUnsafe<CanaryRow[]>(
    `SELECT record_id::text AS id, server_instance_name AS instance, additional->>'userDefinedEventId' AS event_id,
       additional->>'userDefinedInformation' AS information
     FROM audit_event WHERE tenant_id = $1 AND record_id = ANY($2::uuid[])`,
    tenantId,
    ids,
  );
  const inRows = new Set(rows.map(({ id }) => id));
  const inFiles = ids.filter((id) => !inRows.has(id));
  const all = rows.map(({ instance, ...row }) => ({ ...row, instance: fromStored(instance) }));
  for (let at = 0; at < inFiles.length; at += ROWS_AT_ONCE)
    all.push(...(await readSealed(service, tenantId, inFiles.slice(at, at + ROWS_AT_ONCE))));
  return all.flatMap(({ id, instance: serverInstanceName, event_id, information }) => {
    const number = canaryNumber(information);
    return number === null
      ? []
      : [{ serverInstanceName, eventId: event_id ?? '', number, atMs: msOfRecordId(id) }];
  });
}

/** The same of records of weeks that lie in files. */
async function readSealed(
  service: ServiceDoor,
  tenantId: number,
  ids: readonly string[],
): Promise<readonly CanaryRow[]> {
  const textOf = (value: JsonScalar | undefined) =>
    value === null || value === undefined ? null : String(value);
  const rows = await rowsByIds(service, oneTenant(tenantId), ids);
  return rows.map(toStoredEvent).map(({ recordId, serverInstanceName, additional }) => ({
    id: recordId,
    instance: serverInstanceName ?? '',
    event_id: textOf(additional.userDefinedEventId),
    information: textOf(additional.userDefinedInformation),
  }));
}
interface CanaryRow {
  readonly id: string;
  readonly instance: string;
  readonly event_id: string | null;
  readonly information: string | null;
}

/** A problem may pass: late events can bring the numbers. Of many, the newest are told alone. */
function problemsOf(
  tenantId: number,
  states: readonly CanaryState[],
  nowMs: number,
): readonly TrailProblem[] {
  const all = states.flatMap((state) => [
    ...state.missing
      .filter(({ beforeMs }) => beforeMs >= nowMs - MISSING_MS)
      .map((numbers) => ({ at: numbers.beforeMs, problem: ofMissing(tenantId, state, numbers) })),
    ...(state.hiddenSinceMs !== null
      ? [{ at: state.newest.atMs, problem: ofHidden(tenantId, state, state.hiddenSinceMs) }]
      : []),
    ...(state.isOverdue ? [{ at: state.newest.atMs, problem: ofOverdue(tenantId, state) }] : []),
  ]);
  const [newest, others] = [LIMITS.sourceAlertsMax, all.length - LIMITS.sourceAlertsMax];
  all.sort((a, b) => b.at - a.at);
  const told = all.slice(0, newest).map(({ problem }) => problem);
  const oldest = all.at(-1);
  if (others <= 0 || !oldest) return told;
  return [
    ...told,
    {
      tenantId,
      key: 'more: canaries',
      since: new Date(oldest.at),
      mayPass: true,
      group: { problem: `Canaries are missing: ${others} more` },
    },
  ];
}

function ofMissing(
  tenantId: number,
  { newest: { serverInstanceName, eventId } }: CanaryState,
  { first, last, afterMs, beforeMs }: CanaryState['missing'][number],
): TrailProblem {
  const numbers = first === last ? `number ${first} is` : `numbers ${first} to ${last} are`;
  const [after, before] = [afterMs, beforeMs].map((ms) => new Date(ms).toISOString());
  return {
    tenantId,
    key: `canary ${serverInstanceName} ${eventId} ${first}-${last}`,
    since: new Date(afterMs),
    mayPass: true,
    group: {
      problem: `Canary ${numbers} missing: events between ${after} and ${before} may be lost`,
      serverInstanceName,
    },
  };
}

function ofOverdue(
  tenantId: number,
  { newest: { serverInstanceName, eventId, number, atMs } }: CanaryState,
): TrailProblem {
  return {
    tenantId,
    key: `canary ${serverInstanceName} ${eventId} overdue`,
    since: new Date(atMs),
    mayPass: true,
    group: {
      problem: `No canary came after number ${number} of ${new Date(atMs).toISOString()}: number ${number + 1} is missing`,
      serverInstanceName,
    },
  };
}

/** Has the key of one that does not come: of the same canary one of them is told. */
function ofHidden(tenantId: number, state: CanaryState, sinceMs: number): TrailProblem {
  const { serverInstanceName, eventId } = state.newest;
  return {
    ...ofOverdue(tenantId, state),
    isByLook: true,
    group: {
      problem: `Canaries of event id ${eventId} cannot be found: more records of \`sp_audit_write\` came since ${new Date(sinceMs).toISOString()} than are looked at`,
      serverInstanceName,
    },
  };
}
