import { LIMITS } from '../src/limits';
import { REPORT_FORMATS } from '../src/modules/reports/files';
import {
  FILE_PARAMETERS,
  MAKE_PARAMETERS,
  REPORT_ID_PARAMETERS,
  RUN_PARAMETERS,
} from '../src/modules/reports/parameters';
import { REPORT_RULE } from '../src/modules/reports/report-rule';
import { MAKE_ROUTE, RUN_FILE_ROUTE, RUN_HEADER } from './report';

const SCHEMAS: Readonly<Record<string, object>> = {
  'application/json': { type: 'object' },
  'application/pdf': { type: 'string', format: 'binary' },
};

const COMMON = {
  tag: 'Reports',
  scope: REPORT_RULE.scope,
  header: { name: RUN_HEADER, description: 'The id of the run.' },
  content: Object.fromEntries(
    Object.values(REPORT_FORMATS).map(({ mediaType }) => [
      // Generators look types up without parameters such as the charset.
      mediaType.replace(/;.*/, ''),
      { schema: SCHEMAS[mediaType] ?? { type: 'string' } },
    ]),
  ),
} as const;

/** The OpenAPI description of the files of reports. */
export const REPORT_FILES = [
  {
    ...COMMON,
    operationId: 'getReportRunContent',
    path: RUN_FILE_ROUTE,
    summary: 'Returns a file of a run.',
    description: `A run never changes: its files have the same bytes each time, and the run states the SHA-256 of each.`,
    pathParameters: RUN_PARAMETERS,
    query: FILE_PARAMETERS,
  },
  {
    ...COMMON,
    operationId: 'makeReport',
    path: MAKE_ROUTE,
    summary: 'Makes a run of a report, and returns a file of it.',
    description: `The answer begins when the run is done. \`${RUN_HEADER}\` names the run, whose other files can be read then. Events
that are stored while the run is made may be in it or not. A key has one export or new run at a time, over all instances:
another is \`rate_limited\`.

In \`csv\` (RFC 4180) an apostrophe stands before a text that a spreadsheet would take for a formula. \`json\` has every
text as it is. A run of more than ${LIMITS.reportPdfUnaskedRowsMax.toLocaleString('en-US')} rows has a file in \`pdf\` only if it is made with \`format=pdf\`; it has the first
${LIMITS.reportPdfRowsMax.toLocaleString('en-US')} rows.`,
    pathParameters: REPORT_ID_PARAMETERS,
    query: MAKE_PARAMETERS,
  },
] as const;
