import { inQuotes } from '../../event/expression/value-text';
import type { FieldName } from '../../event/fields';
import { toSummaryFilter } from '../../event/query';
import { fold } from '../../event/search';
import { LIMITS } from '../../limits';
import type { EventGroup } from '../../store/columns/groups';
import type { TenantSet } from '../../tenant-set';
import type { ActionGroup } from './frameworks';
import { type GroupEach, type GroupQuestions, type Moment, type Questions, toMoment } from './questions';
import type { SensitiveObject } from './scope';

/** What only some controls ask of an instance. */
export interface LaterQuestions {
  /**
   * The last access in the period to each object in the databases that have sensitive ones, by `objectKey`. Null: to more
   * objects than can be counted.
   */
  readonly accesses: () => Promise<ReadonlyMap<string, number> | null>;
  /**
   * The number of log-ons in the period by application; an empty name: the event states none. Null: from more
   * applications than can be counted.
   */
  readonly logons: () => Promise<ReadonlyMap<string, number> | null>;
  /** The logins that read audit files on the server in the period. Null: more than can be counted. */
  readonly readers: () => Promise<readonly string[] | null>;
  /** The newest events of the period on the instance that satisfy a filter, at most 20. */
  readonly records: (filter: string) => Promise<readonly Moment[]>;
}

/**
 * Questions that only some controls ask, each at most once. What all instances are likely to be asked is asked of all of
 * them together.
 */
export function laterOfTenant(
  { ask, groups }: { readonly ask: Questions; readonly groups: ReadonlyMap<string, ActionGroup> },
  {
    tenants,
    groupEach,
    from,
    to,
    known,
  }: {
    readonly tenants: TenantSet;
    readonly groupEach: GroupEach;
    readonly from: string;
    readonly to: string;
    /** The answers to `logonQuestions`; null: they were not asked. */
    readonly known: Awaited<ReturnType<GroupEach>> | null;
  },
): (name: string, sensitive: readonly SensitiveObject[]) => LaterQuestions {
  const logonsAndReaders = once(async () => known ?? groupEach(logonQuestions(groups, from)));
  return (name, sensitive) => {
    const here = `serverInstanceName:${inQuotes(name)}`;
    const isHere = ({ values }: EventGroup) => values[0] === name;
    return {
      accesses: once(async () => {
        const databases = sensitive.map(({ databaseName }) => databaseName);
        const filter = `${here} AND ${ofGroup(groups, OBJECT_ACCESS)}${oneOf('databaseName', databases)}`;
        const [counted] = await groupEach([
          [['databaseName', 'schemaName', 'objectName'], { filter, startTime: from, mayBeMany: true }],
        ]);
        if (!counted) return null;
        const last = new Map<string, number>();
        for (const {
          values: [databaseName = '', schemaName = '', objectName = ''],
          lastMs,
        } of counted)
          for (const of of [
            { databaseName, schemaName, objectName },
            { databaseName, schemaName, objectName: null },
            { databaseName, schemaName: null, objectName: null },
          ])
            last.set(objectKey(of), Math.max(last.get(objectKey(of)) ?? 0, lastMs));
        return last;
      }),
      logons: once(async () => {
        const [all] = await logonsAndReaders();
        if (all)
          return new Map(all.filter(isHere).map(({ values: [, application], n }) => [application ?? '', n]));
        const filter = `${here} AND ${ofGroup(groups, LOGONS)}`;
        const [own] = await groupEach([[['applicationName'], { filter, startTime: from, mayBeMany: true }]]);
        return own ? new Map(own.map(({ values: [application], n }) => [application ?? '', n])) : null;
      }),
      readers: once(async () => {
        const [, all] = await logonsAndReaders();
        if (all) return all.filter(isHere).map(({ values: [, login] }) => login ?? '');
        const filter = `${here} AND ${READS_OF_FILES}`;
        const [own] = await groupEach([
          [['serverPrincipalName'], { filter, startTime: from, mayBeMany: true }],
        ]);
        return own?.map(({ values: [login] }) => login ?? '') ?? null;
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
  };
}

type Groups = ReadonlyMap<string, ActionGroup>;
const ofGroup = (groups: Groups, name: string) =>
  `actionId:(${(groups.get(name)?.writes ?? []).flatMap(({ actions }) => actions).join(' OR ')})`;

/** A further condition, that a field has one of some values in any letter case. Of no values, or of many, there is none. */
export function oneOf(field: FieldName, values: readonly string[]): string {
  const distinct = [...new Set(values.map(fold))];
  const isAsked = distinct.length > 0 && distinct.length <= LIMITS.complianceNamesAskedMax;
  return isAsked ? ` AND ${field}~(${distinct.map(inQuotes).join(' OR ')})` : '';
}

/** Log-ons by application, and reads of audit files by login, on each instance. */
export const logonQuestions = (groups: Groups, from: string): GroupQuestions => [
  [
    ['serverInstanceName', 'applicationName'],
    { filter: ofGroup(groups, LOGONS), startTime: from, mayBeMany: true },
  ],
  [
    ['serverInstanceName', 'serverPrincipalName'],
    { filter: READS_OF_FILES, startTime: from, mayBeMany: true },
  ],
];

/** Events that lack each of some fields, on each instance. */
export const lackingQuestions = (fields: readonly FieldName[], from: string): GroupQuestions =>
  fields.map((field) => [['serverInstanceName'], { filter: `NOT ${field}:*`, startTime: from }]);

/** The number of events of the period that lack a field, by instance. */
export class Lacking {
  readonly #known = new Map<FieldName, ReadonlyMap<string, number>>();

  constructor(private readonly ask: (fields: readonly FieldName[]) => ReturnType<GroupEach>) {}

  learn(fields: readonly FieldName[], answers: Awaited<ReturnType<GroupEach>>): void {
    for (const [i, field] of fields.entries())
      this.#known.set(field, new Map(answers[i]?.map(({ values: [name = ''], n }) => [name, n])));
  }

  async of(name: string, fields: readonly FieldName[]): Promise<readonly number[]> {
    const missing = fields.filter((field) => !this.#known.has(field));
    if (missing.length > 0) this.learn(missing, await this.ask(missing));
    return fields.map((field) => this.#known.get(field)?.get(name) ?? 0);
  }
}

export const OBJECT_ACCESS = 'SCHEMA_OBJECT_ACCESS_GROUP';
/** Reads of audit files by the function of the server; those of its host leave no event. */
export const READS_OF_FILES = '(objectName:fn_get_audit_file AND actionId:(SL OR EX))';
export const LOGONS = 'SUCCESSFUL_LOGIN_GROUP';
const RECORDS_SHOWN = 20;

/** The key of an object of `accesses`, or of all within its schema or database. */
export const objectKey = ({ databaseName, schemaName, objectName }: SensitiveObject) =>
  JSON.stringify([databaseName, schemaName, objectName].map((name) => name && fold(name)));

/** Runs at most once, and answers the same from then on. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= work());
}
