import type { ParameterSpecs } from '../../event/parameter-specs';
import type { Choices, Shape } from '../../event/shape';
import { LIMITS } from '../../limits';

export const OVERVIEW_PARAMETERS = {
  endTime: {
    kind: 'time',
    doc: 'The week ends with the hour of this time. Default: now. Without an offset it is UTC.',
  },
} as const satisfies ParameterSpecs;

const WEEK_COUNT = {
  name: 'WeekCount',
  doc: 'Events of the week that satisfy a filter, and those of the week before.',
  fields: {
    events: { kind: 'count' },
    before: { kind: 'count', nullable: true, doc: 'Null: nothing was recorded in the week before.' },
    filter: { kind: 'text', doc: 'The filter that finds these events; empty: all.' },
  },
} as const satisfies Shape;

const WEEK_ROWS = {
  name: 'WeekRows',
  doc: 'Rows that statements returned in the week, and in the week before.',
  fields: {
    rows: { kind: 'text', doc: 'A decimal text.' },
    before: { kind: 'text', nullable: true, doc: 'Null: nothing was recorded in the week before.' },
    events: { kind: 'count', doc: 'Events of the week that returned rows.' },
    filter: { kind: 'text', doc: 'The filter that finds these events.' },
    objects: {
      kind: 'integer',
      doc: 'Declared sensitive objects whose rows are counted. 0: none is declared, and all rows are counted.',
    },
    otherObjects: { kind: 'integer', doc: 'Declared objects beyond what one filter can name.' },
  },
} as const satisfies Shape;

const WEEK_SERVER = {
  name: 'WeekServer',
  doc: 'Events of a server instance.',
  fields: {
    serverInstanceName: { kind: 'text' },
    hours: { kind: 'count', isList: true, doc: 'Events of each hour of the week.' },
  },
} as const satisfies Shape;

const NEWCOMER_FIELD = {
  name: 'NewcomerField',
  doc: 'A field whose new values are listed.',
  values: {
    serverPrincipalName: 'A login.',
    hostName: 'A client host.',
    applicationName: 'A program.',
  },
} as const satisfies Choices;
export type NewcomerField = keyof typeof NEWCOMER_FIELD.values;
export const NEWCOMER_FIELDS = Object.keys(NEWCOMER_FIELD.values) as NewcomerField[];

const NEWCOMERS = {
  name: 'Newcomers',
  doc: 'Values of a field that the week has and the 30 days before lack.',
  fields: {
    field: { kind: 'choice', choices: NEWCOMER_FIELD },
    count: { kind: 'count', doc: 'All of them, also those not listed.' },
    values: {
      kind: 'text',
      isList: true,
      doc: `At most ${LIMITS.overviewNewcomersMax}; those with the most events first.`,
    },
    events: { kind: 'count', isList: true, doc: 'Events of the week with each value.' },
    firstTimes: { kind: 'time', isList: true, doc: 'Time of the first of them, to the millisecond.' },
  },
} as const satisfies Shape;

const COMPLETENESS = {
  name: 'Completeness',
  doc: 'How many sources have delivered everything.',
  fields: {
    sources: { kind: 'count', doc: 'All but retired ones and those on standby.' },
    complete: {
      kind: 'count',
      doc: 'Those that report, have no problem, and were caught up within the hour.',
    },
    gaps: { kind: 'count', doc: 'Gaps that touch the 30 days before the end of the week.' },
    gapsStartTime: { kind: 'time', doc: 'The beginning of these 30 days.' },
  },
} as const satisfies Shape;

export const OPEN_INCIDENTS = {
  name: 'OpenIncidents',
  doc: 'Incidents of a severity that are not resolved.',
  fields: {
    severity: { kind: 'text', doc: 'low, medium, high or critical.' },
    incidents: { kind: 'count' },
    unacknowledged: { kind: 'count', doc: 'Those that nobody has acknowledged.' },
    oldestTime: { kind: 'time', doc: 'When the oldest of them began.' },
  },
} as const satisfies Shape;

export const OVERVIEW = {
  name: 'Overview',
  doc: 'A week of the audit trail, beside the week before.',
  fields: {
    startTime: { kind: 'time', doc: 'Inclusive; the beginning of an hour.' },
    endTime: { kind: 'time', doc: 'Exclusive; the end of an hour.' },
    newestTime: {
      kind: 'time',
      nullable: true,
      doc: 'If the week has no event: the end of the last hour that has some. Null: the week has events, or there is no event.',
    },
    all: { kind: 'object', of: WEEK_COUNT },
    failedLogins: { kind: 'object', of: WEEK_COUNT },
    privilegeChanges: { kind: 'object', of: WEEK_COUNT },
    rowsRead: {
      kind: 'object',
      of: WEEK_ROWS,
      nullable: true,
      doc: 'Null: it took too long to add them up.',
    },
    completeness: { kind: 'object', of: COMPLETENESS },
    hours: { kind: 'count', isList: true, doc: 'Events of each hour of the week.' },
    serverCount: { kind: 'count', doc: 'Server instances with events.' },
    servers: {
      kind: 'object',
      of: WEEK_SERVER,
      isList: true,
      doc: `The ${LIMITS.overviewServersMax} with the most events.`,
    },
    newcomers: {
      kind: 'object',
      of: NEWCOMERS,
      isList: true,
      nullable: true,
      doc: 'Null: it took too long to look for them, or the 30 days before have no event to compare with.',
    },
    incidents: {
      kind: 'object',
      of: OPEN_INCIDENTS,
      isList: true,
      nullable: true,
      doc: 'The most severe first. Null: the caller may not read alerts.',
    },
  },
} as const satisfies Shape;
