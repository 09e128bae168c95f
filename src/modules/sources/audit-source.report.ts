import type { GivenValues, InputShape, ParameterSpecs } from '../../event/parameter-specs';
import { REPORT_CHARS_MAX } from '../../event/source-report';
import { isUuid } from '../../event/uuid';
import { LIMITS } from '../../limits';
import { empty, problem } from '../../problem';
import { GAP_REASON } from './answers';
import { RUNNING_REPORT } from './groups/answers';
import { PACKAGE_REPORT } from './packages/answers';

/** A text of an agent, which may be empty. */
const text = (name: keyof typeof REPORT_CHARS_MAX) =>
  ({ kind: 'text', charsMax: REPORT_CHARS_MAX[name], isEmptyAllowed: true }) as const;
const name = (of: 'hostName' | 'databaseName') =>
  ({
    kind: 'text',
    charsMax: REPORT_CHARS_MAX[of],
    isRequired: true,
    check: (given: string, field: string) => (given.trim() === '' ? [empty(field)] : []),
  }) as const;

const GAP_REPORT = {
  name: 'AuditGapReport',
  doc: 'A part of the audit trail that could not be published.',
  fields: {
    gapId: {
      kind: 'id',
      isRequired: true,
      doc: 'UUID made of the gap itself: however often it is reported, it is one.',
    },
    reason: { kind: 'enum', choices: GAP_REASON, isRequired: true },
    fileName: { ...text('fileName'), isRequired: true },
    fileGuid: { kind: 'id', doc: 'Null: the file was never opened.' },
    detail: { ...text('detail'), isRequired: true, doc: 'A sentence for people.' },
    afterTime: { kind: 'time', isStored: true, doc: 'Event time of the last record before it.' },
    beforeTime: { kind: 'time', isStored: true, doc: 'Event time of the first record after it.' },
    detectedAt: { kind: 'time', isStored: true, isRequired: true, doc: "ISO 8601, by the agent's clock." },
  },
} as const satisfies InputShape;

const SHARED_REPORT = {
  name: 'SharedFolderReport',
  doc: 'Of a folder that several hosts share.',
  fields: {
    isStandby: { kind: 'boolean', isRequired: true, doc: 'Whether the folder is away there.' },
    wholeFiles: {
      kind: 'texts',
      itemsMax: LIMITS.reportWholeFilesMax,
      isRequired: true,
      check: (guids: readonly string[], field: string) =>
        guids.every(isUuid) ? [] : [problem(field, 'malformed', 'must be GUIDs of files')],
      doc: 'GUIDs of files of which everything is acknowledged and nothing more can be written.',
    },
  },
} as const satisfies InputShape;

export const AUDIT_SOURCE_REPORT = {
  name: 'AuditSourceReport',
  doc: "An agent's report on one of its sources.",
  fields: {
    tenantId: { kind: 'reference', isRequired: true, doc: 'Must be the tenant of the agent key.' },
    hostName: { ...name('hostName'), doc: 'The machine of the agent.' },
    databaseName: { ...name('databaseName'), doc: "The label in the agent's configuration." },
    agentVersion: { ...text('agentVersion'), isRequired: true },
    runId: {
      kind: 'id',
      doc: 'A UUID that the agent makes at each start, by which two agents that report one source are noticed.',
    },
    publishedCount: {
      kind: 'integer',
      min: 0,
      isRequired: true,
      doc: 'Events acknowledged since the last report that was acknowledged; they are added up.',
    },
    lastEventTime: { kind: 'time', isStored: true, doc: 'Of the newest event acknowledged so far.' },
    caughtUpAt: {
      kind: 'time',
      isStored: true,
      doc: 'ISO 8601: when everything in the files was last acknowledged. Null: never yet.',
    },
    waitingBytes: {
      kind: 'count',
      isRequired: true,
      doc: 'A whole number: bytes in files not yet acknowledged.',
    },
    problem: { ...text('problem'), doc: 'Why the agent cannot publish. Null: it can.' },
    gaps: {
      kind: 'object',
      isList: true,
      of: GAP_REPORT,
      itemsMax: LIMITS.reportGapsMax,
      isRequired: true,
      doc: `At most ${LIMITS.reportGapsMax}.`,
    },
    running: { kind: 'object', of: RUNNING_REPORT, doc: 'Null: the agent tells none.' },
    package: { kind: 'object', of: PACKAGE_REPORT, doc: 'Null: the agent has none.' },
    shared: { kind: 'object', of: SHARED_REPORT, doc: 'Null: the folder is of this host alone.' },
  },
} as const satisfies InputShape;

export const REPORT_PARAMETERS = {
  report: { kind: 'object', of: AUDIT_SOURCE_REPORT, isRequired: true },
} as const satisfies ParameterSpecs;

/** A gap, and a report, as an agent sends them. GraphQL has checked their types, and not their values. */
export type GivenGap = GivenValues<typeof GAP_REPORT.fields>;
export type GivenReport = GivenValues<typeof AUDIT_SOURCE_REPORT.fields>;
