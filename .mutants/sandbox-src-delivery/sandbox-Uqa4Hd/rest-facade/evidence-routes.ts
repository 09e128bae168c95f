import { RECORD_PARAMETERS } from '../src/event/parameters';
import { type Shape, selectionOf } from '../src/event/shape';
import {
  AUDIT_LOG,
  AUDIT_LOG_PARAMETERS,
  CHECKPOINTS,
  CHECKPOINTS_PARAMETERS,
  CONSISTENCY,
  CONSISTENCY_PARAMETERS,
  ENTRIES,
  ENTRIES_PARAMETERS,
  PROOF_OF_EVENT,
  REMOVALS,
} from '../src/modules/evidence/answer-fields';
import type { Route } from './route';

const route = (
  about: Pick<Route, 'operationId' | 'path' | 'summary' | 'query' | 'schema' | 'rootField'>,
  shape: Shape,
): Route => ({ ...about, pathParameters: {}, fields: selectionOf(shape), envelope: 'item', mayMiss: true });

/** The routes of the evidence log. They return what a verifier needs in addition to the events. */
export const EVIDENCE_ROUTES: readonly Route[] = [
  {
    operationId: 'getAuditActivityProof',
    path: '/audit-activity/{recordId}/proof',
    summary: 'Returns the proof that an event is in the evidence log.',
    query: {},
    pathParameters: RECORD_PARAMETERS,
    schema: 'AuditActivityProof',
    rootField: 'auditEvent',
    fields: selectionOf({ fields: PROOF_OF_EVENT }),
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
    AUDIT_LOG,
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
    CHECKPOINTS,
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
    ENTRIES,
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
    CONSISTENCY,
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
    REMOVALS,
  ),
];
