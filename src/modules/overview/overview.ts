import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { isUnavailable, TooManyValues } from '../../errors';
import { FAILED_LOGIN_ACTIONS, ofActions } from '../../event/action-names';
import { type AuditEventFilter, type TimeRange, toSummaryFilter } from '../../event/query';
import type { Answer } from '../../event/shape';
import { inUse } from '../../event/source-report';
import { LIMITS } from '../../limits';
import { inSnapshot } from '../../store/columns/counter';
import { seenValues } from '../../store/columns/seen';
import { type NumberSum, sumByColumns } from '../../store/columns/sum';
import type { TenantSet } from '../../tenant-set';
import { NEWCOMER_FIELDS, type NewcomerField, type OVERVIEW } from './answers';
import { ofValues, PRIVILEGE_CHANGES, rowsFilter } from './filters';
import type { Questions } from './questions';
import { textOf, WEEK_HOURS, weekOf } from './week';

type OverviewAnswer = Answer<typeof OVERVIEW>;
type Newcomers = NonNullable<OverviewAnswer['newcomers']>[number];

/** The codes of actions are few; a server of a later version adds some. */
const ACTIONS_MAX = 10_000;

/** Counts a week for the first page of the dashboard. */
export class Overviews {
  constructor(
    private readonly service: ServiceDoor,
    private readonly ask: Questions,
  ) {}

  /** @param atMs a moment in the last hour of the week */
  async of(
    tenants: TenantSet,
    { atMs, hasIncidents }: { readonly atMs: number; readonly hasIncidents: boolean },
  ): Promise<OverviewAnswer> {
    const { ask } = this;
    const { week, before, known, month } = weekOf(atMs);
    const counted = await ask.facets(tenants, filterOf(week), {
      fields: ['actionId', 'serverInstanceName'],
      limit: ACTIONS_MAX,
      contains: null,
    });
    const earlier = await ask.facets(tenants, filterOf(before), {
      fields: ['actionId'],
      limit: ACTIONS_MAX,
      contains: null,
    });
    const [actions, instances] = counted.facets;
    const named = (instances?.values ?? []).flatMap(({ value }) => value ?? []);
    const countOf = (codes: readonly string[]) => ({
      events: sumOf(actions, codes),
      before: earlier.totalCount === 0 ? null : sumOf(earlier.facets[0], codes),
      filter: ofActions(codes),
    });
    const sources = inUse(await ask.sources(tenants));
    return {
      startTime: textOf(week.from),
      endTime: textOf(week.to),
      newestTime: counted.totalCount > 0 ? null : await this.#newest(tenants),
      all: {
        events: counted.totalCount,
        before: earlier.totalCount === 0 ? null : earlier.totalCount,
        filter: '',
      },
      failedLogins: countOf(FAILED_LOGIN_ACTIONS),
      privilegeChanges: countOf(PRIVILEGE_CHANGES),
      rowsRead: await unlessTooLong(this.#rowsRead(tenants, { week, before, atMs }, earlier.totalCount > 0)),
      completeness: {
        sources: sources.length,
        complete: sources.filter(({ state }) => state === 'current' || state === 'gaps').length,
        gaps: await ask.gaps(tenants, { from: textOf(month.from), to: textOf(month.to) }),
        gapsStartTime: textOf(month.from),
      },
      hours: await this.#hours(tenants, filterOf(week)),
      serverCount: named.length,
      servers: await this.#servers(tenants, week, named.slice(0, LIMITS.overviewServersMax)),
      newcomers: await unlessTooLong(this.#newcomers(tenants, { week, known })),
      incidents: hasIncidents ? await ask.incidents(tenants) : null,
    };
  }

  /** The end of the last hour with events; null: there is none. */
  async #newest(tenants: TenantSet): Promise<string | null> {
    const { buckets } = await this.ask.histogram(tenants, filterOf({ from: null, to: null }), 1);
    const last = buckets.at(-1);
    return last ? textOf(last.to) : null;
  }

  async #hours(tenants: TenantSet, filter: AuditEventFilter): Promise<number[]> {
    const { buckets } = await this.ask.histogram(tenants, filter, WEEK_HOURS);
    return buckets.map(({ succeeded, failed }) => succeeded + failed);
  }

  async #servers(tenants: TenantSet, week: TimeRange, names: readonly string[]) {
    const servers: OverviewAnswer['servers'][number][] = [];
    for (const serverInstanceName of names) {
      const filter = filterOf(week, ofValues('serverInstanceName', [serverInstanceName]));
      servers.push({ serverInstanceName, hours: await this.#hours(tenants, filter) });
    }
    return servers;
  }

  async #rowsRead(
    tenants: TenantSet,
    { week, before, atMs }: { readonly week: TimeRange; readonly before: TimeRange; readonly atMs: number },
    hasBefore: boolean,
  ): Promise<OverviewAnswer['rowsRead']> {
    const { filter, ...objects } = rowsFilter(await this.ask.sensitive(tenants, atMs), tenants.length > 1);
    // What returned no row adds nothing: without that condition, no value of an event is compared.
    const compared = objects.objects === 0 ? undefined : filter;
    const now = await this.#sum(tenants, filterOf(week, compared));
    const then = hasBefore ? await this.#sum(tenants, filterOf(before, compared)) : null;
    return {
      rows: String(now.sum),
      before: then && String(then.sum),
      events: now.events,
      filter,
      ...objects,
    };
  }

  #sum(tenants: TenantSet, filter: AuditEventFilter): Promise<NumberSum> {
    return guarded(() =>
      inSnapshot(this.service, tenants, filter, (counter) => sumByColumns(counter, 'responseRows')),
    );
  }

  async #newcomers(
    tenants: TenantSet,
    { week, known }: { readonly week: TimeRange; readonly known: TimeRange },
  ): Promise<readonly Newcomers[] | null> {
    const old = await this.#seen(tenants, known);
    if ([...old.values()].every(({ size }) => size === 0)) return null;
    const limit = LIMITS.groupsCountedMax;
    const now = await this.ask.facets(tenants, filterOf(week), {
      fields: NEWCOMER_FIELDS,
      limit,
      contains: null,
    });
    // Of more values, those with the fewest events are not counted, and new ones have few.
    const isCut = now.facets.some(({ values }) => (values?.length ?? 0) >= limit);
    const all = isCut ? await this.#seen(tenants, week) : null;
    const newcomers: Newcomers[] = [];
    for (const [place, field] of NEWCOMER_FIELDS.entries()) {
      const counted = (now.facets[place]?.values ?? []).flatMap(({ value }) => value ?? []);
      const values = [...new Set([...counted, ...(all?.get(field) ?? [])])].filter(
        (value) => !old.get(field)?.has(value),
      );
      newcomers.push(await this.#dated(tenants, { week, field, values }));
    }
    return newcomers;
  }

  #seen(tenants: TenantSet, range: TimeRange): Promise<ReadonlyMap<NewcomerField, ReadonlySet<string>>> {
    return guarded(() =>
      inSnapshot(this.service, tenants, filterOf(range), (counter) => seenValues(counter, NEWCOMER_FIELDS)),
    );
  }

  /** @param of new values, those with the most events first */
  async #dated(
    tenants: TenantSet,
    of: {
      readonly week: TimeRange;
      readonly field: NewcomerField;
      readonly values: readonly string[];
    },
  ): Promise<Newcomers> {
    const { week, field } = of;
    const some = shown(field, of.values);
    const { groups } =
      some.length === 0
        ? { groups: [] }
        : await this.ask.groups(tenants, filterOf(week, ofValues(field, some)), {
            fields: [field],
            before: null,
            sumOf: null,
            by: 'count',
            descending: true,
            limit: LIMITS.overviewNewcomersMax,
          });
    return {
      field,
      count: of.values.length,
      values: groups.map(({ values }) => values[0] ?? ''),
      events: groups.map(({ n }) => n),
      firstTimes: groups.map(({ firstMs }) => new Date(firstMs).toISOString()),
    };
  }
}

/** The first values, as many as one filter can name. */
function shown(field: NewcomerField, values: readonly string[]): string[] {
  const some = values.slice(0, LIMITS.overviewNewcomersMax);
  while (some.length > 0 && ofValues(field, some).length > LIMITS.expressionCharsMax) some.pop();
  return some;
}

const filterOf = ({ from, to }: TimeRange, filter?: string): AuditEventFilter => ({
  ...toSummaryFilter({ filter, startTime: undefined, endTime: undefined }),
  from,
  to,
});

function sumOf(
  facet: Awaited<ReturnType<Questions['facets']>>['facets'][number] | undefined,
  codes: readonly string[],
): number {
  const own = (facet?.values ?? []).filter(({ value }) => value !== null && codes.includes(value));
  return own.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0);
}

/** Null where a part takes too long, or has too many values: the rest of the page is worth more than a refusal of all. */
async function unlessTooLong<T>(part: Promise<T | null>): Promise<T | null> {
  try {
    return await part;
  } catch (error) {
    if (isUnavailable(error) || error instanceof TooManyValues) return null;
    throw error;
  }
}
