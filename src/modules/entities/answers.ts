import type { ParameterSpecs } from '../../event/parameter-specs';
import type { Shape } from '../../event/shape';
import { LIMITS } from '../../limits';

/** The kinds of entities, each with the field of events that names it. */
export const ENTITY_FIELDS = {
  login: 'serverPrincipalName',
  host: 'hostName',
  address: 'clientIp',
  object: 'objectName',
  database: 'databaseName',
  instance: 'serverInstanceName',
} as const;
export type EntityKind = keyof typeof ENTITY_FIELDS;
export const ENTITY_KINDS = Object.keys(ENTITY_FIELDS) as EntityKind[];

/** The fields whose values an entity is seen with. */
export const RELATED_FIELDS = [
  ...(['serverPrincipalName', 'hostName', 'clientIp', 'applicationName'] as const),
  ...(['serverInstanceName', 'databaseName', 'objectName'] as const),
];
export type RelatedField = (typeof RELATED_FIELDS)[number];

export const ENTITY_PARAMETERS = {
  kind: {
    kind: 'choice',
    values: ENTITY_KINDS,
    isRequired: true,
    doc: 'What it is.',
  },
  value: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    isRequired: true,
    doc: 'Its name, compared exactly.',
  },
  databaseName: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    doc: 'Of an object: only that of this database.',
  },
  schemaName: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    doc: 'Of an object: only that of this schema.',
  },
} as const satisfies ParameterSpecs;

const RELATED = {
  name: 'RelatedValues',
  doc: 'Values of a field in the events of an entity. The lists have an entry for each value, in the same order.',
  fields: {
    field: { kind: 'text', doc: 'Name of a field of AuditEvent.' },
    count: { kind: 'count', doc: 'All values, also those not listed.' },
    newCount: { kind: 'count', doc: 'New values, also those not listed.' },
    values: {
      kind: 'text',
      isList: true,
      doc: `At most ${LIMITS.entityValuesMax}; new ones first, then those with the most events.`,
    },
    recent: { kind: 'count', isList: true, doc: 'Events of the last 7 days with each value.' },
    known: { kind: 'count', isList: true, doc: 'Events of the 30 days before them. 0: the value is new.' },
  },
} as const satisfies Shape;

const ROLE = {
  name: 'HeldRole',
  doc: 'A membership in a role, replayed from the events that changed the role.',
  fields: {
    role: { kind: 'text' },
    member: { kind: 'text', nullable: true, doc: 'Null: the event does not name it.' },
    serverInstanceName: { kind: 'text', nullable: true },
    databaseName: { kind: 'text', nullable: true, doc: 'Null: a role of the server.' },
    since: { kind: 'time', nullable: true, doc: 'Null: it was a member before the log began.' },
    by: { kind: 'text', nullable: true, doc: 'The login that added it.' },
    recordId: { kind: 'id', nullable: true, doc: 'The event that added it.' },
    until: { kind: 'time', nullable: true, doc: 'Null: it is still a member.' },
    untilBy: { kind: 'text', nullable: true, doc: 'The login that removed it.' },
    untilRecordId: { kind: 'id', nullable: true, doc: 'The event that removed it.' },
  },
} as const satisfies Shape;

export const ENTITY_ALERT = {
  name: 'EntityAlert',
  doc: 'An alert that is not resolved.',
  fields: {
    alertId: { kind: 'id' },
    title: { kind: 'text' },
    severity: { kind: 'text', doc: 'low, medium, high or critical.' },
    lastEventTime: { kind: 'time' },
  },
} as const satisfies Shape;

export const ENTITY = {
  name: 'Entity',
  doc: 'What the audit trail knows of a login, host, address, object, database or server instance.',
  fields: {
    events: { kind: 'count', doc: 'All events in the log.' },
    failed: { kind: 'count' },
    firstTime: {
      kind: 'time',
      nullable: true,
      doc: 'Of its first event, to the millisecond. Null: it has none.',
    },
    lastTime: { kind: 'time', nullable: true, doc: 'Of its last event.' },
    logBegins: {
      kind: 'time',
      nullable: true,
      doc: 'The first hour that has events. Null: there is no event.',
    },
    startTime: { kind: 'time', doc: 'The beginning of the 37 days that the lists are about.' },
    recentTime: { kind: 'time', doc: 'The beginning of the last 7 of them.' },
    endTime: { kind: 'time', doc: 'Exclusive; the end of the current hour.' },
    hours: { kind: 'count', isList: true, doc: 'Events of each hour of the 37 days.' },
    related: { kind: 'object', of: RELATED, isList: true },
    roles: {
      kind: 'object',
      of: ROLE,
      isList: true,
      nullable: true,
      doc: 'Roles that a login holds, or members of a role, then those that have ended. Null: it is neither.',
    },
    roleChanges: { kind: 'count', doc: 'Changes of roles that name it; only the newest are replayed.' },
    alertCount: {
      kind: 'count',
      nullable: true,
      doc: 'Alerts that name it and are not resolved. Null: the caller may not read alerts, or alerts do not name this kind.',
    },
    alerts: {
      kind: 'object',
      of: ENTITY_ALERT,
      isList: true,
      nullable: true,
      doc: 'The most severe of them, at most 10.',
    },
  },
} as const satisfies Shape;
