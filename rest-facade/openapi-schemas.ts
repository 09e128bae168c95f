import { SCOPES } from '../src/api-key/scopes';
import {
  AUDIT_EVENT_FIELDS,
  DETAIL_FIELDS,
  type FieldName,
  type FieldSpec,
  LIST_FIELDS,
  STATEMENT_PREVIEW,
} from '../src/audit-event/fields';
import { SUMMARY_FIELDS } from '../src/audit-event/summary-fields';
import { ERRORS } from '../src/errors';

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
