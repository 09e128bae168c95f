import { selectionOf } from '../src/event/shape';
import {
  COMPLIANCE_CONTROL,
  COMPLIANCE_CONTROL_ITEM,
  COMPLIANCE_FRAMEWORK,
  COMPLIANCE_SUMMARY,
  CONTROL_PARAMETERS,
  CONTROLS_PARAMETERS,
  DOCUMENT_TYPES,
  FRAMEWORKS_PARAMETERS,
  MOMENT,
  SUMMARY_PARAMETERS,
} from '../src/modules/compliance/answers';
import type { Route } from './route';

const TAG = 'Compliance';

/** The routes of compliance health. */
export const COMPLIANCE_ROUTES: readonly Route[] = [
  {
    operationId: 'listComplianceFrameworks',
    tag: TAG,
    path: '/compliance/frameworks',
    summary: 'Returns the frameworks, each with how its controls stand.',
    query: FRAMEWORKS_PARAMETERS,
    pathParameters: {},
    schema: 'ComplianceFramework',
    rootField: 'complianceFrameworks',
    fields: selectionOf(COMPLIANCE_FRAMEWORK),
    envelope: 'list',
    documents: DOCUMENT_TYPES,
  },
  {
    operationId: 'listComplianceControls',
    tag: TAG,
    path: '/compliance/controls',
    summary: 'Returns a page of controls, one item for each control and server instance.',
    query: CONTROLS_PARAMETERS,
    pathParameters: {},
    schema: 'ComplianceControlItem',
    rootField: 'complianceControls',
    fields: selectionOf(COMPLIANCE_CONTROL_ITEM),
    envelope: 'list',
    documents: DOCUMENT_TYPES,
  },
  {
    operationId: 'getComplianceControl',
    tag: TAG,
    path: '/compliance/controls/{controlId}',
    summary: 'Returns one control with how it stands on each server instance.',
    query: MOMENT,
    pathParameters: CONTROL_PARAMETERS,
    schema: 'ComplianceControl',
    rootField: 'complianceControl',
    fields: selectionOf(COMPLIANCE_CONTROL),
    envelope: 'item',
  },
  {
    operationId: 'getComplianceSummary',
    tag: TAG,
    path: '/compliance/summary',
    summary:
      'Returns how all controls stand on all server instances, whether their trails come, and how far sources were behind.',
    query: SUMMARY_PARAMETERS,
    pathParameters: {},
    schema: 'ComplianceSummary',
    rootField: 'complianceSummary',
    fields: selectionOf(COMPLIANCE_SUMMARY),
    envelope: 'item',
  },
];
