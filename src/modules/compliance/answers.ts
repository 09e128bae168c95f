import type { QuerySpecs } from '../../event/parameter-specs';
import { PAGING } from '../../event/parameters';
import { type Choices, pageOf, type Shape } from '../../event/shape';
import { frameworkProblems } from '../../framework-ids';
import { LIMITS } from '../../limits';

export const CONTROL_STATUS = {
  name: 'ControlStatus',
  doc: 'What the audit trail says of a control.',
  values: {
    pass: 'Records prove it.',
    fail: 'Records prove that it is not so.',
    unknown: 'The trail says nothing of it. Silence is never a pass.',
    not_applicable: 'It does not concern this instance.',
  },
} as const satisfies Choices;

export const GROUP_STATE = {
  name: 'AuditGroupState',
  doc: 'What the audit trail says of an audit action group.',
  values: {
    configured: 'A specification that records it was switched on.',
    observed: 'No change of a specification is known, and its events come.',
    contradicted: 'It was taken out of its specification, or its audit stands still.',
    silent: 'Nothing is known of it.',
  },
} as const satisfies Choices;

const COUNTS = {
  pass: { kind: 'count', doc: 'Controls on instances that pass.' },
  fail: { kind: 'count', doc: 'Controls on instances that fail.' },
  unknown: { kind: 'count', doc: 'Controls on instances of which the trail says nothing.' },
  notApplicable: { kind: 'count', doc: 'Controls that do not concern their instance.' },
} as const;

export const COMPLIANCE_FRAMEWORK = {
  name: 'ComplianceFramework',
  doc: 'A framework of controls, with how its controls stand on all instances.',
  fields: {
    frameworkId: { kind: 'text' },
    title: { kind: 'text' },
    controlCount: { kind: 'count', doc: 'Controls of the framework.' },
    ...COUNTS,
  },
} as const satisfies Shape;

const STANDING = {
  tenantId: { kind: 'text' },
  serverInstanceName: { kind: 'text' },
  databaseName: { kind: 'text', nullable: true, doc: 'Null: the whole instance.' },
  status: { kind: 'choice', choices: CONTROL_STATUS },
  since: { kind: 'time', nullable: true, doc: 'Since when it has this status. Null: not known.' },
  evaluatedThrough: {
    kind: 'time',
    nullable: true,
    doc: "The time up to which the instance's sources are complete. Null: not known.",
  },
  reason: { kind: 'text', doc: 'Why, in a sentence.' },
  recordIds: { kind: 'id', isList: true, doc: 'Record ids of the events that prove it, the first 100.' },
} as const;

export const COMPLIANCE_CONTROL_ITEM = {
  name: 'ComplianceControlItem',
  doc: 'A control on one server instance.',
  fields: {
    frameworkId: { kind: 'text' },
    controlId: { kind: 'text' },
    title: { kind: 'text' },
    ...STANDING,
  },
} as const satisfies Shape;

const GROUP_ON_INSTANCE = {
  name: 'AuditGroupOnInstance',
  doc: 'An audit action group on one server instance.',
  fields: {
    group: { kind: 'text' },
    state: { kind: 'choice', choices: GROUP_STATE },
    since: { kind: 'time', nullable: true, doc: 'Of an observed group: the last event. Null: not known.' },
    by: { kind: 'text', nullable: true, doc: 'The login that made it so. Null: not known.' },
    recordId: { kind: 'id', nullable: true, doc: 'Of the change that made it so. Null: it was no change.' },
    filter: { kind: 'text', doc: 'The filter that finds its events on the instance.' },
  },
} as const satisfies Shape;

export const COMPLIANCE_CONTROL = {
  name: 'ComplianceControl',
  doc: 'A control, with how it stands on each server instance.',
  fields: {
    frameworkId: { kind: 'text' },
    controlId: { kind: 'text' },
    title: { kind: 'text' },
    pass: { kind: 'text', doc: 'What passes.' },
    fail: { kind: 'text', doc: 'What fails.' },
    unknown: { kind: 'text', doc: 'What stays unknown.' },
    maps: {
      kind: 'object',
      isList: true,
      doc: 'Controls of other frameworks that ask for the same.',
      of: {
        name: 'MappedControl',
        fields: { frameworkId: { kind: 'text' }, controlId: { kind: 'text' } },
      },
    },
    instances: {
      kind: 'object',
      isList: true,
      of: {
        name: 'ComplianceInstance',
        doc: 'How a control stands on one server instance.',
        fields: { ...STANDING, groups: { kind: 'object', isList: true, of: GROUP_ON_INSTANCE } },
      },
    },
  },
} as const satisfies Shape;

const TRAIL_STATE = {
  name: 'TrailState',
  doc: 'Whether the trail of a server instance comes.',
  values: {
    healthy: 'Everything is published, and events come.',
    quiet: 'Healthy, quiet: everything is published, and the server has written nothing for an hour.',
    broken: 'A source is silent or behind, an audit stands still, or canaries are missing.',
    unknown: 'No agent reports on it, the moment is more than a day ago, or other records hide its canaries.',
  },
} as const satisfies Choices;

const TRAIL_HEALTH = {
  name: 'TrailHealth',
  doc: 'Whether the trail of a server instance comes.',
  fields: {
    tenantId: { kind: 'text' },
    serverInstanceName: { kind: 'text' },
    state: { kind: 'choice', choices: TRAIL_STATE },
    reason: { kind: 'text', doc: 'Why, in a sentence.' },
    lastEventTime: { kind: 'time', doc: 'Of its newest event.' },
  },
} as const satisfies Shape;

const SOURCE_LAG = {
  name: 'SourceLag',
  doc: 'How far a source was behind over a period: the time since everything in its files was published.',
  fields: {
    tenantId: { kind: 'text' },
    hostName: { kind: 'text', doc: 'Machine of the agent.' },
    databaseName: { kind: 'text', doc: "Label of the source in the agent's configuration." },
    minutes: { kind: 'count', doc: 'Minutes of the period in which the lag was noted.' },
    p50Seconds: { kind: 'decimal', nullable: true, doc: 'At most this in half of the minutes. Null: none.' },
    p99Seconds: { kind: 'decimal', nullable: true, doc: 'At most this in 99 % of them.' },
    worstSeconds: { kind: 'decimal', nullable: true, doc: 'At worst.' },
  },
} as const satisfies Shape;

export const COMPLIANCE_SUMMARY = {
  name: 'ComplianceSummary',
  doc: 'How all controls stand on all server instances.',
  fields: {
    asOf: { kind: 'time', doc: 'The moment of the assessment.' },
    instanceCount: { kind: 'count', doc: 'Server instances that have events.' },
    ...COUNTS,
    frameworks: { kind: 'object', isList: true, of: COMPLIANCE_FRAMEWORK },
    trails: {
      kind: 'object',
      isList: true,
      of: TRAIL_HEALTH,
      doc: 'Each server instance: whether its trail comes.',
    },
    startTime: { kind: 'time', doc: 'Of the period of the lags, which ends at `asOf`.' },
    lags: {
      kind: 'object',
      isList: true,
      of: SOURCE_LAG,
      doc: `How far each source was behind, the worst first; at most ${LIMITS.complianceLagsMax}.`,
    },
  },
} as const satisfies Shape;

const pageAndDocument = <S extends Shape>(name: string, of: S) => {
  const page = pageOf(name, of);
  const document = {
    kind: 'text',
    nullable: true,
    doc: 'The whole list in the `format` that was asked for. Null: `json`.',
  } as const;
  return { ...page, fields: { ...page.fields, document } } as const satisfies Shape;
};
export const FRAMEWORK_PAGE = pageAndDocument('ComplianceFrameworkPage', COMPLIANCE_FRAMEWORK);
export const CONTROL_PAGE = pageAndDocument('ComplianceControlPage', COMPLIANCE_CONTROL_ITEM);

/** The formats of a whole list, with their media types. A page of it is JSON. */
export const DOCUMENT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  oscal: 'application/json; charset=utf-8',
} as const;
export type DocumentFormat = keyof typeof DOCUMENT_TYPES;

const FORMAT = {
  kind: 'choice',
  values: ['json', ...Object.keys(DOCUMENT_TYPES)],
  default: 'json',
  doc: '`json`: a page. `csv`, `oscal` (assessment results 1.2.2): the whole list, whatever the page.',
} as const;

const AS_OF = {
  kind: 'time',
  doc: 'The moment of the assessment. Without an offset it is UTC. Default: now.',
} as const;
const INSTANCE = {
  kind: 'text',
  charsMax: LIMITS.filterCharsMax,
  doc: 'Server instance; letter case does not matter.',
} as const;

export const FRAMEWORKS_PARAMETERS = {
  ...PAGING,
  asOf: AS_OF,
  format: FORMAT,
} as const satisfies QuerySpecs;
export const CONTROLS_PARAMETERS = {
  ...PAGING,
  framework: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    check: frameworkProblems,
    doc: 'Id of the framework, such as `pci-dss`.',
  },
  status: { kind: 'choice', values: Object.keys(CONTROL_STATUS.values), doc: 'Status.' },
  serverInstanceName: INSTANCE,
  asOf: AS_OF,
  format: FORMAT,
} as const satisfies QuerySpecs;
export const CONTROL_PARAMETERS = {
  controlId: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    isRequired: true,
    doc: 'Id of the control, such as `SQLI-22-004300`.',
  },
} as const satisfies QuerySpecs;
export const MOMENT = { asOf: AS_OF } as const satisfies QuerySpecs;
export const SUMMARY_PARAMETERS = {
  ...MOMENT,
  startTime: {
    kind: 'time',
    doc: 'The beginning of the period of the lags of sources, which ends at `asOf`; whole hours count. Default: 30 days before.',
  },
} as const satisfies QuerySpecs;
