import { ofActions, ROLE_CHANGE_ACTIONS } from '../../event/action-names';
import { formatTicks, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { allEqual, equals } from '../../event/expression/expression';
import { printed } from '../../event/expression/printed';
import { STATEMENT_PREVIEW } from '../../event/fields';
import { LOGIN_RENAMES, PRINCIPAL_DROPS } from '../../event/principals';
import { type AuditEventFilter, type TimeRange, toSummaryFilter } from '../../event/query';
import { fold } from '../../event/search';
import type { Answer } from '../../event/shape';
import { LIMITS } from '../../limits';
import type { TenantSet } from '../../tenant-set';
import { type ENTITY, ENTITY_FIELDS, type EntityKind, RELATED_FIELDS, type RelatedField } from './answers';
import type { Questions } from './questions';
import { heldRoles, namesOver, type RoleChange, renameBy } from './roles';

type EntityAnswer = Answer<typeof ENTITY>;
type Facets = Awaited<ReturnType<Questions['facets']>>;

/** What is looked at: an entity, and for an object where it lies. */
export interface EntityId {
  readonly kind: EntityKind;
  readonly value: string;
  readonly databaseName: string | null;
  readonly schemaName: string | null;
}

const RECENT_HOURS = 7 * 24;
const KNOWN_HOURS = 30 * 24;
const ALERTS_MAX = 10;
/** The most names of principals in a filter, which has other terms too, and their characters. */
const NAMES_MAX = LIMITS.expressionTermsMax / 2;
const NAMES_CHARS_MAX = LIMITS.expressionCharsMax / 2;
const EVERYTHING = { from: null, to: null };

/** Looks up what the audit trail knows of one login, host, address, object, database or server instance. */
export class Entities {
  constructor(private readonly ask: Questions) {}

  async of(
    tenants: TenantSet,
    id: EntityId,
    { nowMs, hasAlerts }: { readonly nowMs: number; readonly hasAlerts: boolean },
  ): Promise<EntityAnswer> {
    const { ask } = this;
    const { kind, value } = id;
    const field = ENTITY_FIELDS[kind];
    const end = Math.floor(nowMs / HOUR_MS) + 1;
    const [start, recentFrom] = [end - RECENT_HOURS - KNOWN_HOURS, end - RECENT_HOURS];
    const filter = filterText(id);
    const within = (from: number, to: number) => filterOf({ from: ticksOf(from), to: ticksOf(to) }, filter);
    const fields = RELATED_FIELDS.filter((each) => each !== field);
    const asked = { fields, limit: LIMITS.groupsCountedMax, contains: null } as const;
    const whole = await ask.groups(tenants, filterOf(EVERYTHING, filter), {
      fields: [field],
      before: null,
      sumOf: null,
      by: 'count',
      descending: true,
      limit: 1,
    });
    const [all] = whole.groups;
    const log = await ask.histogram(tenants, filterOf(EVERYTHING), 1);
    const isThere = all !== undefined;
    const [recent, known] = isThere
      ? [
          await ask.facets(tenants, within(recentFrom, end), asked),
          await ask.facets(tenants, within(start, recentFrom), asked),
        ]
      : [NOTHING, NOTHING];
    const roles = await this.#roles(tenants, id);
    const alerts = hasAlerts ? await ask.alerts(tenants, { kind, value, limit: ALERTS_MAX }) : null;
    return {
      events: all?.n ?? 0,
      failed: all?.failed ?? 0,
      firstTime: all ? new Date(all.firstMs).toISOString() : null,
      lastTime: all ? new Date(all.lastMs).toISOString() : null,
      logBegins: log.buckets[0] ? formatTicks(log.buckets[0].from) : null,
      startTime: formatTicks(ticksOf(start)),
      recentTime: formatTicks(ticksOf(recentFrom)),
      endTime: formatTicks(ticksOf(end)),
      hours: isThere ? await this.#hours(tenants, filter, [start, end]) : [],
      related: fields.map((each) => relatedOf(each, recent, known)),
      roles: roles?.held ?? null,
      roleChanges: roles?.changes ?? 0,
      alertCount: alerts?.count ?? null,
      alerts: alerts?.alerts ?? null,
    };
  }

  /** Events of each hour. A histogram has fewer bars than the 37 days have hours. */
  async #hours(
    tenants: TenantSet,
    filter: string,
    [start, end]: readonly [number, number],
  ): Promise<number[]> {
    const hours: number[] = [];
    for (let from = start; from < end; from += LIMITS.histogramBucketsMax) {
      const to = Math.min(end, from + LIMITS.histogramBucketsMax);
      const range = { from: ticksOf(from), to: ticksOf(to) };
      const { buckets } = await this.ask.histogram(tenants, filterOf(range, filter), to - from);
      hours.push(...buckets.map(({ succeeded, failed }) => succeeded + failed));
    }
    return hours;
  }

  /**
   * Replays the changes of roles that name a login, under any name that it had, or of the role that an object is, in any
   * letter case.
   */
  async #roles(tenants: TenantSet, { kind, value, databaseName }: EntityId) {
    if (kind !== 'login' && kind !== 'object') return null;
    const of = (...parts: readonly string[]) => this.#changes(tenants, parts.join(' AND '));
    const isLogin = kind === 'login';
    const renamed = async () => this.#inFull(tenants, (await of(LOGIN_RENAMES)).items);
    const ofLogin = isLogin ? await renamed() : [];
    const ofValue = printed(equals(isLogin ? 'roleMember' : 'objectName', value, true));
    const [named = ofValue] = isLogin ? anyOf('roleMember', namesOver(ofLogin, [value])) : [];
    const where = databaseName === null ? [] : [printed(equals('databaseName', databaseName, true))];
    const { items, totalCount } = await of(ofActions(ROLE_CHANGE_ACTIONS), named, ...where);
    if (!isLogin && totalCount === 0) return null;
    // Most objects are no role: only of a role are the renames of its members asked for.
    const renames = isLogin ? ofLogin : await renamed();
    const members = isLogin ? [value] : items.flatMap(({ roleMember }) => roleMember ?? []);
    const names = anyOf('objectName', namesOver(renames, members));
    const drops = totalCount === 0 ? [] : (await of(PRINCIPAL_DROPS, ...names)).items;
    const changes = [...items, ...drops, ...renames].sort((a, b) => (a.recordId < b.recordId ? -1 : 1));
    const held = heldRoles(changes);
    const isAsked = ({ member }: (typeof held)[number]) => member !== null && fold(member) === fold(value);
    return { held: isLogin ? held.filter(isAsked) : held, changes: totalCount };
  }

  /** Renames with the names of their whole statements: a name may stand behind the beginning that a list has. */
  async #inFull(tenants: TenantSet, changes: readonly RoleChange[]): Promise<readonly RoleChange[]> {
    const cut = changes.filter(
      ({ statementPreview }) => (statementPreview?.length ?? 0) >= STATEMENT_PREVIEW.charsMax,
    );
    const renames = new Map<string, RoleChange['rename']>();
    const ids = cut.map(({ recordId }) => recordId);
    if (ids.length > 0)
      for await (const event of this.ask.events(tenants, ids)) renames.set(event.recordId, renameBy(event));
    return changes.map((one) =>
      renames.has(one.recordId) ? { ...one, rename: renames.get(one.recordId) ?? null } : one,
    );
  }

  /** The newest changes that satisfy a filter. */
  async #changes(tenants: TenantSet, filter: string) {
    const { items, totalCount } = await this.ask.page(tenants, {
      filter: filterOf(EVERYTHING, filter),
      sort: 'recordId',
      descending: true,
      page: 1,
      pageSize: LIMITS.entityRoleChangesMax,
      hasLifted: true,
    });
    return { items: items as readonly RoleChange[], totalCount };
  }
}

/** The condition that a field is one of some names. Of more names than a filter can have, it is left out. */
function anyOf(field: 'objectName' | 'roleMember', names: readonly string[]): readonly string[] {
  const text = names.map((name) => printed(equals(field, name, true))).join(' OR ');
  const fits = names.length > 0 && names.length <= NAMES_MAX && text.length <= NAMES_CHARS_MAX;
  return fits ? [`(${text})`] : [];
}

const NOTHING: Facets = { facets: [] };

function relatedOf(field: RelatedField, recent: Facets, known: Facets): EntityAnswer['related'][number] {
  const counts = new Map<string, { value: string; recent: number; known: number }>();
  for (const [name, { facets }] of [
    ['recent', recent],
    ['known', known],
  ] as const)
    for (const { value, succeeded, failed } of facets.find((one) => one.field === field)?.values ?? []) {
      if (value === null) continue;
      const count = counts.get(value) ?? { value, recent: 0, known: 0 };
      count[name] = succeeded + failed;
      counts.set(value, count);
    }
  const all = [...counts.values()];
  const isNew = (one: { known: number }) => Number(one.known === 0);
  all.sort((a, b) => isNew(b) - isNew(a) || b.recent + b.known - a.recent - a.known);
  const shown = all.slice(0, LIMITS.entityValuesMax);
  return {
    field,
    count: all.length,
    newCount: all.filter(isNew).length,
    values: shown.map(({ value }) => value),
    recent: shown.map((one) => one.recent),
    known: shown.map((one) => one.known),
  };
}

const ticksOf = (hour: number) => BigInt(hour * HOUR_MS) * TICKS_PER_MS;

const filterOf = ({ from, to }: TimeRange, filter?: string): AuditEventFilter => ({
  ...toSummaryFilter({ filter, startTime: undefined, endTime: undefined }),
  from,
  to,
});

function filterText({ kind, value, databaseName, schemaName }: EntityId): string {
  const all = allEqual({
    [ENTITY_FIELDS[kind]]: value,
    ...(kind === 'object' && { databaseName, schemaName }),
  });
  return all ? printed(all) : '';
}
