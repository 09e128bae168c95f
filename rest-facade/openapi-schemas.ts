import { SCOPES } from '../src/caller/scopes';
import { ERRORS } from '../src/errors';
import { AUDIT_EVENT, AUDIT_EVENT_DETAIL, AUDIT_EVENT_LIST_ITEM, AUDIT_SUMMARY } from '../src/event/answers';
import { FIELD_NAMES, LIFTED_FIELDS } from '../src/event/fields';
import { FEED_ITEM } from '../src/event/formats/feed-item';
import { pick, type Shape, type ShapeField, type ShapeFields } from '../src/event/shape';
import {
  COMPLIANCE_CONTROL,
  COMPLIANCE_CONTROL_ITEM,
  COMPLIANCE_FRAMEWORK,
  COMPLIANCE_SUMMARY,
} from '../src/modules/compliance/answers';
import { ALERT, FINDING, FINDING_LIST_ITEM } from '../src/modules/detection/base/answers';
import { INCIDENT, INCIDENT_LIST_ITEM } from '../src/modules/detection/base/incident-answers';
import {
  AUDIT_LOG,
  CHECKPOINTS,
  CONSISTENCY,
  ENTRIES,
  PROOF_OF_EVENT,
  REMOVALS,
} from '../src/modules/evidence/answer-fields';
import { REPORT, REPORT_RUN } from '../src/modules/reports/answers';
import { SOURCE_ITEM } from '../src/modules/sources/answers';

type Json = { readonly [key: string]: unknown };

/** An object whose properties are always present: absent values are null. */
const closedObject = (properties: Json, description: string): Json => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** The schema of an object, see `Shape`. */
export const objectSchema = ({ fields }: Pick<Shape, 'fields'>, description: string): Json =>
  closedObject(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
    description,
  );

function fieldSchema(field: ShapeField): Json {
  const { of, isList, nullable = false, doc: description = '', deprecated } = field;
  const about = { description, ...(deprecated !== undefined && { deprecated: true }) };
  if (isList) {
    const items = of ? objectSchema(of, description) : schemaOfKind(field);
    return { type: nullable ? ['array', 'null'] : 'array', items, ...about };
  }
  if (of) {
    const schema = objectSchema(of, description);
    return nullable ? { oneOf: [schema, { type: 'null' }], ...about } : { ...schema, ...about };
  }
  const { type, enum: values, ...further } = schemaOfKind(field);
  const choices = values ? { enum: nullable ? [...(values as string[]), null] : values } : {};
  return { type: nullable ? [type, 'null'] : type, ...choices, ...further, ...about };
}

/** The schema of a kind's values, regardless of whether they may be absent. */
function schemaOfKind({ kind, choices }: ShapeField): Json {
  switch (kind) {
    case 'integer':
    case 'count':
      return { type: 'integer', minimum: 0 };
    case 'decimal':
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'id':
      return { type: 'string', format: 'uuid' };
    case 'time':
      return { type: 'string', format: 'date-time' };
    case 'values':
      return { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } };
    case 'choice':
      return { type: 'string', enum: Object.keys(choices?.values ?? {}) };
    case 'text':
    case 'object':
      return { type: 'string' };
  }
}

const META = {
  timestamp: { kind: 'time', doc: 'Time of the response.' },
  apiVersion: { kind: 'text', doc: 'Version of the API.' },
} as const satisfies ShapeFields;
const PAGE_META = {
  totalCount: { kind: 'count', doc: 'Events that match, on all pages.' },
  page: { kind: 'integer', doc: '1-based number of this page.' },
  pageSize: { kind: 'integer', doc: 'Results per page.' },
  totalPages: { kind: 'integer', doc: 'Number of pages.' },
  hasPreviousPage: { kind: 'boolean', doc: 'Whether a page comes before this one.' },
  hasNextPage: { kind: 'boolean', doc: 'Whether a page comes after this one.' },
  ...META,
} as const satisfies ShapeFields;

/** No other schema has a field of this name. */
const [FIRST_FIELD] = FIELD_NAMES;
const TAIL_META = {
  nextCursor: { kind: 'text', doc: 'The `cursor` of the next call. It is there even if nothing came.' },
  caughtUp: { kind: 'boolean', doc: "Whether the answer reached the end of every tenant's log." },
  removed: { kind: 'count', doc: 'Positions whose event retention removed.' },
  sources: {
    kind: 'object',
    isList: true,
    nullable: true,
    of: SOURCE_ITEM,
    doc: 'With `include=sources`, as `GET /audit-sources` gives them; else null.',
  },
  ...META,
} as const satisfies ShapeFields;

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const envelope = (item: string): Json =>
  closedObject({ data: ref(item), meta: ref('ResponseMeta') }, 'One object.');
const page = (item: string): Json =>
  closedObject({ data: { type: 'array', items: ref(item) }, meta: ref('PageMeta') }, 'A page of a list.');

const EVIDENCE_SCHEMAS = {
  AuditLog: objectSchema(AUDIT_LOG, AUDIT_LOG.doc),
  AuditLogCheckpoints: objectSchema(CHECKPOINTS, 'Signed checkpoints.'),
  AuditLogEntries: objectSchema(ENTRIES, ENTRIES.doc),
  AuditLogConsistency: objectSchema(CONSISTENCY, 'A consistency proof.'),
  AuditLogRemovals: objectSchema(REMOVALS, 'What retention removed.'),
  AuditActivityProof: objectSchema(
    { fields: PROOF_OF_EVENT },
    'The proof that an event is in the evidence log.',
  ),
};

export const SCHEMAS: Readonly<Record<string, Json>> = {
  AuditActivityListItem: objectSchema(AUDIT_EVENT_LIST_ITEM, 'An audit event in a list.'),
  AuditActivityListItemPage: page('AuditActivityListItem'),
  AuditActivityDetail: objectSchema(AUDIT_EVENT_DETAIL, 'An audit event in full detail.'),
  AuditActivityExportLine: objectSchema(
    {
      fields: {
        ...pick(AUDIT_EVENT.fields, FIELD_NAMES),
        additional: AUDIT_EVENT.fields.additional,
        ...LIFTED_FIELDS,
      },
    },
    'A line of the export.',
  ),
  AuditActivityDetailEnvelope: envelope('AuditActivityDetail'),
  AuditActivitySummary: objectSchema(AUDIT_SUMMARY, AUDIT_SUMMARY.doc),
  AuditActivitySummaryEnvelope: envelope('AuditActivitySummary'),
  AuditActivityTailItem: objectSchema(FEED_ITEM, FEED_ITEM.doc),
  AuditActivityTail: closedObject(
    {
      data: { type: 'array', items: { anyOf: [ref('AuditActivityTailItem'), ref('OtherFormat')] } },
      meta: ref('TailMeta'),
    },
    'Events in the order of arrival.',
  ),
  OtherFormat: {
    type: 'object',
    description: 'An event in the schema asked for.',
    additionalProperties: {},
    not: { required: [FIRST_FIELD] },
  },
  OscalAssessmentResults: {
    type: 'object',
    description: 'OSCAL assessment results 1.2.2, the answer to `format=oscal`.',
    properties: { 'assessment-results': { type: 'object', additionalProperties: {} } },
    required: ['assessment-results'],
    additionalProperties: false,
  },
  TailMeta: objectSchema({ fields: TAIL_META }, 'About the response, and where it ended.'),
  AuditSource: objectSchema(SOURCE_ITEM, SOURCE_ITEM.doc),
  AuditSourcePage: page('AuditSource'),
  IncidentListItem: objectSchema(INCIDENT_LIST_ITEM, 'An incident in a list.'),
  IncidentListItemPage: page('IncidentListItem'),
  Incident: objectSchema(INCIDENT, INCIDENT.doc),
  IncidentEnvelope: envelope('Incident'),
  Alert: objectSchema(ALERT, ALERT.doc),
  AlertPage: page('Alert'),
  AlertEnvelope: envelope('Alert'),
  FindingListItem: objectSchema(FINDING_LIST_ITEM, 'A finding in a list.'),
  FindingListItemPage: page('FindingListItem'),
  Finding: objectSchema(FINDING, FINDING.doc),
  FindingEnvelope: envelope('Finding'),
  ComplianceFramework: objectSchema(COMPLIANCE_FRAMEWORK, COMPLIANCE_FRAMEWORK.doc),
  ComplianceFrameworkPage: page('ComplianceFramework'),
  ComplianceControlItem: objectSchema(COMPLIANCE_CONTROL_ITEM, COMPLIANCE_CONTROL_ITEM.doc),
  ComplianceControlItemPage: page('ComplianceControlItem'),
  ComplianceControl: objectSchema(COMPLIANCE_CONTROL, COMPLIANCE_CONTROL.doc),
  ComplianceControlEnvelope: envelope('ComplianceControl'),
  ComplianceSummary: objectSchema(COMPLIANCE_SUMMARY, COMPLIANCE_SUMMARY.doc),
  ComplianceSummaryEnvelope: envelope('ComplianceSummary'),
  Report: objectSchema(REPORT, REPORT.doc),
  ReportPage: page('Report'),
  ReportRun: objectSchema(REPORT_RUN, REPORT_RUN.doc),
  ReportRunEnvelope: envelope('ReportRun'),
  ...EVIDENCE_SCHEMAS,
  ...Object.fromEntries(Object.keys(EVIDENCE_SCHEMAS).map((name) => [`${name}Envelope`, envelope(name)])),
  ResponseMeta: objectSchema({ fields: META }, 'About the response.'),
  PageMeta: objectSchema({ fields: PAGE_META }, 'About the response and its page.'),
  Scope: {
    type: 'string',
    enum: Object.keys(SCOPES),
    description: Object.entries(SCOPES)
      .map(([name, { permits, status }]) => `\`${name}\`: ${permits} (${status})`)
      .join('; '),
  },
  Error: closedObject(
    {
      error: closedObject(
        {
          code: {
            type: 'string',
            enum: Object.keys(ERRORS),
            description: 'What went wrong, as a code for programs.',
          },
          message: { type: 'string', description: 'What went wrong, for people.' },
          requestId: { type: 'string', description: 'The value of X-Request-Id.' },
        },
        'What went wrong.',
      ),
    },
    'An error.',
  ),
};
