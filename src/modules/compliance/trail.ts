import { Prisma, type ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/failure';
import { DAY_MS, formatTicks, TICKS_PER_MS } from '../../event/event-time';
import type { FieldName } from '../../event/fields';
import { type AuditEventFilter, toSummaryFilter } from '../../event/query';
import { LIMITS } from '../../limits';
import type { EventGroup } from '../../store/columns/groups';
import type { AuditEventReader, StoredAuditEvent } from '../../store/rows/audit-event-reader';
import { MARKED_COLUMNS, toStoredEvent } from '../../store/rows/event-rows';
import { type TenantSet, tenantSet } from '../../tenant-set';
import type { ActionGroup } from './frameworks';
import { AuditReplay } from './replay';

/** Events of these codes change what an audit records, with the start and the end of the server. */
const AUDIT_CHANGES = '(actionId:(CR OR AL OR DR) AND classType:(A OR SA OR DA)) OR actionId:(AUSC OR AUSF)';
const SERVER_STARTS = 'actionId:SVSR';
/** The time before the moment of an assessment in which an event shows that its group is recorded. */
const PERIOD_DAYS = 30;

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
type GroupedBy = 'serverInstanceName' | 'actionId' | 'classType';

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
  /** The number of events of the period that lack a field. */
  readonly lacking: (field: FieldName) => Promise<number>;
  readonly period: { readonly from: string; readonly to: string };
}
interface Moment {
  readonly at: string;
  readonly recordId: string;
}

/** Reads what the trail of a tenant says of its server instances, as of a moment in milliseconds. */
export async function readTrails(
  parts: {
    readonly service: ServiceDoor;
    readonly ask: Questions;
    readonly groups: ReadonlyMap<string, ActionGroup>;
  },
  tenantId: number,
  asOfMs: number,
): Promise<readonly InstanceTrail[]> {
  const { service, ask, groups } = parts;
  const tenants = tenantSet([tenantId]);
  const [to, from] = [asOfMs + 1, asOfMs - PERIOD_DAYS * DAY_MS].map((ms) =>
    formatTicks(BigInt(ms) * TICKS_PER_MS),
  ) as [string, string];
  const group = async (
    fields: readonly [GroupedBy, GroupedBy?],
    values: { filter?: string; startTime?: string },
  ) => {
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
  const changes = await readEvents(service, ask, tenants, AUDIT_CHANGES, null, to);
  const starts = await readEvents(service, ask, tenants, SERVER_STARTS, from, to);
  const names = (await group(['serverInstanceName'], {})).flatMap(({ values: [name] }) => name || []);
  const byAction = await group(['serverInstanceName', 'actionId'], { startTime: from });
  const seen = await seenGroups(groups, byAction, (actions) =>
    group(['serverInstanceName', 'classType'], {
      filter: `actionId:(${actions.join(' OR ')})`,
      startTime: from,
    }),
  );
  const all = await ask.sources(tenants);
  const lacking = new Map<FieldName, Promise<readonly EventGroup[]>>();
  const lackingOf = (field: FieldName) => {
    const asked =
      lacking.get(field) ?? group(['serverInstanceName'], { filter: `NOT ${field}:*`, startTime: from });
    lacking.set(field, asked);
    return asked;
  };
  return names.sort().map((name) => {
    const own = changes.filter(({ serverInstanceName }) => serverInstanceName === name);
    const replay = new AuditReplay();
    for (const event of own) replay.take(event);
    return {
      tenantId,
      serverInstanceName: name,
      replay,
      seen: seen.get(name) ?? new Map<string, Seen>(),
      events: byAction.reduce((n, { values, n: count }) => (values[0] === name ? n + count : n), 0),
      serverStarts: starts.filter((event) => event.serverInstanceName === name).map(toMoment),
      auditStarts: own.filter(isAuditStart).map(toMoment),
      sources: ask.sourcesOf(name, all) ?? all,
      lacking: async (field) => (await lackingOf(field)).find(({ values }) => values[0] === name)?.n ?? 0,
      period: { from, to },
    };
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

/** The newest events that satisfy a filter, oldest first, at most `LIMITS.complianceRecordsMax`. */
async function readEvents(
  service: ServiceDoor,
  ask: Questions,
  tenants: TenantSet,
  filter: string,
  startTime: string | null,
  endTime: string,
): Promise<readonly StoredAuditEvent[]> {
  const { items } = await ask.page(tenants, {
    filter: toSummaryFilter({ filter, startTime: startTime ?? undefined, endTime }),
    sort: 'recordId',
    descending: true,
    page: 1,
    pageSize: LIMITS.complianceRecordsMax,
  });
  if (items.length === 0) return [];
  const ids = items.map(({ recordId }) => recordId);
  const statement = service.each(tenants)(
    (tenant) => Prisma.sql`
      SELECT ${MARKED_COLUMNS} FROM audit_event e
      WHERE e.tenant_id = ${tenant} AND e.record_id = ANY(${ids}::uuid[]) ORDER BY e.record_id`,
  );
  return (await guarded(() => service.ask(statement, tenants))).map(toStoredEvent);
}

const isAuditStart = ({ actionId, additional }: StoredAuditEvent) =>
  codeOf(actionId) === 'AUSC' && String(additional.additionalInformation ?? '').includes('event enabled');
const toMoment = ({ eventTime, recordId }: StoredAuditEvent): Moment => ({ at: eventTime, recordId });
