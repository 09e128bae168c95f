import { allOf, type Expression, type ExpressionField } from '../../event/expression/expression';
import { parseFilter } from '../../event/expression/parse-filter';
import { printed } from '../../event/expression/printed';
import { LIMITS } from '../../limits';
import type { SensitiveObject } from './questions';

export const FAILED_LOGINS = ['LGIF', 'DBAF'];
/** Members of roles; permissions granted, revoked and denied; owners. */
export const PRIVILEGE_CHANGES = ['APRL', 'DPRL', 'G', 'GWG', 'R', 'RWG', 'RWC', 'D', 'DWC', 'TO'];

export const ofActions = (actions: readonly string[]): string => `actionId:(${actions.join(' OR ')})`;

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
  const term = (field: ExpressionField, text: string | null): Expression[] =>
    text === null ? [] : [{ kind: 'field', field, how: 'equals', text, isFolded: true }];
  const all = allOf([
    ...(hasTenants ? term('tenantId', String(tenantId)) : []),
    ...term('serverInstanceName', serverInstanceName),
    ...term('databaseName', databaseName),
    ...term('schemaName', schemaName),
    ...term('objectName', objectName),
  ]);
  return all ? printed(all) : '';
}

/** The filter that a field has one of these values. */
export const ofValues = (field: ExpressionField, values: readonly string[]): string =>
  printed(
    values.length === 1
      ? equals(field, values[0] ?? '')
      : { kind: 'or', of: values.map((text) => equals(field, text)) },
  );

const equals = (field: ExpressionField, text: string): Expression => ({
  kind: 'field',
  field,
  how: 'equals',
  text,
  isFolded: false,
});
