import type { ServiceDoor } from '../../database/clients';
import { DomainError } from '../../errors';
import { CANARY_ACTION, type CanaryState } from '../../event/canary';
import { clampTicks, DAY_MS, formatTicks, TICKS_PER_MS } from '../../event/event-time';
import type { FieldName } from '../../event/fields';
import { toSummaryFilter } from '../../event/query';
import { fold } from '../../event/search';
import { LIMITS } from '../../limits';
import type { EventGroup } from '../../store/columns/groups';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import { type TenantSet, tenantSet } from '../../tenant-set';
import { canariesBefore, lastCanaries } from './canaries';
import { eachEvent } from './each-event';
import { type ActionGroup, type Check, fieldsOf } from './frameworks';
import { namesBefore, newestBefore } from './instances';
import {
  Lacking,
  type LaterQuestions,
  lackingQuestions,
  laterOfTenant,
  logonQuestions,
  once,
  oneOf,
} from './later-questions';
import {
  type AlertWork,
  alertsBetween,
  concerns,
  isFresh,
  isRuleOn,
  retentionDays,
  TRAIL_UNHEALTHY,
} from './own-state';
import {
  type Group,
  type GroupEach,
  type Lag,
  type Moment,
  type Questions,
  type Source,
  toMoment,
  type Verification,
} from './questions';
import { AuditReplay } from './replay';
import { type Declaration, type InstanceScope, scopeOf } from './scope';
import { codeOf, type Seen, seenGroups } from './seen';
import { isOnlyRead } from './specification';

/** Events of these codes change what an audit records, with the start and the end of the server. */
const AUDIT_CHANGES = '(actionId:(CR OR AL OR DR) AND classType:(A OR SA OR DA)) OR actionId:(AUSC OR AUSF)';
/** With a database, its specifications are gone; one that is made under its name has none, and one that is restored others. */
const DATABASE_REPLACED = 'actionId:(CR OR DR OR RS) AND classType:DB AND succeeded:true';
const DATABASE_RESTORED = 'actionId:RS AND classType:DB AND succeeded:true';
const SERVER_START = 'SVSR';
const SERVER_STARTS = `actionId:${SERVER_START}`;
/** The time before the moment of an assessment in which an event shows that its group is recorded. */
export const PERIOD_DAYS = 30;
const PERIOD = BigInt(PERIOD_DAYS * DAY_MS) * TICKS_PER_MS;
/** The text of a time, or of the nearest one that texts can state. */
const timeText = (ticks: bigint) => formatTicks(clampTicks(ticks));
export const periodBefore = (asOf: bigint) => ({
  from: timeText(asOf - PERIOD),
  to: timeText(asOf + 1n),
});

/** What the trail says of one server instance of a tenant up to a moment. */
export interface InstanceTrail extends LaterQuestions {
  readonly tenantId: number;
  readonly serverInstanceName: string;
  readonly replay: AuditReplay;
  /** Events of each group in the period. */
  readonly seen: ReadonlyMap<string, Seen>;
  /** All events in the period. */
  readonly events: number;
  /** Starts of the server in the period, and starts of an audit, oldest first. */
  readonly serverStarts: readonly Moment[];
  readonly auditStarts: readonly Moment[];
  readonly sources: readonly Source[];
  /** The time of its newest event up to the moment, in milliseconds since 1970. */
  readonly lastEventMs: number;
  /** That of its first event in the period. */
  readonly firstEventMs: number;
  /** How far its sources were behind in the period, and in the hour of the moment. */
  readonly lags: () => Promise<readonly Lag[]>;
  readonly lagsThen: () => Promise<readonly Lag[]>;
  /** The newest verification of the tenant's evidence log that ended in the period; null: none did. */
  readonly verified: () => Promise<Verification | null>;
  /** Its canaries in the day before the moment; where none came, those of the period that are overdue or hidden. */
  readonly canaries: () => Promise<readonly CanaryState[]>;
  /** What operators declare of the instance at the moment. */
  readonly scope: InstanceScope;
  /** Changes of audits and their specifications in the period, oldest first. */
  readonly auditChanges: readonly AuditChange[];
  /** The instance has changes of audits before this time that were not read; null: all were read. */
  readonly unreadBefore: string | null;
  /** Alerts of the period that concern the instance, the newest first, as they stood at the moment. */
  readonly alerts: () => Promise<readonly AlertWork[]>;
  /** Whether these are all alerts of the tenant in the period. */
  readonly hasAllAlerts: () => Promise<boolean>;
  /** Whether the rule about the trail itself is on. */
  readonly isWatched: () => Promise<boolean>;
  /** Whether the moment is within the last day, so that what has no history is of the moment. */
  readonly isNow: boolean;
  /** The days for which events are kept; null: for ever. */
  readonly keptDays: () => Promise<number | null>;
  /** Whether an event of the instance is older than some days. */
  readonly isOlderThan: (days: number) => Promise<boolean>;
  /** The number of events of the period that lack each of some fields. */
  readonly lacking: (fields: readonly FieldName[]) => Promise<readonly number[]>;
  readonly period: { readonly from: string; readonly to: string };
}
export interface AuditChange extends Moment {
  /** The login; null: the record does not say. */
  readonly by: string | null;
}
/** What is assessed. */
export interface Assessed {
  /** The moment, in ticks. */
  readonly asOf: bigint;
  /** One server instance, letter case folded; null: all. */
  readonly instance: string | null;
  /** The checks to come: what they ask of all instances is asked with the rest. Others ask later. */
  readonly checks: readonly Check[];
}

/** Reads what the trail of a tenant says of its server instances up to a moment. */
export async function readTrails(
  parts: {
    readonly service: ServiceDoor;
    readonly ask: Questions;
    readonly groups: ReadonlyMap<string, ActionGroup>;
    /** What is declared in a tenant. */
    readonly declarations: (tenantId: number) => Promise<readonly Declaration[]>;
    /** The sources of all tenants that are assessed, and how far they were behind. */
    readonly sources: readonly Source[];
    readonly lags: (fromMs: number, toMs: number) => Promise<readonly Lag[]>;
    readonly nowMs: () => number;
  },
  tenantId: number,
  { asOf, instance, checks }: Assessed,
): Promise<readonly InstanceTrail[]> {
  const { service, ask, groups } = parts;
  const tenants = tenantSet([tenantId]);
  const { from, to } = periodBefore(asOf);
  const groupEach: GroupEach = async (questions) => {
    const asked = { before: null, sumOf: null, by: 'count', descending: true } as const;
    const answers = await ask.groupsOfEach(
      tenants,
      questions.map(([fields, { mayBeMany = false, ...values }]) => ({
        ...asked,
        fields,
        mayBeMany,
        filter: toSummaryFilter({ filter: undefined, startTime: undefined, endTime: to, ...values }),
        limit: LIMITS.groupsCountedMax,
      })),
    );
    return answers.map((answer) => answer?.groups ?? null);
  };
  const group: Group = async (fields, values) => (await groupEach([[fields, values]]))[0] ?? [];
  const all = await namesBefore({ ask, group }, tenants, to);
  const names = [...all].filter((name) => instance === null || fold(name) === instance).sort();
  refuseTooMany(names.length);
  const declared = await parts.declarations(tenantId);
  const atMs = Number(asOf / TICKS_PER_MS);
  const known = new Map(
    names.map((name) => [
      name,
      {
        replay: new AuditReplay(
          (one) => groups.has(one),
          (one) => groups.get(one)?.scope === 'server',
        ),
        scope: scopeOf(declared, name, atMs),
        loaded: { snapshots: 0, changes: 0 },
        auditStarts: [] as Moment[],
        auditChanges: [] as AuditChange[],
        serverStarts: [] as Moment[],
      },
    ]),
  );
  const fields = fieldsOf(checks);
  const hasLater = checks.some(({ kind }) => kind === 'applications' || kind === 'readers');
  const logonsAsked = hasLater ? logonQuestions(groups, from) : [];
  const [changed, ofGroups, ...answers] = await groupEach([
    [['serverInstanceName'], { filter: AUDIT_CHANGES }],
    [['serverInstanceName', 'actionId', 'classType'], { startTime: from }],
    ...logonsAsked,
    ...lackingQuestions(fields, from),
  ]);
  const [changes, counted] = [changed ?? [], ofGroups ?? []];
  const lacking = new Lacking((missing) => groupEach(lackingQuestions(missing, from)));
  lacking.learn(fields, answers.slice(logonsAsked.length));
  const changesOf = new Map(changes.map(({ values: [name = ''], n }) => [name, n]));
  const areAllRead = changes.reduce((sum, { n }) => sum + n, 0) <= LIMITS.complianceRecordsMax;
  const read = { from: null as string | null };
  if (changes.length > 0)
    await eachEvent(
      service,
      ask,
      tenants,
      { filter: AUDIT_CHANGES, startTime: null, endTime: to },
      (event) => {
        read.from ??= event.eventTime;
        const own = known.get(event.serverInstanceName ?? '');
        if (own) loadSnapshots(own, event.eventTime);
        if (own) own.loaded.changes += 1;
        own?.replay.take(event);
        if (isAuditStart(event)) own?.auditStarts.push(toMoment(event));
        if (isAuditChange(event) && event.eventTime >= from)
          own?.auditChanges.push({ ...toMoment(event), by: event.serverPrincipalName });
      },
    );
  for (const own of known.values()) loadSnapshots(own, to);
  const databases = [...known.values()].flatMap(({ replay }) => replay.databases);
  if (databases.length > 0)
    await eachReplaced({ service, ask, group }, tenants, { databases, to }, (name, database, atMs) =>
      known.get(name)?.replay.replaced(database, atMs),
    );
  const came = new Set(counted.map(({ values }) => codeOf(values[1])));
  if (came.has(SERVER_START))
    await eachEvent(service, ask, tenants, { filter: SERVER_STARTS, startTime: from, endTime: to }, (event) =>
      known.get(event.serverInstanceName ?? '')?.serverStarts.push(toMoment(event)),
    );
  const seen = seenGroups(groups, counted);
  const ofTenant = ({ tenantId: of }: { readonly tenantId: string }) => of === String(tenantId);
  const sources = parts.sources.filter(ofTenant);
  const alerts = once(() => alertsBetween(service, tenantId, { from: new Date(from), to: new Date(atMs) }));
  const isWatched = once(() => isRuleOn(service, tenantId, TRAIL_UNHEALTHY));
  const keptDays = once(() => retentionDays(service, tenantId));
  const old = new Map<number, Promise<ReadonlySet<string>>>();
  const askOld = (days: number) => {
    const endTime = timeText(asOf - BigInt(days) * BigInt(DAY_MS) * TICKS_PER_MS);
    return namesBefore({ ask, group }, tenants, endTime);
  };
  const oldNames = (days: number) => {
    const asked = old.get(days) ?? askOld(days);
    old.set(days, asked);
    return asked;
  };
  const isNow = isFresh(atMs, parts.nowMs());
  const lags = once(async () => (await parts.lags(Date.parse(from), atMs)).filter(ofTenant));
  const lagsThen = once(async () => (await parts.lags(atMs, atMs + 1)).filter(ofTenant));
  const verified = once(
    async () => (await ask.verifications(tenantId, new Date(from), new Date(atMs)))[0] ?? null,
  );
  const canaries = once(async () =>
    came.has(CANARY_ACTION) ? canariesBefore({ service, ask }, tenants, asOf) : [],
  );
  const withCanaries = new Set(
    counted.flatMap(({ values: [name, action] }) => (codeOf(action) === CANARY_ACTION ? (name ?? '') : [])),
  );
  const canariesOf = async (name: string) => {
    const own = (await canaries()).filter(({ newest }) => newest.serverInstanceName === name);
    if (own.length > 0 || !withCanaries.has(name)) return own;
    // A day after the last one, the next one is overdue still.
    const last = await lastCanaries({ service, ask }, tenants, asOf, name, from);
    return last.filter(({ isOverdue, hiddenSinceMs }) => isOverdue || hiddenSinceMs !== null);
  };
  const events = new Map<string, { n: number; firstMs: number; lastMs: number }>();
  for (const {
    values: [name = ''],
    n,
    firstMs,
    lastMs,
  } of counted) {
    const before = events.get(name) ?? { n: 0, firstMs, lastMs };
    events.set(name, {
      n: before.n + n,
      firstMs: Math.min(before.firstMs, firstMs),
      lastMs: Math.max(before.lastMs, lastMs),
    });
  }
  const newest = new Map<string, number>();
  for (const name of names)
    newest.set(name, events.get(name)?.lastMs ?? (await newestBefore(ask, tenants, name, to)));
  for (const [name, { replay }] of known) replay.seenThrough(newest.get(name) ?? 0);
  const later = laterOfTenant(parts, {
    ...{ tenants, groupEach, from, to },
    known: hasLater ? answers : null,
  });
  const sourcesOf = (name: string) => ask.sourcesOf(name, sources, newest.get(name) ?? 0) ?? sources;
  const isOf = (name: string) => {
    const own = new Set(sourcesOf(name).map(({ hostName }) => hostName));
    return ({ hostName }: { readonly hostName: string }) => own.has(hostName);
  };
  return [...known].map(([name, own]) => ({
    tenantId,
    serverInstanceName: name,
    ...own,
    unreadBefore: areAllRead || own.loaded.changes >= (changesOf.get(name) ?? 0) ? null : read.from,
    lastEventMs: newest.get(name) ?? 0,
    lags: async () => (await lags()).filter(isOf(name)),
    lagsThen: async () => (await lagsThen()).filter(isOf(name)),
    verified,
    canaries: once(() => canariesOf(name)),
    seen: seen.get(name) ?? new Map<string, Seen>(),
    events: events.get(name)?.n ?? 0,
    firstEventMs: events.get(name)?.firstMs ?? 0,
    sources: sourcesOf(name),
    hasAllAlerts: async () => (await alerts()).length < LIMITS.complianceAlertsMax,
    alerts: async () =>
      (await alerts()).filter((alert) =>
        concerns(
          alert,
          name,
          sourcesOf(name).map(({ hostName }) => hostName),
        ),
      ),
    isWatched,
    isNow,
    keptDays,
    isOlderThan: async (days) => (await oldNames(days)).has(name),
    ...later(name, own.scope.sensitive),
    lacking: (wanted) => lacking.of(name, wanted),
    period: { from, to },
  }));
}

/** Hands over when each of some databases was last dropped, made or restored. */
async function eachReplaced(
  { service, ask, group }: { service: ServiceDoor; ask: Questions; group: Group },
  tenants: TenantSet,
  { databases, to }: { readonly databases: readonly string[]; readonly to: string },
  take: (instance: string, database: string, atMs: number) => void,
): Promise<void> {
  const of = oneOf('objectName', databases);
  const counted = await group(['serverInstanceName', 'objectName', 'actionId'], {
    filter: `${DATABASE_REPLACED}${of}`,
  });
  const isRestore = ({ values }: EventGroup) => codeOf(values[2]) === 'RS';
  const restores = counted.filter(isRestore).reduce((sum, { n }) => sum + n, 0);
  const areRead = restores <= LIMITS.complianceRecordsMax;
  for (const one of counted)
    if (!(areRead && isRestore(one))) take(one.values[0] ?? '', one.values[1] ?? '', one.lastMs);
  if (restores === 0 || !areRead) return;
  const filter = `${DATABASE_RESTORED}${of}`;
  await eachEvent(service, ask, tenants, { filter, startTime: null, endTime: to }, (event) => {
    if (!isOnlyRead(event.statement))
      take(event.serverInstanceName ?? '', event.objectName ?? '', Date.parse(event.eventTime));
  });
}

/** Hands a replay the snapshots that were taken before a time. */
function loadSnapshots(
  {
    replay,
    scope,
    loaded,
  }: {
    readonly replay: AuditReplay;
    readonly scope: InstanceScope;
    readonly loaded: { snapshots: number };
  },
  before: string,
): void {
  for (;;) {
    const next = scope.snapshots[loaded.snapshots];
    const at = next && formatTicks(BigInt(next.validFrom.getTime()) * TICKS_PER_MS);
    if (!next || !at || at >= before) return;
    loaded.snapshots += 1;
    replay.load(next.snapshot, { at, by: `snapshot ${next.sha256.slice(0, SHOWN)}`, recordId: null });
  }
}
/** Digits of a hash that a sentence shows. */
const SHOWN = 12;

/** @throws DomainError `invalid_parameter` where an assessment would have too many server instances */
export function refuseTooMany(instances: number): void {
  if (instances > LIMITS.complianceInstancesMax)
    throw new DomainError('invalid_parameter', {
      public: `There are more than ${LIMITS.complianceInstancesMax} server instances. Ask /compliance/controls for one by serverInstanceName, or use a key of fewer tenants.`,
    });
}

const isAuditStart = ({ actionId, additional }: StoredAuditEvent) =>
  codeOf(actionId) === 'AUSC' && String(additional.additionalInformation ?? '').includes('event enabled');
const isAuditChange = ({ actionId, succeeded }: StoredAuditEvent) =>
  succeeded && ['CR', 'AL', 'DR'].includes(codeOf(actionId));
