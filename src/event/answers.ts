import {
  AUDIT_EVENT_FIELDS,
  DETAIL_FIELDS,
  FIELD_NAMES,
  LIFTED_FIELDS,
  LIST_FIELDS,
  STATEMENT_PREVIEW,
} from './fields';
import { pick, type Shape } from './shape';

/** A list item of the public contract: a preview in place of the statement. */
export const AUDIT_EVENT_LIST_ITEM = {
  name: 'AuditEventListItemType',
  doc: 'An audit event in a list: a preview in place of the statement.',
  fields: {
    ...pick(AUDIT_EVENT_FIELDS, LIST_FIELDS),
    [STATEMENT_PREVIEW.name]: { kind: 'text', nullable: true, doc: STATEMENT_PREVIEW.doc },
  },
} as const satisfies Shape;

export const AUDIT_EVENT = {
  name: 'AuditEvent',
  doc: 'One audit event in full.',
  fields: {
    additional: {
      kind: 'values',
      doc: 'What the audit record states beyond the other fields, and where it stood in which file.',
    },
    ...pick(AUDIT_EVENT_FIELDS, FIELD_NAMES),
    ...LIFTED_FIELDS,
  },
} as const satisfies Shape;

/** The detail of the public contract, without the fields that the contract does not have. */
export const AUDIT_EVENT_DETAIL = {
  ...AUDIT_EVENT,
  fields: pick(AUDIT_EVENT_FIELDS, DETAIL_FIELDS),
} as const satisfies Shape;

/** A list item of GraphQL, which has the lifted fields too. */
const LIST_ITEM_WITH_LIFTED = {
  ...AUDIT_EVENT_LIST_ITEM,
  fields: { ...AUDIT_EVENT_LIST_ITEM.fields, ...LIFTED_FIELDS },
} as const satisfies Shape;

export const AUDIT_EVENT_PAGE = {
  name: 'AuditEventPage',
  doc: 'A page of audit events, and how many match at that moment.',
  fields: {
    items: { kind: 'object', isList: true, of: LIST_ITEM_WITH_LIFTED },
    totalCount: { kind: 'count', doc: 'Events that match, on all pages.' },
    page: { kind: 'integer' },
    pageSize: { kind: 'integer' },
  },
} as const satisfies Shape;

export const AUDIT_SUMMARY = {
  name: 'AuditSummaryType',
  doc: 'Counts over a time range.',
  fields: {
    totalCount: { kind: 'count', doc: 'Audit events in the time range.' },
    successfulCount: { kind: 'count', doc: 'Events whose action succeeded.' },
    failedCount: { kind: 'count', doc: 'Events whose action failed or was denied.' },
    distinctDatabases: { kind: 'count', doc: 'Distinct databases with activity.' },
    distinctPrincipals: { kind: 'count', doc: 'Distinct SQL logins with activity.' },
    latestEventTime: {
      kind: 'time',
      nullable: true,
      doc: 'Time of the most recent event; null when there is none.',
    },
  },
} as const satisfies Shape;
