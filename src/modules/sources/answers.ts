import type { ParameterSpecs, QuerySpecs } from '../../event/parameter-specs';
import { FILTER_PARAMETERS, PAGING } from '../../event/parameters';
import { type Choices, pageOf, type Shape } from '../../event/shape';
import { GAP_REASONS } from '../../event/source-report';
import { LIMITS } from '../../limits';
import { SOURCE_STATES, type SourceState } from './audit-source';
import { SOURCE_SETTINGS, WANTED_OF_GROUP } from './groups/answers';

export const GAP_REASON = {
  name: 'AuditGapReason',
  doc: 'Why a part of the audit trail could not be published.',
  values: GAP_REASONS,
} as const satisfies Choices;

export const AUDIT_GAP = {
  name: 'AuditGap',
  doc: 'A part of the audit trail that an agent could not publish.',
  fields: {
    gapId: { kind: 'id' },
    reason: { kind: 'choice', choices: GAP_REASON },
    fileName: { kind: 'text' },
    fileGuid: { kind: 'text', nullable: true, doc: 'Null: the file was never opened.' },
    detail: { kind: 'text', doc: 'A sentence for people.' },
    afterTime: {
      kind: 'time',
      nullable: true,
      doc: 'Event time of the last record before it, or of the first that was rejected. Null: unknown.',
    },
    beforeTime: {
      kind: 'time',
      nullable: true,
      doc: 'Event time of the first record after it. Null: unknown.',
    },
    detectedAt: { kind: 'time', doc: "By the agent's clock." },
    firstReported: { kind: 'time', doc: "By the service's clock." },
  },
} as const satisfies Shape;

const STANDBY_SINCE = 'Since when its shared folder is away there. Null: the folder is there, or not shared.';
const RETIRED_AT = 'When an operator retired it. Null: it is in use.';

const SOURCE_COVERAGE = {
  name: 'SourceCoverage',
  doc: 'How far the audit trail of a source has come.',
  fields: {
    tenantId: { kind: 'text' },
    hostName: { kind: 'text' },
    databaseName: { kind: 'text' },
    lastEventTime: { kind: 'time', nullable: true, doc: 'Of the newest event published. Null: none.' },
    lastReported: { kind: 'time', doc: 'When any report last came.' },
    completeThrough: {
      kind: 'time',
      nullable: true,
      doc: 'When everything in the files was last published. Null: never yet.',
    },
    hasProblem: {
      kind: 'boolean',
      doc: 'Whether its agent said at its last report that it cannot publish, or several agents report it.',
    },
    retiredAt: { kind: 'time', nullable: true, doc: RETIRED_AT },
    standbySince: {
      kind: 'time',
      nullable: true,
      doc: 'Since when its shared folder is away there, while another host has it. Null: it is not so.',
    },
  },
} as const satisfies Shape;

const GAP_OF_SOURCE = {
  name: 'SourceGap',
  doc: 'A gap in the audit trail of a source.',
  fields: {
    tenantId: { kind: 'text' },
    hostName: { kind: 'text' },
    databaseName: { kind: 'text' },
    ...AUDIT_GAP.fields,
  },
} as const satisfies Shape;

const HELD_EVENTS = {
  name: 'HeldEvents',
  doc: 'A legal hold. Operators see which events it holds, and why.',
  fields: {
    tenantId: { kind: 'text' },
    since: { kind: 'time' },
    until: { kind: 'time', nullable: true, doc: 'Null: an operator ends it.' },
  },
} as const satisfies Shape;

/** The answer to readers about the sources of their tenants. */
export const AUDIT_COVERAGE = {
  name: 'AuditCoverage',
  doc: 'How complete the events of a time range are, as far as the service knows.',
  fields: {
    sourceCount: {
      kind: 'count',
      doc: 'Sources of the tenants that may have events which the filter lets through.',
    },
    otherSourceCount: {
      kind: 'count',
      doc: 'Sources that are left out: the filter names tenants or server instances of other hosts.',
    },
    gapCount: { kind: 'count', doc: 'Gaps that touch the time range, or may touch it.' },
    sources: {
      kind: 'object',
      isList: true,
      of: SOURCE_COVERAGE,
      doc: `Sources with a problem first, then those that were up to date longest ago, retired ones last. At most ${LIMITS.coverageSourcesMax}, and every source with a listed gap.`,
    },
    gaps: {
      kind: 'object',
      isList: true,
      of: GAP_OF_SOURCE,
      doc: `Newest first, at most ${LIMITS.coverageGapsMax}.`,
    },
    holdCount: {
      kind: 'count',
      doc: 'Legal holds in force: of the time before the retention of a tenant, only events that a hold keeps are there.',
    },
    holds: {
      kind: 'object',
      isList: true,
      of: HELD_EVENTS,
      doc: `Newest first, at most ${LIMITS.coverageHoldsMax}.`,
    },
  },
} as const satisfies Shape;

export const COVERAGE_PARAMETERS = {
  filter: FILTER_PARAMETERS.filter,
  startTime: FILTER_PARAMETERS.startTime,
  endTime: FILTER_PARAMETERS.endTime,
} as const satisfies QuerySpecs;

export const AUDIT_SOURCE = {
  name: 'AuditSource',
  doc: 'A source, as its agent last reported it.',
  fields: {
    tenantId: { kind: 'text' },
    hostName: { kind: 'text' },
    databaseName: { kind: 'text' },
    agentVersion: { kind: 'text' },
    lastEventTime: { kind: 'time', nullable: true, doc: 'Of the newest event published. Null: none.' },
    lastReceived: {
      kind: 'time',
      nullable: true,
      doc: 'When a report with published events last came. Null: never.',
    },
    lastReported: { kind: 'time', doc: 'When any report last came.' },
    lag: {
      kind: 'decimal',
      nullable: true,
      doc: 'Seconds since everything in the files was published; it grows when the agent falls silent. Null: never yet.',
    },
    waitingBytes: { kind: 'count', doc: 'Bytes in files not yet published, at the last report.' },
    publishedCount: {
      kind: 'count',
      doc: 'Events published; a report counts twice if its agent had to send it again.',
    },
    problem: {
      kind: 'text',
      nullable: true,
      doc: 'Why the agent could not publish, at its last report, or that several agents report the source. Null: all is well.',
    },
    retiredAt: { kind: 'time', nullable: true, doc: RETIRED_AT },
    standbySince: { kind: 'time', nullable: true, doc: STANDBY_SINCE },
    retiredReason: { kind: 'text', nullable: true, doc: 'Why it was retired.' },
    gapCount: { kind: 'integer', doc: `Number of gaps; at most ${LIMITS.sourceGapsMax} are stored.` },
    ...SOURCE_SETTINGS,
  },
} as const satisfies Shape;

const STATE_NAMES = Object.keys(SOURCE_STATES) as SourceState[];
const SOURCE_STATE = {
  name: 'AuditSourceState',
  doc: 'State of a source.',
  values: SOURCE_STATES,
} as const satisfies Choices;

/** A source as the public API shows it. */
export const SOURCE_ITEM = {
  name: 'AuditSourceItem',
  doc: 'A database whose audit an agent reads, and how far its events have been delivered.',
  fields: {
    tenantId: { kind: 'text' },
    hostName: { kind: 'text', doc: 'Machine of the agent.' },
    databaseName: { kind: 'text', doc: "Label of the source in the agent's configuration." },
    state: {
      kind: 'choice',
      choices: SOURCE_STATE,
      doc: Object.entries(SOURCE_STATES)
        .map(([name, doc]) => `\`${name}\`: ${doc}`)
        .join('; '),
    },
    lagSeconds: {
      kind: 'decimal',
      nullable: true,
      doc: 'Since everything in the files was published; it grows when the agent falls silent. Null: never yet.',
    },
    completeThrough: {
      kind: 'time',
      nullable: true,
      doc: 'Every event up to this time that the agent could read is there, in the tail too; what it could not read, and what the service refused for good, is among the gaps. Null: not known yet.',
    },
    lastEventTime: AUDIT_SOURCE.fields.lastEventTime,
    lastReported: AUDIT_SOURCE.fields.lastReported,
    gapCount: AUDIT_SOURCE.fields.gapCount,
    gaps: {
      kind: 'object',
      isList: true,
      of: AUDIT_GAP,
      doc: `Parts of the audit trail that could not be published, newest first; at most ${LIMITS.sourceGapsListed}.`,
    },
  },
} as const satisfies Shape;

export const SOURCE_PAGE = {
  ...pageOf('AuditSourcePage', SOURCE_ITEM),
  doc: 'A page of sources.',
} as const satisfies Shape;

export const AUDIT_SOURCES_PARAMETERS = {
  tenantId: { kind: 'reference', doc: 'Null: of every tenant.' },
  hostName: { kind: 'reference', doc: 'Null: of every host.' },
  databaseName: { kind: 'reference', doc: 'Null: every database.' },
} as const satisfies ParameterSpecs;

export const GAPS_PARAMETERS = {
  limit: {
    kind: 'integer',
    min: 1,
    max: LIMITS.sourceGapsShownMax,
    isRequired: true,
    default: LIMITS.sourceGapsShownDefault,
  },
} as const satisfies ParameterSpecs;

export const SOURCES_PARAMETERS = PAGING;

const LISTED_SOURCE = {
  name: 'ListedSource',
  doc: 'A source with its state and the name of its tenant.',
  fields: {
    ...AUDIT_SOURCE.fields,
    tenantName: { kind: 'text' },
    state: { kind: 'choice', choices: SOURCE_STATE },
  },
} as const satisfies Shape;

const SOURCES_IN_STATE = {
  name: 'SourcesInState',
  doc: 'How many sources are in a state.',
  fields: { state: { kind: 'choice', choices: SOURCE_STATE }, sources: { kind: 'count' } },
} as const satisfies Shape;

/** A page of all sources for operators. */
export const SOURCE_LIST = {
  name: 'AuditSourceList',
  doc: 'A page of sources, and how many of all are in each state.',
  fields: {
    items: {
      kind: 'object',
      isList: true,
      of: LISTED_SOURCE,
      doc: 'The worst state first, then by tenant, host and database.',
    },
    totalCount: { kind: 'count', doc: 'Sources that match.' },
    states: {
      kind: 'object',
      isList: true,
      of: SOURCES_IN_STATE,
      doc: 'Of all sources, the worst first; states without a source are left out.',
    },
    withGaps: { kind: 'count', doc: 'Of all sources, those with gaps.' },
  },
} as const satisfies Shape;

export const SOURCE_LIST_PARAMETERS = {
  state: {
    kind: 'choice',
    values: STATE_NAMES,
    doc: 'Only sources in this state.',
  },
  search: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    doc: "Words, each of which must be in the host, the database or the tenant's name; letter case does not matter.",
  },
  ...SOURCES_PARAMETERS,
} as const satisfies ParameterSpecs;

export const REPORT_RECEIPT = {
  name: 'ReportReceipt',
  doc: 'Given after the commit.',
  fields: {
    gapsKept: { kind: 'integer', doc: 'Gaps of the report that are stored now, new or known before.' },
    ...WANTED_OF_GROUP,
  },
} as const satisfies Shape;
