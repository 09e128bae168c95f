import type { Choices, Shape } from '../../event/shape';
import { GAP_REASONS } from '../../event/source-report';
import { LIMITS } from '../../limits';

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
      doc: 'Event time of the last record before it. Null: unknown.',
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

export const AUDIT_SOURCE = {
  name: 'AuditSource',
  doc: 'One configured database of the machine of an agent.',
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
      doc: 'What kept it from publishing at the last report. Null: nothing.',
    },
    gapCount: { kind: 'integer', doc: `At most ${LIMITS.sourceGapsMax} are stored.` },
  },
} as const satisfies Shape;

export const REPORT_RECEIPT = {
  name: 'ReportReceipt',
  doc: 'Given after the commit.',
  fields: {
    gapsKept: { kind: 'integer', doc: 'Gaps of the report that are stored now, known before or not.' },
  },
} as const satisfies Shape;
