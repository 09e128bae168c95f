import type { ParameterSpecs, QuerySpecs } from '../../../event/parameter-specs';
import type { Choices, Shape } from '../../../event/shape';
import { isUuid } from '../../../event/uuid';
import { LIMITS } from '../../../limits';
import { problem } from '../../../problem';
import { ALERT_FILTERS, ALERTS_PARAMETERS, SEVERITY, STATUS, TOLD_TIMES, VERDICT } from './answers';
import { ASSIGNEE, COMMENT, COMMENT_ALERT, ID, OF_TENANT } from './parameters';

const INCIDENT_STATUS = {
  name: 'IncidentStatus',
  doc: 'State of the work on an incident.',
  values: {
    new: STATUS.values.new,
    acknowledged: STATUS.values.acknowledged,
    resolved: STATUS.values.resolved,
  },
} as const satisfies Choices;

export const INCIDENT_LIST_ITEM = {
  name: 'IncidentListItem',
  doc: 'Alerts that share a login, address, host, target login or session within some time.',
  fields: {
    incidentId: { kind: 'id' },
    tenantId: { kind: 'text' },
    title: { kind: 'text', doc: 'Its steps, as a chain.' },
    severity: { kind: 'choice', choices: SEVERITY, doc: 'Of its worst alert.' },
    status: { kind: 'choice', choices: INCIDENT_STATUS },
    verdict: { kind: 'choice', choices: VERDICT, nullable: true, doc: 'Null: it is not resolved.' },
    assignee: { kind: 'text', nullable: true, doc: 'Who works on it. Null: nobody.' },
    firstEventTime: { kind: 'time', doc: 'Time of its first event: UTC, seven decimals.' },
    lastEventTime: { kind: 'time', doc: 'Time of its last event: UTC, seven decimals.' },
    alertCount: { kind: 'count', doc: 'Alerts of the incident.' },
    eventCount: { kind: 'count', doc: 'Events of those alerts.' },
    rowsRead: { kind: 'count', doc: 'Rows that its logins read in its time, as the records say.' },
    rowsChanged: { kind: 'count', doc: 'Rows that its logins changed in its time, as the records say.' },
    createdAt: { kind: 'time' },
    ...TOLD_TIMES,
    updatedAt: { kind: 'time' },
  },
} as const satisfies Shape;

const INCIDENT_ENTITY = {
  name: 'IncidentEntity',
  doc: 'A login, address, host or session of an incident.',
  fields: {
    kind: { kind: 'text', doc: 'login, address, host or session.' },
    name: { kind: 'text' },
    part: {
      kind: 'text',
      doc: 'did: it acted. got: it was given something, or something was taken from it.',
    },
  },
} as const satisfies Shape;

const INCIDENT_LINE = {
  name: 'IncidentLine',
  doc: 'A line of the timeline of an incident. Equal lines that follow each other are one.',
  fields: {
    firstEventTime: { kind: 'time' },
    lastEventTime: { kind: 'time' },
    text: { kind: 'text', doc: 'What happened.' },
    severity: { kind: 'choice', choices: SEVERITY },
    findingCount: { kind: 'count', doc: 'Findings that the line stands for.' },
    alertId: { kind: 'id', doc: 'The alert of the first of them.' },
  },
} as const satisfies Shape;

const UNRECORDED = {
  name: 'UnrecordedTime',
  doc: 'A time for which a server instance recorded nothing, because its audit was stopped.',
  fields: {
    serverInstanceName: { kind: 'text' },
    from: { kind: 'time' },
    to: { kind: 'time', nullable: true, doc: 'Time of its next event. Null: it has none within a week.' },
  },
} as const satisfies Shape;

const INCIDENT_ALERT = {
  name: 'IncidentAlert',
  doc: 'An alert of an incident, in short.',
  fields: {
    alertId: { kind: 'id' },
    title: { kind: 'text' },
    severity: { kind: 'choice', choices: SEVERITY },
    status: { kind: 'choice', choices: STATUS },
    summary: { kind: 'text', nullable: true },
    firstEventTime: { kind: 'time' },
    lastEventTime: { kind: 'time' },
    placedBy: {
      kind: 'text',
      nullable: true,
      doc: 'The person who placed it in this incident. Null: the service did.',
    },
  },
} as const satisfies Shape;

export const INCIDENT_ENTITIES_MAX = 300;
export const INCIDENT = {
  name: 'Incident',
  doc: INCIDENT_LIST_ITEM.doc,
  fields: {
    ...INCIDENT_LIST_ITEM.fields,
    entities: {
      kind: 'object',
      isList: true,
      of: INCIDENT_ENTITY,
      doc: `The first ${INCIDENT_ENTITIES_MAX}.`,
    },
    alerts: {
      kind: 'object',
      isList: true,
      of: INCIDENT_ALERT,
      doc: 'In the order of their first events; the first 1,000.',
    },
    timeline: {
      kind: 'object',
      isList: true,
      of: INCIDENT_LINE,
      doc: 'In the order of time; of the first 1,000 findings.',
    },
    unrecorded: { kind: 'object', isList: true, of: UNRECORDED },
  },
} as const satisfies Shape;

export const INCIDENT_PAGE = {
  name: 'IncidentPage',
  doc: 'A page of a list, with its total.',
  fields: {
    items: { kind: 'object', isList: true, of: INCIDENT_LIST_ITEM },
    totalCount: { kind: 'count' },
    page: { kind: 'integer' },
    pageSize: { kind: 'integer' },
  },
} as const satisfies Shape;

export const INCIDENT_CHANGE = {
  name: 'IncidentChange',
  doc: 'A change of an incident by a person.',
  fields: {
    changeId: { kind: 'id' },
    at: { kind: 'time' },
    actor: { kind: 'text', doc: 'The person who signed in, or the name of the key.' },
    kind: {
      kind: 'text',
      doc: 'acknowledged, resolved, assigned, commented, moved, event_added or event_removed.',
    },
    detail: { kind: 'values', doc: 'The new values, by field.' },
    comment: { kind: 'text', nullable: true },
  },
} as const satisfies Shape;

/** The columns for `sortBy`. Ties are broken by the id. */
export const INCIDENT_SORTS = {
  Timestamp: 'created_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  lastEventTime: 'last_event',
  firstEventTime: 'first_event',
  severity: 'severity',
} as const;

export const INCIDENTS_PARAMETERS = {
  page: ALERTS_PARAMETERS.page,
  pageSize: ALERTS_PARAMETERS.pageSize,
  sortBy: {
    kind: 'choice',
    values: Object.keys(INCIDENT_SORTS),
    default: 'createdAt',
    doc: 'Field to sort by; ties by id.',
  },
  sortDirection: ALERTS_PARAMETERS.sortDirection,
  status: { kind: 'choice', values: Object.keys(INCIDENT_STATUS.values), doc: 'Status.' },
  severity: ALERT_FILTERS.severity,
  startTime: ALERT_FILTERS.startTime,
  endTime: ALERT_FILTERS.endTime,
} as const satisfies QuerySpecs;
export const INCIDENT_PARAMETERS = {
  incidentId: { kind: 'id', isRequired: true, doc: 'The unique identifier of the incident: a UUID.' },
} as const satisfies QuerySpecs;

export const OF_INCIDENT = { incidentId: ID } as const satisfies ParameterSpecs;
export const TENANT_INCIDENTS = {
  tenantId: { kind: 'text', charsMax: 20, doc: 'Of this tenant only.' },
  ...INCIDENTS_PARAMETERS,
} as const satisfies ParameterSpecs;
export const ACKNOWLEDGE_INCIDENT = {
  incidentId: ID,
  assignee: { ...ASSIGNEE, doc: 'Who works on it. Not given: unchanged.' },
  comment: COMMENT,
} as const satisfies ParameterSpecs;
export const RESOLVE_INCIDENT = {
  incidentId: ID,
  verdict: { kind: 'enum', choices: VERDICT, isRequired: true },
  comment: COMMENT,
} as const satisfies ParameterSpecs;
export const ASSIGN_INCIDENT = {
  incidentId: ID,
  assignee: { ...ASSIGNEE, doc: 'Null: nobody.' },
} as const satisfies ParameterSpecs;
/** Several incidents that get the same work. */
const INCIDENT_IDS = {
  kind: 'texts',
  isRequired: true,
  itemsMax: LIMITS.incidentsWorkedMax,
  check: (ids: readonly string[], field: string) =>
    ids.length > 0 && ids.every(isUuid)
      ? []
      : [problem(field, 'malformed', 'must be ids of incidents: UUIDs')],
} as const;
export const ACKNOWLEDGE_INCIDENTS = {
  incidentIds: INCIDENT_IDS,
  assignee: ACKNOWLEDGE_INCIDENT.assignee,
  comment: COMMENT,
} as const satisfies ParameterSpecs;
export const RESOLVE_INCIDENTS = {
  incidentIds: INCIDENT_IDS,
  verdict: RESOLVE_INCIDENT.verdict,
  comment: COMMENT,
} as const satisfies ParameterSpecs;
export const ASSIGN_INCIDENTS = {
  incidentIds: INCIDENT_IDS,
  assignee: ASSIGN_INCIDENT.assignee,
  comment: COMMENT,
} as const satisfies ParameterSpecs;
export const COMMENT_INCIDENT = {
  incidentId: ID,
  comment: COMMENT_ALERT.comment,
} as const satisfies ParameterSpecs;
export const MOVE_ALERT = {
  alertId: ID,
  incidentId: { kind: 'id', doc: 'The incident that gets it. Not given: a new one.' },
  comment: COMMENT,
} as const satisfies ParameterSpecs;
export const SET_INCIDENT_MINUTES = {
  ...OF_TENANT,
  minutes: { kind: 'integer', min: 1, max: LIMITS.incidentMinutesMax, isRequired: true },
} as const satisfies ParameterSpecs;
