/**
 * What OCSF 1.8.0 requires of the classes in use, copied from its published schema (schema.ocsf.io/1.8.0):
 * required attributes, constraints ("at least one of"), enumerations, and the attributes that a class has.
 */
interface ClassRules {
  readonly category: number;
  readonly activities: readonly number[];
  readonly required: readonly string[];
  readonly atLeastOne?: readonly string[];
  /** Attributes of the class beside those of every class. */
  readonly attributes: readonly string[];
  /** Ids of the status, if they differ from those of most classes. */
  readonly statuses?: readonly number[];
  /** The objects of the class, by their path. */
  readonly nested?: Readonly<
    Record<string, { readonly required: readonly string[]; readonly attributes: readonly string[] }>
  >;
}

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
type Document = any;

export const BASE_REQUIRED = [
  ...['activity_id', 'category_uid', 'class_uid', 'type_uid', 'severity_id', 'time', 'metadata'],
];
export const BASE_ATTRIBUTES = [
  ...BASE_REQUIRED,
  ...['activity_name', 'status_id', 'message', 'unmapped', 'actor', 'device', 'src_endpoint'],
];
export const SEVERITIES = [0, 1, 2, 3, 4, 5, 6, 99];
export const STATUSES = [0, 1, 2, 99];
export const METADATA_REQUIRED = ['version', 'product'];
export const METADATA_ATTRIBUTES = [
  ...[...METADATA_REQUIRED, 'profiles', 'uid', 'tenant_uid', 'event_code', 'original_time', 'logged_time'],
  'sequence',
];
export const ENDPOINT_AT_LEAST_ONE = ['ip', 'uid', 'name', 'hostname', 'svc_name', 'instance_uid'];
const upTo = (last: number) => [...Array(last + 1).keys(), 99];

/** Of the profile `incident`. */
export const INCIDENT_ATTRIBUTES = ['assignee', 'verdict', 'verdict_id'];
export const VERDICTS = upTo(10);

export const CLASSES: Readonly<Record<number, ClassRules>> = {
  2004: {
    category: 2,
    activities: upTo(3),
    required: ['finding_info'],
    attributes: ['finding_info', 'status', 'count', ...INCIDENT_ATTRIBUTES],
    statuses: upTo(6),
    nested: {
      finding_info: {
        required: ['uid'],
        attributes: [
          ...['uid', 'title', 'types', 'analytic', 'created_time', 'modified_time'],
          ...['first_seen_time', 'last_seen_time'],
        ],
      },
      'finding_info.analytic': { required: ['type_id'], attributes: ['type_id', 'type', 'uid', 'name'] },
    },
  },
  3001: { category: 3, activities: upTo(12), required: ['user'], attributes: ['user'] },
  3002: {
    category: 3,
    activities: upTo(7),
    required: ['user'],
    atLeastOne: ['service', 'dst_endpoint'],
    attributes: ['user', 'dst_endpoint'],
  },
  3004: { category: 3, activities: upTo(13), required: ['entity'], attributes: ['entity'] },
  3005: {
    category: 3,
    activities: upTo(2),
    required: ['user', 'privileges'],
    attributes: ['user', 'privileges'],
  },
  3006: { category: 3, activities: upTo(6), required: ['group'], attributes: ['group', 'user'] },
  6002: { category: 6, activities: upTo(8), required: ['app'], attributes: ['app'] },
  6005: {
    category: 6,
    activities: upTo(10),
    required: ['actor', 'src_endpoint'],
    atLeastOne: ['database', 'databucket', 'table'],
    attributes: ['dst_endpoint', 'type_id', 'database', 'table', 'query_info'],
  },
};

/** The violations of the schema in a document. */
export function ocsfProblems(document: Document): string[] {
  const rules = CLASSES[document.class_uid];
  if (!rules) return [`class ${document.class_uid}`];
  const problems: string[] = [];
  const check = (isSound: boolean, problem: string) => isSound || problems.push(problem);
  const missing = (object: Document, names: readonly string[]) =>
    names.filter((name) => object?.[name] === undefined);
  const hasOne = (object: Document, names: readonly string[]) =>
    names.some((name) => object?.[name] !== undefined);
  problems.push(...missing(document, [...BASE_REQUIRED, ...rules.required]).map((name) => `no ${name}`));
  const known = [...BASE_ATTRIBUTES, ...rules.attributes];
  problems.push(
    ...Object.keys(document)
      .filter((name) => !known.includes(name))
      .map((name) => `unknown ${name}`),
  );
  check(rules.activities.includes(document.activity_id), `activity ${document.activity_id}`);
  check(document.category_uid === rules.category, 'category_uid');
  check(document.type_uid === document.class_uid * 100 + document.activity_id, 'type_uid');
  check(SEVERITIES.includes(document.severity_id), 'severity_id');
  check((rules.statuses ?? STATUSES).includes(document.status_id), 'status_id');
  check(document.activity_id !== 99 || typeof document.activity_name === 'string', 'activity_name');
  check(Number.isInteger(document.time), 'time');
  check(document.metadata?.version === '1.8.0', 'metadata.version');
  problems.push(...missing(document.metadata, METADATA_REQUIRED).map((name) => `no metadata.${name}`));
  check(
    Object.keys(document.metadata).every((name) => METADATA_ATTRIBUTES.includes(name)),
    'metadata',
  );
  if (rules.atLeastOne) check(hasOne(document, rules.atLeastOne), `none of ${rules.atLeastOne}`);
  for (const name of ['src_endpoint', 'dst_endpoint'])
    if (document[name]) check(hasOne(document[name], ENDPOINT_AT_LEAST_ONE), name);
  for (const user of [document.user, document.actor?.user])
    if (user) check(typeof user.name === 'string' && user.name !== '', 'user.name');
  if (document.entity) check(typeof document.entity.name === 'string', 'entity.name');
  if (document.device)
    check(document.device.type_id === 1 && document.metadata.profiles?.[0] === 'host', 'device');
  for (const name of rules.nested ? Object.keys(rules.nested) : []) {
    const { required, attributes } = rules.nested?.[name] ?? { required: [], attributes: [] };
    const object = name.split('.').reduce((of, part) => of?.[part], document);
    problems.push(...missing(object, required).map((one) => `no ${name}.${one}`));
    problems.push(
      ...Object.keys(object ?? {})
        .filter((one) => !attributes.includes(one))
        .map((one) => `unknown ${name}.${one}`),
    );
  }
  const isIncident = document.metadata.profiles?.includes('incident') === true;
  for (const name of INCIDENT_ATTRIBUTES)
    check(document[name] === undefined || isIncident, `${name} without incident`);
  check(document.verdict_id === undefined || VERDICTS.includes(document.verdict_id), 'verdict_id');
  if (document.database) check(Number.isInteger(document.database.type_id), 'database.type_id');
  return problems;
}
