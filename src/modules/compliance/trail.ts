import { Prisma, type ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/failure';
import { DomainError } from '../../errors';
import { DAY_MS, formatTicks, TICKS_PER_MS } from '../../event/event-time';
import type { FieldName } from '../../event/fields';
import { type AuditEventFilter, toSummaryFilter } from '../../event/query';
import { fold } from '../../event/search';
import { LIMITS } from '../../limits';
import type { EventGroup } from '../../store/columns/groups';
import type { AuditEventReader, StoredAuditEvent } from '../../store/rows/audit-event-reader';
import { MARKED_COLUMNS, toStoredEvent } from '../../store/rows/event-rows';
import { type TenantSet, tenantSet } from '../../tenant-set';
import type { ActionGroup } from './frameworks';
import { AuditReplay } from './replay';
import { type Declaration, type InstanceScope, scopeOf } from './scope';

/** Events of these codes change what an audit records, with the start and the end of the server. */
const AUDIT_CHANGES = '(actionId:(CR OR AL OR DR) AND classType:(A OR SA OR DA)) OR actionId:(AUSC OR AUSF)';
const SERVER_STARTS = 'actionId:SVSR';
/** The time before the moment of an assessment in which an event shows that its group is recorded. */
const PERIOD = 30n * BigInt(DAY_MS) * TICKS_PER_MS;

/** What is asked of other modules. */
export interface Questions {
  readonly groups: (
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: {
      readonly fields: readonly [GroupedBy, GroupedBy?];
      readonly before: null;
      readonly sumOf: null;
      readonly by: 'count';
      readonly descending: boolean;
      readonly limit: number;
    },
  ) => Promise<{ readonly groups: readonly EventGroup[] }>;
  readonly page: AuditEventReader['page'];
  readonly sources: (tenants: TenantSet) => Promise<readonly Source[]>;
  /** The sources that may have the events of an instance; null: all of them. */
  readonly sourcesOf: (instance: string, sources: readonly Source[]) => readonly Source[] | null;
}
type GroupedBy =
  | 'serverInstanceName'
  | 'actionId'
  | 'classType'
  | 'databaseName'
  | 'objectName'
  | 'applicationName';

/** What an agent reports of a database that it reads. */
export interface Source {
  readonly tenantId: string;
  readonly hostName: string;
  readonly completeThrough: string | null;
  readonly state: string;
  readonly gaps: readonly {
    readonly fileName: string;
    readonly afterTime: string | null;
    readonly beforeTime: string | null;
  }[];
}

/** How often a group's events were seen, and when last. */
export interface Seen {
  readonly succeeded: number;
  readonly failed: number;
  readonly lastMs: number;
}

/** What the trail says of one server instance of a tenant up to a moment. */
export interface InstanceTrail {
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
  /** What operators declare of the instance at the moment. */
  readonly scope: InstanceScope;
  /** Changes of audits and their specifications in the period, oldest first. */
  readonly auditChanges: readonly AuditChange[];
  /** The last access to each object in the period, by `objectKey`. */
  readonly accesses: () => Promise<ReadonlyMap<string, number>>;
  /** The number of log-ons in the period by application; an empty name: the event states none. */
  readonly logons: () => Promise<ReadonlyMap<string, number>>;
  /** The newest events of the period on the instance that satisfy a filter, at most 20. */
  readonly records: (filter: string) => Promise<readonly Moment[]>;
  /** The number of events of the period that lack a field. */
  readonly lacking: (field: FieldName) => Promise<number>;
  readonly period: { readonly from: string; readonly to: string };
}
export interface AuditChange extends Moment {
  /** The login; null: the record does not say. */
  readonly by: string | null;
}
interface Moment {
  readonly at: string;
  readonly recordId: string;
}

/** What is assessed. */
export interface Assessed {
  /** The moment, in ticks. */
  readonly asOf: bigint;
  /** One server instance, letter case folded; null: all. */
  readonly instance: string | null;
}

/** Reads what the trail of a tenant says of its server instances up to a moment. */
export async function readTrails(
  parts: {
    readonly service: ServiceDoor;
    readonly ask: Questions;
    readonly groups: ReadonlyMap<string, ActionGroup>;
    /** What is declared in a tenant. */
    readonly declarations: (tenantId: number) => Promise<readonly Declaration[]>;
  },
  tenantId: number,
  { asOf, instance }: Assessed,
): Promise<readonly InstanceTrail[]> {
  const { service, ask, groups } = parts;
  const tenants = tenantSet([tenantId]);
  const [to, from] = [formatTicks(asOf + 1n), formatTicks(asOf - PERIOD)];
  const group: Group = async (fields, values) => {
    const asked = {
      fields,
      before: null,
      sumOf: null,
      by: 'count',
      descending: true,
      limit: LIMITS.groupsCountedMax,
    } as const;
    const filter = toSummaryFilter({ filter: undefined, startTime: undefined, ...values, endTime: to });
    return (await ask.groups(tenants, filter, asked)).groups;
  };
  const found = (await group(['serverInstanceName'], {})).flatMap(({ values: [name] }) => name || []);
  const names = found.filter((name) => instance === null || fold(name) === instance).sort();
  refuseTooMany(names.length);
  const known = new Map(
    names.map((name) => [
      name,
      {
        replay: new AuditReplay((one) => groups.has(one)),
        auditStarts: [] as Moment[],
        auditChanges: [] as AuditChange[],
        serverStarts: [] as Moment[],
      },
    ]),
  );
  await eachEvent(service, ask, tenants, { filter: AUDIT_CHANGES, startTime: null, endTime: to }, (event) => {
    const own = known.get(event.serverInstanceName ?? '');
    own?.replay.take(event);
    if (isAuditStart(event)) own?.auditStarts.push(toMoment(event));
    if (isAuditChange(event) && event.eventTime >= from)
      own?.auditChanges.push({ ...toMoment(event), by: event.serverPrincipalName });
  });
  await eachEvent(service, ask, tenants, { filter: SERVER_STARTS, startTime: from, endTime: to }, (event) =>
    known.get(event.serverInstanceName ?? '')?.serverStarts.push(toMoment(event)),
  );
  const byAction = await group(['serverInstanceName', 'actionId'], { startTime: from });
  const seen = await seenGroups(groups, byAction, (actions) =>
    group(['serverInstanceName', 'classType'], {
      filter: `actionId:(${actions.join(' OR ')})`,
      startTime: from,
    }),
  );
  const all = await ask.sources(tenants);
  const declared = await parts.declarations(tenantId);
  const atMs = Number(asOf / TICKS_PER_MS);
  const lacking = new Map<FieldName, Promise<ReadonlyMap<string, number>>>();
  const askLacking = async (field: FieldName) => {
    const counted = await group(['serverInstanceName'], { filter: `NOT ${field}:*`, startTime: from });
    return new Map(counted.map(({ values: [name = ''], n }) => [name, n]));
  };
  const lackingOf = (field: FieldName) => {
    const asked = lacking.get(field) ?? askLacking(field);
    lacking.set(field, asked);
    return asked;
  };
  const events = new Map<string, number>();
  for (const { values, n } of byAction) events.set(values[0] ?? '', (events.get(values[0] ?? '') ?? 0) + n);
  return [...known].map(([name, own]) => ({
    tenantId,
    serverInstanceName: name,
    ...own,
    seen: seen.get(name) ?? new Map<string, Seen>(),
    events: events.get(name) ?? 0,
    sources: ask.sourcesOf(name, all) ?? all,
    scope: scopeOf(declared, name, atMs),
    ...laterQuestions(name, parts, { tenants, group, from, to }),
    lacking: async (field) => (await lackingOf(field)).get(name) ?? 0,
    period: { from, to },
  }));
}

type Group = (
  fields: readonly [GroupedBy, GroupedBy?],
  values: { filter?: string; startTime?: string },
) => Promise<readonly EventGroup[]>;

/** Questions about one instance that only some controls ask, each at most once. */
function laterQuestions(
  name: string,
  { ask, groups }: { readonly ask: Questions; readonly groups: ReadonlyMap<string, ActionGroup> },
  {
    tenants,
    group,
    from,
    to,
  }: { readonly tenants: TenantSet; readonly group: Group; readonly from: string; readonly to: string },
): Pick<InstanceTrail, 'accesses' | 'logons' | 'records'> {
  const here = `serverInstanceName:${JSON.stringify(name)}`;
  const actions = (of: string) => groups.get(of)?.writes.flatMap((one) => one.actions) ?? [];
  const ofGroup = (of: string) => `${here} AND actionId:(${actions(of).join(' OR ')})`;
  return {
    accesses: once(async () => {
      const asked = { filter: ofGroup(OBJECT_ACCESS), startTime: from };
      const counted = await group(['databaseName', 'objectName'], asked);
      const last = new Map<string, number>();
      for (const { values, lastMs } of counted)
        for (const key of [objectKey(values[0], values[1]), objectKey(values[0], null)])
          last.set(key, Math.max(last.get(key) ?? 0, lastMs));
      return last;
    }),
    logons: once(async () => {
      const counted = await group(['applicationName'], { filter: ofGroup(LOGONS), startTime: from });
      return new Map(counted.map(({ values: [application], n }) => [application ?? '', n]));
    }),
    records: async (wanted) => {
      const filter = toSummaryFilter({ filter: `${here} AND ${wanted}`, startTime: from, endTime: to });
      const { items } = await ask.page(tenants, {
        filter,
        sort: 'recordId',
        descending: true,
        page: 1,
        pageSize: RECORDS_SHOWN,
      });
      return items.map(toMoment);
    },
  };
}
export const OBJECT_ACCESS = 'SCHEMA_OBJECT_ACCESS_GROUP';
export const LOGONS = 'SUCCESSFUL_LOGIN_GROUP';
const RECORDS_SHOWN = 20;

/** The key of an object of `accesses`. Null: any object of the database. */
export const objectKey = (databaseName: string | null | undefined, objectName: string | null | undefined) =>
  JSON.stringify([fold(databaseName ?? ''), objectName === null ? null : fold(objectName ?? '')]);

/** Runs at most once, and answers the same from then on. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= work());
}

/** @throws DomainError `invalid_parameter` where an assessment would have too many server instances */
export function refuseTooMany(instances: number): void {
  if (instances > LIMITS.complianceInstancesMax)
    throw new DomainError('invalid_parameter', {
      public: `There are more than ${LIMITS.complianceInstancesMax} server instances. Ask /compliance/controls for one by serverInstanceName, or use a key of fewer tenants.`,
    });
}

/**
 * Adds the events by action, and by class type where the class type decides, to the groups that write them. One
 * question for each set of actions is asked, whatever the number of instances.
 */
async function seenGroups(
  groups: ReadonlyMap<string, ActionGroup>,
  byAction: readonly EventGroup[],
  byClass: (actions: readonly string[]) => Promise<readonly EventGroup[]>,
): Promise<ReadonlyMap<string, Map<string, Seen>>> {
  const seen = new Map<string, Map<string, Seen>>();
  const add = (name: string, { values: [instance = ''], n, failed, lastMs }: EventGroup) => {
    const own = seen.get(instance) ?? new Map<string, Seen>();
    const before = own.get(name) ?? { succeeded: 0, failed: 0, lastMs: 0 };
    own.set(name, {
      succeeded: before.succeeded + n - failed,
      failed: before.failed + failed,
      lastMs: Math.max(before.lastMs, lastMs),
    });
    seen.set(instance, own);
  };
  const answers = new Map<string, readonly EventGroup[]>();
  const there = new Set(byAction.map(({ values }) => codeOf(values[1])));
  for (const [name, { writes }] of groups)
    for (const { actions, classes } of writes) {
      const present = actions.filter((action) => there.has(action));
      if (present.length === 0) continue;
      if (!classes) {
        for (const one of byAction) if (present.includes(codeOf(one.values[1]))) add(name, one);
        continue;
      }
      const key = present.join(' ');
      const counted = answers.get(key) ?? (await byClass(present));
      answers.set(key, counted);
      for (const one of counted) if (classes.includes(codeOf(one.values[1]))) add(name, one);
    }
  return seen;
}

/** Codes are stored as the server wrote them, with spaces behind. */
const codeOf = (code: string | undefined) => (code ?? '').trim();

/** Rows that are read at once: a statement below the size of a mark may take 256 KB. */
const ROWS_AT_ONCE = 50;

/** Hands over the newest events that satisfy a filter, oldest first, at most `LIMITS.complianceRecordsMax`. */
async function eachEvent(
  service: ServiceDoor,
  ask: Questions,
  tenants: TenantSet,
  { filter, startTime, endTime }: { filter: string; startTime: string | null; endTime: string },
  take: (event: StoredAuditEvent) => void,
): Promise<void> {
  const { items } = await ask.page(tenants, {
    filter: toSummaryFilter({ filter, startTime: startTime ?? undefined, endTime }),
    sort: 'recordId',
    descending: true,
    page: 1,
    pageSize: LIMITS.complianceRecordsMax,
  });
  const ids = items.map(({ recordId }) => recordId).reverse();
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
    const some = ids.slice(at, at + ROWS_AT_ONCE);
    const statement = service.each(tenants)(
      (tenant) => Prisma.sql`
        SELECT ${MARKED_COLUMNS} FROM audit_event e
        WHERE e.tenant_id = ${tenant} AND e.record_id = ANY(${some}::uuid[]) ORDER BY e.record_id`,
    );
    const rows = await guarded(() => service.ask(statement, tenants));
    for (const row of rows) take(toStoredEvent(row));
  }
}

const isAuditStart = ({ actionId, additional }: StoredAuditEvent) =>
  codeOf(actionId) === 'AUSC' && String(additional.additionalInformation ?? '').includes('event enabled');
const isAuditChange = ({ actionId, succeeded }: StoredAuditEvent) =>
  succeeded && ['CR', 'AL', 'DR'].includes(codeOf(actionId));
const toMoment = ({ eventTime, recordId }: Pick<StoredAuditEvent, 'eventTime' | 'recordId'>): Moment => ({
  at: eventTime,
  recordId,
});
