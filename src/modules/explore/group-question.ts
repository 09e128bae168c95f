import { parseTicks } from '../../event/event-time';
import { isNumberField } from '../../event/fields';
import { type Given, parseParameters } from '../../event/parse-parameters';
import { type AuditEventFilter, toAuditEventFilter } from '../../event/query';
import { problem } from '../../problem';
import type { FacetField, GroupQuestion } from './explorer';
import { DEFAULT_GROUP_FIELD, GROUP_PARAMETERS } from './parameters';
import { GROUP_SORTS, type GroupSort } from './sort-groups';

/** @throws DomainError `invalid_parameter` that names every problem */
export function toGroupQuestion(args: Given): {
  readonly filter: AuditEventFilter;
  readonly asked: GroupQuestion;
} {
  const given = [...new Set(Array.isArray(args.fields) ? args.fields : [DEFAULT_GROUP_FIELD])];
  const by = sortOf(args.sortBy, given);
  const [from, to] = [ticksOf(args.beforeStartTime), ticksOf(args.beforeEndTime)];
  const values = parseParameters(GROUP_PARAMETERS, args, [
    ...(given.length < 1 || given.length > 2
      ? [problem('fields', 'too_many', 'must be one or two fields', { max: 2 })]
      : []),
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
    ...((args.beforeStartTime == null) !== (args.beforeEndTime == null)
      ? [problem('beforeStartTime', 'conflict', 'and beforeEndTime must be given together')]
      : []),
    ...(from !== null && to !== null && from > to
      ? [problem('beforeStartTime', 'conflict', 'must not be after beforeEndTime')]
      : []),
  ]);
  const fields = given as unknown as readonly [FacetField, FacetField?];
  return {
    filter: toAuditEventFilter(values),
    asked: {
      fields,
      before: from === null || to === null ? null : { from, to },
      sumOf: values.sumOf ?? null,
      by: by ?? 'count',
      descending: values.sortDirection === 'desc',
      limit: values.limit,
    },
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
