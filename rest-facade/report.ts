import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Call } from '../src/caller/call';
import { holderOf, tenantSetOf } from '../src/caller/principal';
import { CallerGone, DomainError, isCallerGone } from '../src/errors';
import type { QuerySpecs } from '../src/event/parameter-specs';
import { parseParameters, refuseHidden } from '../src/event/parse-parameters';
import { admitAgain } from '../src/graphql/guard';
import { LIMITS } from '../src/limits';
import { findReport } from '../src/modules/reports/declarations';
import { REPORT_FORMATS, type ReportFormat } from '../src/modules/reports/files';
import type { ReportEntrance } from '../src/modules/reports/module';
import {
  FILE_PARAMETERS,
  MAKE_PARAMETERS,
  REPORT_ID_PARAMETERS,
  RUN_PARAMETERS,
} from '../src/modules/reports/parameters';
import { FILE_OPERATION, MAKE_OPERATION, REPORT_RULE } from '../src/modules/reports/report-rule';
import type { RunFile } from '../src/modules/reports/reports';
import { API_BASE_PATH } from '../src/version';
import { streamed } from './streamed';

export const RUN_FILE_ROUTE = '/reports/runs/{runId}/content';
export const MAKE_ROUTE = '/reports/{reportId}/content';
export const expressPath = (route: string) => API_BASE_PATH + route.replace(/\{(\w+)\}/g, ':$1');
/** The header that names the run of a file. */
export const RUN_HEADER = 'X-Report-Run';

type ContextOf = (request: Request, response: Response) => Promise<Call>;

export const RUN_FILE_SPECS = { ...RUN_PARAMETERS, ...FILE_PARAMETERS } as const satisfies QuerySpecs;
export const MAKE_SPECS = { ...REPORT_ID_PARAMETERS, ...MAKE_PARAMETERS } as const satisfies QuerySpecs;

/** Answers with a file of a run. */
export const answerRunFile = (reports: ReportEntrance, contextOf: ContextOf): RequestHandler =>
  streamed(
    { operation: FILE_OPERATION, rule: REPORT_RULE },
    contextOf,
    async (call, running, request, response) => {
      const { runId, format } = parseParameters(RUN_FILE_SPECS, { ...request.query, ...request.params });
      const file = await reports.file(tenantSetOf(call), runId, format as ReportFormat);
      running.rows = file.rows;
      await send(request, response, file);
    },
  );

/** Makes a run, and answers with a file of it. A request for the head alone makes none. */
export const answerNewRun = (reports: ReportEntrance, contextOf: ContextOf): RequestHandler =>
  streamed(
    { operation: MAKE_OPERATION, rule: REPORT_RULE },
    contextOf,
    async (call, running, request, response) => {
      const { reportId, ...values } = parseParameters(MAKE_SPECS, { ...request.query, ...request.params });
      refuseHidden(MAKE_SPECS, values, call);
      const report = findReport(reportId);
      if (!report) throw new DomainError('not_found', { public: 'There is no such report.' });
      if (request.method === 'HEAD') return void response.end();
      const tenants = tenantSetOf(call);
      const { principal } = call;
      const make = () =>
        reports.make({
          report,
          tenants,
          values,
          holder: holderOf(principal),
          createdBy: principal.session?.user ?? principal.name,
          gone: call.gone,
          assertAllowed: async (tenant) => {
            if (call.gone.aborted) throw new CallerGone();
            await admitAgain(call, REPORT_RULE, 'while the report was made', [tenant]);
          },
        });
      const runId = await inSilence(request, make);
      const file = await reports.file(tenants, runId, values.format as ReportFormat);
      running.begins();
      running.rows = file.rows;
      await send(request, response, file);
    },
  );

/** The caller sends and gets nothing while a run is made. That is no reason to close its connection. */
async function inSilence<T>(request: Request, work: () => Promise<T>): Promise<T> {
  request.setTimeout(LIMITS.reportMs + LIMITS.connectionIdleMs);
  try {
    return await work();
  } finally {
    request.setTimeout(LIMITS.connectionIdleMs);
  }
}

async function send(request: Request, response: Response, file: RunFile): Promise<void> {
  response.set({
    'Content-Type': REPORT_FORMATS[file.format as ReportFormat].mediaType,
    'Content-Disposition': `attachment; filename="${file.name}"`,
    'Content-Length': String(file.bytes),
    'Cache-Control': 'no-store',
    [RUN_HEADER]: file.runId,
  });
  if (request.method === 'HEAD') return void response.end();
  await pipeline(Readable.from(file.content), response).catch((error: unknown) => {
    if (!isCallerGone(error)) throw error;
  });
}
