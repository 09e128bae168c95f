/** The kinds of entities that have a page, by the field of events that names them. */
const KIND_OF = {
  serverPrincipalName: 'login',
  targetServerPrincipalName: 'login',
  roleMember: 'login',
  hostName: 'host',
  clientIp: 'address',
  objectName: 'object',
  databaseName: 'database',
  serverInstanceName: 'instance',
} as const;
export type EntityKind = (typeof KIND_OF)[keyof typeof KIND_OF];

export const ENTITY_KINDS: readonly EntityKind[] = [...new Set(Object.values(KIND_OF))];

export const isEntityKind = (text: string): text is EntityKind => ENTITY_KINDS.some((kind) => kind === text);

/** The kind that a field names; null: such values have no page. */
export const kindOf = (field: string): EntityKind | null =>
  Object.hasOwn(KIND_OF, field) ? KIND_OF[field as keyof typeof KIND_OF] : null;

export interface EntityId {
  readonly kind: EntityKind;
  readonly value: string;
  /** Of an object: where it lies. Null: anywhere. */
  readonly databaseName: string | null;
  readonly schemaName: string | null;
}

/** The filter that finds the events of an entity. */
export function entityFilter({ kind, value, databaseName, schemaName }: EntityId): string {
  const within =
    kind === 'object'
      ? ([
          ['databaseName', databaseName],
          ['schemaName', schemaName],
        ] as const)
      : [];
  return [[FIELD_OF[kind], value] as const, ...within]
    .flatMap(([field, text]) => (text === null ? [] : [`${field}:${quoted(text)}`]))
    .join(' AND ');
}

/** A value as the filter language has it. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

const FIELD_OF: Readonly<Record<EntityKind, string>> = {
  login: 'serverPrincipalName',
  host: 'hostName',
  address: 'clientIp',
  object: 'objectName',
  database: 'databaseName',
  instance: 'serverInstanceName',
};

/** The address of the page of an entity, below the base of the pages. */
export const entityPage = (kind: EntityKind, value: string): string =>
  `/entity/${kind}?${new URLSearchParams({ value })}`;

/** The address of the page of a value of a field; null: it has none. */
export function valuePage(field: string, value: string | null): string | null {
  const kind = kindOf(field);
  return kind && value ? entityPage(kind, value) : null;
}

/** The page of an object that is named with its database and schema, as in `Payroll.dbo.Salary`; null: it is not. */
export function objectPage(name: string): string | null {
  const [databaseName, schemaName, value, ...others] = name.split('.');
  if (!databaseName || !schemaName || !value || others.length > 0) return null;
  return `/entity/object?${new URLSearchParams({ value, databaseName, schemaName })}`;
}
