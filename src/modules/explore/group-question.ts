import { parseTicks } from '../../event/event-time';
import { isNumberField } from '../../event/fields';
import type { ParameterValues } from '../../event/parameter-specs';
import { type Given, parseParameters } from '../../event/parse-parameters';
import { type AuditEventFilter, toAuditEventFilter } from '../../event/query';
import { Zone } from '../../event/zone';
import { type Problem, problem } from '../../problem';
import type { GridQuestion, GroupQuestion, SeriesQuestion } from './explorer';
import {
  DEFAULT_GROUP_FIELD,
  GRID_PARAMETERS,
  GROUP_FIELDS_MAX,
  GROUP_PARAMETERS,
  SERIES_PARAMETERS,
} from './parameters';
import { GROUP_SORTS, type GroupSort } from './sort-groups';

interface Of<Q> {
  readonly filter: AuditEventFilter;
  readonly asked: Q;
}

/** @throws DomainError `invalid_parameter` that names every problem */
export function toGroupQuestion(args: Given): Of<GroupQuestion> {
  const { problems, ...order } = orderOf(args);
  const values = parseParameters(GROUP_PARAMETERS, args, problems);
  return { filter: toAuditEventFilter(values), asked: questionOf(order, values) };
}

/** @throws DomainError `invalid_parameter` that names every problem */
export function toSeriesQuestion(args: Given): Of<SeriesQuestion> {
  const { problems, ...order } = orderOf(args);
  const values = parseParameters(SERIES_PARAMETERS, args, problems);
  const zone = values.timeZone === undefined ? null : new Zone(values.timeZone);
  return {
    filter: toAuditEventFilter(values),
    asked: { ...questionOf(order, { ...values, limit: values.groups }), bucketsMax: values.buckets, zone },
  };
}

/** @throws DomainError `invalid_parameter` that names every problem */
export function toGridQuestion(args: Given): Of<GridQuestion> {
  const fields = fieldsOf(args);
  const values = parseParameters(GRID_PARAMETERS, args, fieldProblems(fields));
  return {
    filter: toAuditEventFilter(values),
    asked: {
      fields: fields as unknown as GroupQuestion['fields'],
      sumOf: values.sumOf ?? null,
      valuesMax: values.values,
    },
  };
}

const fieldsOf = (args: Given): readonly unknown[] => [
  ...new Set(Array.isArray(args.fields) ? args.fields : [DEFAULT_GROUP_FIELD]),
];

const fieldProblems = (fields: readonly unknown[]): Problem[] =>
  fields.length < 1 || fields.length > GROUP_FIELDS_MAX
    ? [problem('fields', 'too_many', 'must be one, two or three fields', { max: GROUP_FIELDS_MAX })]
    : [];

/** The fields, the order and the period before, and what is wrong with them together. */
function orderOf(args: Given) {
  const fields = fieldsOf(args);
  const by = sortOf(args.sortBy, fields);
  const [from, to] = [ticksOf(args.beforeStartTime), ticksOf(args.beforeEndTime)];
  const problems = [
    ...fieldProblems(fields),
    ...(by === null
      ? [
          problem(
            'sortBy',
            'not_one_of',
            `must be one of the given fields, or of ${GROUP_SORTS.join(', ')}`,
            { values: GROUP_SORTS },
          ),
        ]
      : []),
    ...(by === 'sum' && args.sumOf == null
      ? [problem('sortBy', 'conflict', 'sum needs sumOf, the field whose numbers are added up')]
      : []),
    ...(by === 'change' && args.beforeStartTime == null
      ? [problem('sortBy', 'conflict', 'change needs beforeStartTime, the period to compare with')]
      : []),
    ...((args.beforeStartTime == null) !== (args.beforeEndTime == null)
      ? [problem('beforeStartTime', 'conflict', 'and beforeEndTime must be given together')]
      : []),
    ...(from !== null && to !== null && from > to
      ? [problem('beforeStartTime', 'conflict', 'must not be after beforeEndTime')]
      : []),
  ];
  const before = from === null || to === null ? null : { from, to };
  return { fields, by: by ?? ('count' as const), before, problems };
}

function questionOf(
  { fields, by, before }: Omit<ReturnType<typeof orderOf>, 'problems'>,
  values: Pick<ParameterValues<typeof GROUP_PARAMETERS>, 'sumOf' | 'sortDirection' | 'limit'>,
): GroupQuestion {
  return {
    fields: fields as unknown as GroupQuestion['fields'],
    before,
    sumOf: values.sumOf ?? null,
    by,
    descending: values.sortDirection === 'desc',
    limit: values.limit,
  };
}

/** @returns null: the field is not one of the given ones */
function sortOf(sortBy: unknown, fields: readonly unknown[]): GroupSort | null {
  const name = GROUP_SORTS.find((one) => one === (sortBy ?? 'count'));
  if (name) return name;
  const field = fields.indexOf(sortBy);
  return field < 0 ? null : { field, isNumber: isNumberField(String(sortBy)) };
}

const ticksOf = (text: unknown) => (typeof text === 'string' ? parseTicks(text) : null);
