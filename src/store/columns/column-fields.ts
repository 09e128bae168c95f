import { EXPRESSION_FIELDS, type ExpressionField } from '../../event/expression/expression';
import { COLUMN_OF, isNumberField } from '../../event/fields';
import { COUNTED } from '../counts/dimensions';

/** Fields that have a column in each hour: all whose values repeat. The tenant of an hour is known without a column. */
export type ColumnField = Exclude<ExpressionField, 'recordId' | 'tenantId' | 'statement'>;
export const COLUMN_FIELDS: readonly ColumnField[] = EXPRESSION_FIELDS.filter(isColumnField);

export function isColumnField(field: ExpressionField): field is ColumnField {
  return field !== 'recordId' && field !== 'tenantId' && field !== 'statement';
}

/** Fields that events can be counted by. */
export type GroupField = ColumnField | 'tenantId';

/** The column of a field in events and segments. */
export const columnOf = (field: ColumnField): string => COLUMN_OF[field];

/** The layout of the columns that this release makes. Hours of an earlier one lack some of them. */
export const LAYOUT = 2;

/**
 * Kinds in `audit_dim` of the fields that are not counted. Stored rows have these numbers, so a number never changes.
 */
const KINDS = {
  schemaName: 5,
  objectName: 6,
  databasePrincipalName: 7,
  applicationName: 8,
  hostName: 9,
  clientIp: 10,
  sourceType: 11,
  classType: 12,
  targetServerPrincipalName: 13,
  targetDatabasePrincipalName: 14,
  roleMember: 15,
} as const satisfies Partial<Record<ColumnField, number>>;

/** The fields whose values the indexer numbers. The values of the other fields are numbered when counts are folded. */
export const OWN_FIELDS = Object.keys(KINDS) as (keyof typeof KINDS)[];

/** The kind of a field in `audit_dim`; null: the outcome, which is its own number, and numbers, which it does not have. */
export function kindOf(field: ColumnField): number | null {
  if (field === 'succeeded' || isNumberField(field)) return null;
  const counted = COUNTED.find((dimension) => dimension.field === field)?.kind;
  return counted ?? KINDS[field as keyof typeof KINDS];
}

/** The numbers of the outcome. */
export const OUTCOME = { failed: 0, succeeded: 1 } as const;
