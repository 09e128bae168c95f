import { SCOPES } from '../src/caller/scopes';
import { ERRORS } from '../src/errors';
import {
  AUDIT_EVENT_FIELDS,
  DETAIL_FIELDS,
  FIELD_NAMES,
  type FieldName,
  type FieldSpec,
  LIST_FIELDS,
  STATEMENT_PREVIEW,
} from '../src/event/fields';
import { SUMMARY_FIELDS } from '../src/event/summary-fields';
import {
  type AnswerField,
  type AnswerFields,
  AUDIT_LOG_FIELDS,
  CHECKPOINTS_FIELDS,
  CONSISTENCY_FIELDS,
  ENTRIES_FIELDS,
  PROOF,
  PROOF_FIELDS,
  REMOVALS_FIELDS,
} from '../src/modules/evidence/answer-fields';

type Json = { readonly [key: string]: unknown };

/** An object whose properties are always present: absent values are null. */
const closedObject = (properties: Json, description: string): Json => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const nullable = (type: string, isNullable: boolean) => (isNullable ? [type, 'null'] : type);

function fieldSchema(spec: FieldSpec): Json {
  const description = spec.doc;
  if (spec.kind === 'boolean') return { type: 'boolean', description };
  const format = spec.kind === 'time' ? 'date-time' : spec.kind === 'id' ? 'uuid' : undefined;
  return { type: nullable('string', spec.nullable), ...(format ? { format } : {}), description };
}

const fieldSchemas = (names: readonly FieldName[]): Json =>
  Object.fromEntries(names.map((name) => [name, fieldSchema(AUDIT_EVENT_FIELDS[name])]));

const count = (description: string) => ({ type: 'integer', minimum: 0, description });
const META: Json = {
  timestamp: { type: 'string', format: 'date-time', description: 'Time of the response.' },
  apiVersion: { type: 'string', description: 'Version of the API.' },
};
const PAGE_META: Json = {
  totalCount: count('Events that match, on all pages.'),
  page: count('1-based number of this page.'),
  pageSize: count('Results per page.'),
  totalPages: count('Number of pages.'),
  hasPreviousPage: { type: 'boolean', description: 'Whether a page comes before this one.' },
  hasNextPage: { type: 'boolean', description: 'Whether a page comes after this one.' },
  ...META,
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const envelope = (item: string): Json =>
  closedObject({ data: ref(item), meta: ref('ResponseMeta') }, 'One object.');
const page = (item: string): Json =>
  closedObject({ data: { type: 'array', items: ref(item) }, meta: ref('PageMeta') }, 'A page of a list.');

const answer = (fields: AnswerFields, description: string): Json =>
  closedObject(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, answerField(field)])),
    description,
  );

function answerField({ kind, nullable: isNullable = false, of = {}, doc }: AnswerField): Json {
  switch (kind) {
    case 'integer':
      return count(doc);
    case 'boolean':
      return { type: 'boolean', description: doc };
    case 'texts':
      return { type: 'array', items: { type: 'string' }, description: doc };
    case 'objects':
      return { type: 'array', items: answer(of, doc), description: doc };
    case 'time':
      return { type: nullable('string', isNullable), format: 'date-time', description: doc };
    case 'text':
      return { type: nullable('string', isNullable), description: doc };
  }
}

const EVIDENCE_SCHEMAS = {
  AuditLog: answer(AUDIT_LOG_FIELDS, "How far a tenant's evidence log is."),
  AuditLogCheckpoints: answer(CHECKPOINTS_FIELDS, 'Signed checkpoints.'),
  AuditLogEntries: answer(ENTRIES_FIELDS, 'Entries of the evidence log.'),
  AuditLogConsistency: answer(CONSISTENCY_FIELDS, 'A consistency proof.'),
  AuditLogRemovals: answer(REMOVALS_FIELDS, 'What retention removed.'),
  AuditActivityProof: closedObject(
    { [PROOF.name]: { oneOf: [answer(PROOF_FIELDS, PROOF.doc), { type: 'null' }], description: PROOF.doc } },
    'The proof that an event is in the evidence log.',
  ),
};

export const SCHEMAS: Readonly<Record<string, Json>> = {
  AuditActivityListItem: closedObject(
    {
      ...fieldSchemas(LIST_FIELDS),
      [STATEMENT_PREVIEW.name]: { type: ['string', 'null'], description: STATEMENT_PREVIEW.doc },
    },
    'An audit event in a list.',
  ),
  AuditActivityListItemPage: page('AuditActivityListItem'),
  AuditActivityDetail: closedObject(fieldSchemas(DETAIL_FIELDS), 'An audit event in full detail.'),
  AuditActivityExportLine: closedObject(
    {
      ...fieldSchemas(FIELD_NAMES),
      additional: {
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
        description:
          'What the audit record states beyond the other fields, and where it stood in which file.',
      },
    },
    'A line of the export.',
  ),
  AuditActivityDetailEnvelope: envelope('AuditActivityDetail'),
  AuditActivitySummary: closedObject(
    Object.fromEntries(
      Object.entries(SUMMARY_FIELDS).map(([name, { kind, doc }]) => [
        name,
        kind === 'integer' ? count(doc) : { type: ['string', 'null'], format: 'date-time', description: doc },
      ]),
    ),
    'Counts over a time range.',
  ),
  AuditActivitySummaryEnvelope: envelope('AuditActivitySummary'),
  ...EVIDENCE_SCHEMAS,
  ...Object.fromEntries(Object.keys(EVIDENCE_SCHEMAS).map((name) => [`${name}Envelope`, envelope(name)])),
  ResponseMeta: closedObject(META, 'About the response.'),
  PageMeta: closedObject(PAGE_META, 'About the response and its page.'),
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
          code: { type: 'string', enum: Object.keys(ERRORS), description: 'What went wrong, for programs.' },
          message: { type: 'string', description: 'What went wrong, for people.' },
          requestId: { type: 'string', description: 'The value of X-Request-Id.' },
        },
        'What went wrong.',
      ),
    },
    'An error.',
  ),
};
