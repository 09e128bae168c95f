import { RECORD_PARAMETERS } from '../src/event/parameters';
import {
  type AnswerFields,
  AUDIT_LOG_FIELDS,
  AUDIT_LOG_PARAMETERS,
  CHECKPOINTS_FIELDS,
  CHECKPOINTS_PARAMETERS,
  CONSISTENCY_FIELDS,
  CONSISTENCY_PARAMETERS,
  ENTRIES_FIELDS,
  ENTRIES_PARAMETERS,
  PROOF,
  PROOF_FIELDS,
  REMOVALS_FIELDS,
  selectionOf,
} from '../src/modules/evidence/answer-fields';
import type { Route } from './route';

const route = (
  about: Pick<Route, 'operationId' | 'path' | 'summary' | 'query' | 'schema' | 'rootField'>,
  fields: AnswerFields,
): Route => ({ ...about, pathParameters: {}, fields: selectionOf(fields), envelope: 'item', mayMiss: true });

/** The evidence log: what a verifier needs beside the events. */
export const EVIDENCE_ROUTES: readonly Route[] = [
  {
    operationId: 'getAuditActivityProof',
    path: '/audit-activity/{recordId}/proof',
    summary: 'Returns the proof that an event is in the evidence log.',
    query: {},
    pathParameters: RECORD_PARAMETERS,
    schema: 'AuditActivityProof',
    rootField: 'auditEvent',
    fields: selectionOf({ [PROOF.name]: { kind: 'objects', of: PROOF_FIELDS, doc: PROOF.doc } }),
    envelope: 'item',
  },
  route(
    {
      operationId: 'getAuditLog',
      path: '/audit-log',
      summary: "Returns how far a tenant's evidence log is, and its newest checkpoint.",
      query: AUDIT_LOG_PARAMETERS,
      schema: 'AuditLog',
      rootField: 'auditLog',
    },
    AUDIT_LOG_FIELDS,
  ),
  route(
    {
      operationId: 'listAuditLogCheckpoints',
      path: '/audit-log/checkpoints',
      summary: 'Returns signed checkpoints of the evidence log, oldest first.',
      query: CHECKPOINTS_PARAMETERS,
      schema: 'AuditLogCheckpoints',
      rootField: 'auditLogCheckpoints',
    },
    CHECKPOINTS_FIELDS,
  ),
  route(
    {
      operationId: 'listAuditLogEntries',
      path: '/audit-log/entries',
      summary: 'Returns record ids and leaf hashes of the evidence log, in its order.',
      query: ENTRIES_PARAMETERS,
      schema: 'AuditLogEntries',
      rootField: 'auditLogEntries',
    },
    ENTRIES_FIELDS,
  ),
  route(
    {
      operationId: 'getAuditLogConsistency',
      path: '/audit-log/consistency',
      summary: 'Returns the proof that a newer evidence log begins with an older one.',
      query: CONSISTENCY_PARAMETERS,
      schema: 'AuditLogConsistency',
      rootField: 'auditLogConsistency',
    },
    CONSISTENCY_FIELDS,
  ),
  route(
    {
      operationId: 'listAuditLogRemovals',
      path: '/audit-log/removals',
      summary: 'Returns what retention removed: entries of the evidence log without an event.',
      query: AUDIT_LOG_PARAMETERS,
      schema: 'AuditLogRemovals',
      rootField: 'auditLogRemovals',
    },
    REMOVALS_FIELDS,
  ),
];
