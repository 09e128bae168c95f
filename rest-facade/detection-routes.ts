import { selectionOf } from '../src/event/shape';
import {
  ALERT,
  ALERT_PARAMETERS,
  ALERTS_PARAMETERS,
  FINDING,
  FINDING_LIST_ITEM,
  FINDING_PARAMETERS,
  FINDINGS_PARAMETERS,
} from '../src/modules/detection/base/answers';
import type { Route } from './route';

/** The routes of findings. */
export const DETECTION_ROUTES: readonly Route[] = [
  {
    operationId: 'listAlerts',
    tag: 'Alerts',
    path: '/alerts',
    summary: 'Returns a page of alerts, those that began last first by default.',
    query: ALERTS_PARAMETERS,
    pathParameters: {},
    schema: 'Alert',
    rootField: 'alerts',
    fields: selectionOf(ALERT),
    envelope: 'list',
  },
  {
    operationId: 'getAlert',
    tag: 'Alerts',
    path: '/alerts/{alertId}',
    summary: 'Returns one alert.',
    query: {},
    pathParameters: ALERT_PARAMETERS,
    schema: 'Alert',
    rootField: 'alert',
    fields: selectionOf(ALERT),
    envelope: 'item',
  },
  {
    operationId: 'listFindings',
    tag: 'Findings',
    path: '/findings',
    summary: 'Returns a page of findings, those detected last first by default.',
    query: FINDINGS_PARAMETERS,
    pathParameters: {},
    schema: 'FindingListItem',
    rootField: 'findings',
    fields: selectionOf(FINDING_LIST_ITEM),
    envelope: 'list',
  },
  {
    operationId: 'getFinding',
    tag: 'Findings',
    path: '/findings/{findingId}',
    summary: 'Returns one finding, with where the proofs of its records are.',
    query: {},
    pathParameters: FINDING_PARAMETERS,
    schema: 'Finding',
    rootField: 'finding',
    fields: selectionOf(FINDING),
    envelope: 'item',
  },
];
