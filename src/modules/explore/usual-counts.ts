import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { HOUR_MS } from '../../event/event-time';
import { equals, type FieldTerm } from '../../event/expression/expression';
import type { AuditEvent } from '../../event/fields';
import { toSummaryFilter } from '../../event/query';
import { kindOf } from '../../store/columns/column-fields';
import { ColumnCounter, inSnapshot } from '../../store/columns/counter';
import {
  Before,
  HABIT_FIELDS,
  habitsBefore,
  hasFewEvents,
  type Numbers,
  OF_LOGIN,
} from '../../store/columns/habits';
import type { Counting, Sums, Tally } from '../../store/columns/tally';
import type { TenantHours } from '../../store/columns/tenant-hours';
import { fromStored } from '../../store/rows/stored-text';
import { oneTenant } from '../../tenant-set';

const PLAIN = { windowMs: null, fields: [], hasOutcomes: false } as const satisfies Counting;

interface Range {
  readonly startTime: string;
  readonly endTime: string;
}

/** The filters of an event's login, of its object, and of both, and the times for which they are asked. */
interface Asked {
  readonly login: string;
  /** Null: it names no object. */
  readonly object: string | null;
  readonly both: string | null;
  /** What was before the event. */
  readonly period: Range;
  /** The hour of the event. */
  readonly hour: Range;
}

/** Counts in one snapshot what was done before an event. @param habitsEventsMax as of `usualOf` */
export function countedBefore(
  service: ServiceDoor,
  event: AuditEvent,
  { login, object, both, period, hour }: Asked,
  habitsEventsMax: number,
): Promise<Counted> {
  const tenantId = Number(event.tenantId);
  const hourMs = Date.parse(hour.startTime);
  const range = toSummaryFilter({ filter: undefined, ...period });
  return guarded(() =>
    inSnapshot(service, oneTenant(tenantId), range, async (counter) => {
      const about = (filter: string) => counter.with(toSummaryFilter({ filter, ...period }));
      const questions = {
        login: about(login),
        hour: counter.with(toSummaryFilter({ filter: login, ...hour })),
        object: object === null ? null : about(object),
        both: both === null ? null : about(both),
      };
      const hours = await counter.tenantHours(tenantId);
      return hasFewEvents(hours, habitsEventsMax)
        ? countedByHabits(event, counter, hours, questions, hourMs)
        : countedByQuestions(event, questions, hourMs);
    }),
  );
}

/** What was counted before an event. */
interface Counted {
  /** The events of its login, and the most of them in an hour before its own. */
  readonly total: number;
  readonly most: number;
  /** Those in its hour, before and after it. */
  readonly inHour: number;
  /** Those that have the same value in a field. */
  readonly alike: ReadonlyMap<(typeof OF_LOGIN)[number], number>;
  /** The events on its object by login, and those of its login with the same action; null: it names no object. */
  readonly onObject: { readonly logins: ReadonlyMap<string, number>; readonly sameAction: number } | null;
}

interface Questions {
  readonly login: ColumnCounter;
  readonly hour: ColumnCounter;
  readonly object: ColumnCounter | null;
  readonly both: ColumnCounter | null;
}

const partsOf = (
  event: AuditEvent,
  { login, object, both }: Questions,
): readonly (readonly [ColumnCounter, Counting])[] => [
  [login, { ...PLAIN, windowMs: HOUR_MS, fields: OF_LOGIN.filter((field) => event[field]) }],
  ...(object && both
    ? ([
        [object, { ...PLAIN, fields: ['serverPrincipalName'] }],
        [both, { ...PLAIN, fields: ['actionId'] }],
      ] as const)
    : []),
];

/** Looks at the events of the login and of the object. */
async function countedByQuestions(event: AuditEvent, questions: Questions, hourMs: number): Promise<Counted> {
  const tallies = await ColumnCounter.together(
    partsOf(event, questions).map(([counter, asked]) => ({ counter, asked })),
  );
  const { total } = await questions.hour.count(PLAIN);
  return countedOf(event, tallies, hourMs, total.n);
}

const countedOf = (
  event: AuditEvent,
  [byLogin, byObject, byBoth]: readonly (Sums | Tally | undefined)[],
  hourMs: number,
  inHour: number,
): Counted => ({
  total: byLogin?.total.n ?? 0,
  most: [...(byLogin?.windows ?? [])].reduce(
    (most, [window, { n }]) => (window * HOUR_MS < hourMs ? Math.max(most, n) : most),
    0,
  ),
  inHour,
  alike: new Map(
    OF_LOGIN.map((field) => [field, byLogin?.values.get(field)?.get(event[field] ?? '')?.n ?? 0]),
  ),
  onObject: byObject
    ? {
        logins: new Map(
          [...(byObject.values.get('serverPrincipalName') ?? [])].map(([login, { n }]) => [login, n]),
        ),
        sameAction: byBoth?.values.get('actionId')?.get(event.actionId)?.n ?? 0,
      }
    : null,
});

/** Looks at what all logins did. Only events that columns do not answer are read for each question. */
async function countedByHabits(
  event: AuditEvent,
  counter: ColumnCounter,
  hours: TenantHours,
  questions: Questions,
  hourMs: number,
): Promise<Counted> {
  const { tenantId } = hours;
  // What the hour's question looks up is looked up together with the rest.
  await questions.hour.tenantHours(tenantId);
  const before = new Before(await numbersOf(event, counter, tenantId));
  const unread = await habitsBefore(hours, hourMs / HOUR_MS, before);
  const { total } = await questions.hour.count(PLAIN);
  const read: Sums[] = [];
  for (const [of, asked] of partsOf(event, questions)) read.push(await of.readTally(tenantId, unread, asked));
  const rest = countedOf(event, read, hourMs, 0);
  return {
    total: before.total + rest.total,
    most: Math.max(before.most, rest.most),
    inHour: total.n,
    alike: new Map(
      OF_LOGIN.map((field) => [field, (before.alike.get(field) ?? 0) + (rest.alike.get(field) ?? 0)]),
    ),
    onObject: rest.onObject && {
      logins: await loginsOf(before, rest.onObject.logins, counter, tenantId),
      sameAction: before.sameAction + rest.onObject.sameAction,
    },
  };
}

/** The numbers of an event's values. */
async function numbersOf(event: AuditEvent, { once }: ColumnCounter, tenantId: number): Promise<Numbers> {
  const terms = HABIT_FIELDS.map((field): FieldTerm => {
    const text = event[field] ?? '';
    return text === ''
      ? { kind: 'field', field, how: 'present', text, isFolded: false }
      : equals(field, text);
  });
  once.expect(tenantId, terms);
  const values = await once.values(tenantId, terms);
  return new Map(
    HABIT_FIELDS.map((field) => {
      const found = values.find(
        ({ kind, value }) => kind === kindOf(field) && fromStored(value) === (event[field] ?? ''),
      );
      return [field, found ? Number(found.id) : null];
    }),
  );
}

async function loginsOf(
  { onObject }: Before,
  read: ReadonlyMap<string, number>,
  { once }: ColumnCounter,
  tenantId: number,
): Promise<ReadonlyMap<string, number>> {
  const nameOf = await once.namesOf(tenantId, 'serverPrincipalName', onObject.keys());
  const logins = new Map(read);
  for (const [id, n] of onObject) logins.set(nameOf(id), (logins.get(nameOf(id)) ?? 0) + n);
  return logins;
}
