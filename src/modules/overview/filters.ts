import { ROLE_CHANGE_ACTIONS } from '../../event/action-names';
import { allEqual, type ExpressionField, equals } from '../../event/expression/expression';
import { parseFilter } from '../../event/expression/parse-filter';
import { printed } from '../../event/expression/printed';
import { LIMITS } from '../../limits';
import type { SensitiveObject } from './questions';

/** Members of roles; permissions granted, revoked and denied; owners. */
export const PRIVILEGE_CHANGES = [...ROLE_CHANGE_ACTIONS, 'G', 'GWG', 'R', 'RWG', 'RWC', 'D', 'DWC', 'TO'];

const WITH_ROWS = 'responseRows:>0';

/** The filter that finds the events which returned rows of sensitive objects, or of all objects if none is declared. */
export function rowsFilter(
  objects: readonly SensitiveObject[],
  hasTenants: boolean,
): { readonly filter: string; readonly objects: number; readonly otherObjects: number } {
  const parts: string[] = [];
  const textOf = (each: readonly string[]) =>
    each.length === 1 ? `${each[0]} AND ${WITH_ROWS}` : `(${each.join(' OR ')}) AND ${WITH_ROWS}`;
  for (const object of objects) {
    const part = printedObject(object, hasTenants);
    const next = [...parts, objects.length === 1 ? part : `(${part})`];
    if (isTooLong(textOf(next))) break;
    parts.push(next.at(-1) ?? '');
  }
  const filter = parts.length === 0 ? WITH_ROWS : textOf(parts);
  return { filter, objects: parts.length, otherObjects: objects.length - parts.length };
}

const isTooLong = (text: string) => text.length > LIMITS.expressionCharsMax || 'problem' in parseFilter(text);

function printedObject(object: SensitiveObject, hasTenants: boolean): string {
  const { tenantId, serverInstanceName, databaseName, schemaName, objectName } = object;
  const texts = { serverInstanceName, databaseName, schemaName, objectName };
  const all = allEqual({ ...(hasTenants && { tenantId: String(tenantId) }), ...texts }, true);
  return all ? printed(all) : '';
}

/** The filter that a field has one of these values. */
export const ofValues = (field: ExpressionField, values: readonly string[]): string =>
  printed(
    values.length === 1
      ? equals(field, values[0] ?? '')
      : { kind: 'or', of: values.map((text) => equals(field, text)) },
  );
