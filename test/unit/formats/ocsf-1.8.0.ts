/**
 * What OCSF 1.8.0 demands of the classes that are used, written down from its published schema (schema.ocsf.io/1.8.0):
 * required attributes, constraints ("at least one of"), enumerations, and the attributes that a class has.
 */
interface ClassRules {
  readonly category: number;
  readonly activities: readonly number[];
  readonly required: readonly string[];
  readonly atLeastOne?: readonly string[];
  /** Beside those of every class. */
  readonly attributes: readonly string[];
}

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

export const CLASSES: Readonly<Record<number, ClassRules>> = {
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
