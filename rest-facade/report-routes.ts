import { selectionOf } from '../src/event/shape';
import { REPORT, REPORT_RUN } from '../src/modules/reports/answers';
import { REPORTS_PARAMETERS, RUN_PARAMETERS } from '../src/modules/reports/parameters';
import type { Route } from './route';

const TAG = 'Reports';

/** The routes of reports, without those of their files. */
export const REPORT_ROUTES: readonly Route[] = [
  {
    operationId: 'listReports',
    tag: TAG,
    path: '/reports',
    summary: 'Returns the catalogue of reports, each with its newest runs.',
    query: REPORTS_PARAMETERS,
    pathParameters: {},
    schema: 'Report',
    rootField: 'reports',
    fields: selectionOf(REPORT),
    envelope: 'list',
  },
  {
    operationId: 'getReportRun',
    tag: TAG,
    path: '/reports/runs/{runId}',
    summary: 'Returns one run of a report, with what is signed of it.',
    query: {},
    pathParameters: RUN_PARAMETERS,
    schema: 'ReportRun',
    rootField: 'reportRun',
    fields: selectionOf(REPORT_RUN),
    envelope: 'item',
  },
];
