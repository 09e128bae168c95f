import { columnOf, kindOf, OWN_FIELDS } from './column-fields';

/**
 * Removes the numbers of a tenant's ($1) values that no column has any more, with one statement for each field. The
 * caller must have the tenant's turn of indexing. Events that are not indexed yet use no number.
 */
export const FORGET_COLUMN_VALUES: readonly string[] = OWN_FIELDS.map(
  (field) => `
DELETE FROM audit_dim m WHERE m.tenant_id = $1::int AND m.kind = ${kindOf(field)} AND NOT EXISTS (
  SELECT FROM (
    SELECT DISTINCT unnest(string_to_array(split_part(s.${columnOf(field)}, ';', 1), ','))::int AS id
    FROM audit_segment s WHERE s.tenant_id = $1::int AND s.${columnOf(field)} IS NOT NULL) u WHERE u.id = m.dim_id)`,
);
