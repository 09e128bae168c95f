import type { QuerySpecs } from '../../../event/parameter-specs';
import { PAGING } from '../../../event/parameters';
import { type Choices, pageOf, type Shape } from '../../../event/shape';
import { LIMITS } from '../../../limits';
import { SEVERITIES } from '../../../rules/rule';

export const SEVERITY = {
  name: 'AlertSeverity',
  doc: 'Severity of a finding or alert.',
  values: {
    low: 'Review it when there is time.',
    medium: 'Review it soon.',
    high: 'Review it now.',
    critical: 'An attack is most likely under way.',
  },
} as const satisfies Choices;

export const STATUS = {
  name: 'AlertStatus',
  doc: 'State of the work on an alert.',
  values: {
    new: 'Nobody has acknowledged it.',
    acknowledged: 'Somebody is working on it.',
    resolved: 'The work is done; it has a verdict.',
    suppressed: 'It is suppressed until a time.',
  },
} as const satisfies Choices;

export const VERDICT = {
  name: 'AlertVerdict',
  doc: 'What an alert turned out to be.',
  values: {
    true_positive: 'An attack, or a breach of the rules.',
    false_positive: 'The rule matched what it should not match.',
    expected: 'It happened, and it was intended.',
  },
} as const satisfies Choices;

const GROUP = { kind: 'values', doc: 'What its findings have in common: values by field.' } as const;
const FIRST = { kind: 'time', doc: 'Time of its first event: UTC, seven decimals.' } as const;
/** Fields of findings about logins, users and roles. */
const DEEDS = {
  summary: {
    kind: 'text',
    nullable: true,
    doc: 'Who did what to whom, in a sentence. Null: its events say no such thing.',
  },
  didIt: { kind: 'text', isList: true, doc: 'Logins that changed a login, user, role or permission.' },
  gotIt: { kind: 'text', isList: true, doc: 'Logins, users or roles that this change concerned.' },
} as const;
const LAST = { kind: 'time', doc: 'Time of its last event: UTC, seven decimals.' } as const;

/** How long people took. */
export const TOLD_TIMES = {
  acknowledgedAt: {
    kind: 'time',
    nullable: true,
    doc: 'When a person first acknowledged, resolved or suppressed it. Null: not yet, or it is not known.',
  },
  secondsToAcknowledge: {
    kind: 'count',
    nullable: true,
    doc: 'Seconds from when it was made until then. Null: as `acknowledgedAt`.',
  },
} as const;

export const ALERT = {
  name: 'Alert',
  doc: 'Findings of one rule and group, on which people work as one case.',
  fields: {
    alertId: { kind: 'id' },
    tenantId: { kind: 'text' },
    ruleId: { kind: 'id' },
    title: { kind: 'text', doc: 'Of the rule.' },
    severity: { kind: 'choice', choices: SEVERITY },
    status: { kind: 'choice', choices: STATUS },
    verdict: { kind: 'choice', choices: VERDICT, nullable: true, doc: 'Null: it is not resolved.' },
    assignee: { kind: 'text', nullable: true, doc: 'Who works on it. Null: nobody.' },
    group: GROUP,
    firstEventTime: FIRST,
    lastEventTime: LAST,
    findingCount: { kind: 'count', doc: 'Findings of the alert.' },
    eventCount: { kind: 'count', doc: 'Events of those findings.' },
    createdAt: { kind: 'time' },
    updatedAt: { kind: 'time' },
    incidentId: {
      kind: 'id',
      nullable: true,
      doc: 'Its incident. Null: it was suppressed from the beginning, or tells of the trail itself.',
    },
    ...TOLD_TIMES,
    ...DEEDS,
  },
} as const satisfies Shape;

export const FINDING_LIST_ITEM = {
  name: 'FindingListItem',
  doc: 'One match of a rule. It never changes.',
  fields: {
    findingId: { kind: 'id' },
    alertId: { kind: 'id', doc: 'The alert it belongs to.' },
    tenantId: { kind: 'text' },
    ruleId: { kind: 'id' },
    ruleVersion: { kind: 'integer', doc: 'Version of the rule when it matched.' },
    title: { kind: 'text', doc: 'Of the rule.' },
    severity: { kind: 'choice', choices: SEVERITY },
    group: GROUP,
    firstEventTime: FIRST,
    lastEventTime: LAST,
    recordIds: { kind: 'id', isList: true, doc: 'Record ids of the events that prove it, the first 100.' },
    eventCount: { kind: 'count', doc: 'Events that prove it.' },
    detectedAt: { kind: 'time' },
    ...DEEDS,
  },
} as const satisfies Shape;

export const FINDING = {
  name: 'Finding',
  doc: FINDING_LIST_ITEM.doc,
  fields: {
    ...FINDING_LIST_ITEM.fields,
    proofs: {
      kind: 'text',
      isList: true,
      doc: 'Paths of the proofs of its records, below the base of the API, in the order of `recordIds`.',
    },
  },
} as const satisfies Shape;

export const ALERT_PAGE = pageOf('AlertPage', ALERT);
export const FINDING_PAGE = pageOf('FindingPage', FINDING_LIST_ITEM);

const text = (doc: string) => ({ kind: 'text', charsMax: LIMITS.filterCharsMax, doc }) as const;
export const ALERT_FILTERS = {
  severity: { kind: 'choice', values: SEVERITIES, doc: 'Severity.' },
  ruleId: { kind: 'id', doc: 'Id of the rule.' },
  principalName: text('Login of one of its events; letter case does not matter.'),
  serverInstanceName: text('Server instance of one of its events; letter case does not matter.'),
  startTime: { kind: 'time', doc: 'With an event at or after this time. Without an offset it is UTC.' },
  endTime: { kind: 'time', doc: 'With an event before this time. Without an offset it is UTC.' },
} as const satisfies QuerySpecs;
const DIRECTION = {
  kind: 'choice',
  values: ['asc', 'desc'],
  default: 'desc',
  doc: 'Sort direction.',
} as const;

/** The columns for `sortBy`. Ties are broken by the id. */
export const ALERT_SORTS = {
  Timestamp: 'created_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  lastEventTime: 'last_event',
  firstEventTime: 'first_event',
  severity: 'severity',
  findingCount: 'finding_count',
} as const;
export const FINDING_SORTS = {
  Timestamp: 'detected_at',
  detectedAt: 'detected_at',
  lastEventTime: 'last_event',
  firstEventTime: 'first_event',
  severity: 'severity',
} as const;

export const ALERTS_PARAMETERS = {
  ...PAGING,
  sortBy: {
    kind: 'choice',
    values: Object.keys(ALERT_SORTS),
    default: 'createdAt',
    doc: 'Field to sort by; ties by id.',
  },
  sortDirection: DIRECTION,
  status: { kind: 'choice', values: Object.keys(STATUS.values), doc: 'Status.' },
  ...ALERT_FILTERS,
} as const satisfies QuerySpecs;
export const FINDINGS_PARAMETERS = {
  ...PAGING,
  sortBy: {
    kind: 'choice',
    values: Object.keys(FINDING_SORTS),
    default: 'detectedAt',
    doc: 'Field to sort by; ties by id.',
  },
  sortDirection: DIRECTION,
  alertId: { kind: 'id', doc: 'Id of the alert.' },
  ...ALERT_FILTERS,
} as const satisfies QuerySpecs;

export const ALERT_PARAMETERS = {
  alertId: { kind: 'id', isRequired: true, doc: 'The unique identifier of the alert: a UUID.' },
} as const satisfies QuerySpecs;
export const FINDING_PARAMETERS = {
  findingId: { kind: 'id', isRequired: true, doc: 'The unique identifier of the finding: a UUID.' },
} as const satisfies QuerySpecs;
