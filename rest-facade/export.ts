import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import { parseParameters } from '../src/audit-event/parameters';
import { toAuditEventFilter } from '../src/audit-event/query';
import { toDomainError } from '../src/errors';
import type { BeginExport, Export } from '../src/export/export-events';
import { EXPORT_FORMATS, type ExportFormat, type ExportFormatName } from '../src/export/formats';
import { EXPORT_PARAMETERS } from '../src/export/parameters';
import { type AccessRule, enforce, scopeOf } from '../src/graphql/access';
import { noteAccess } from '../src/graphql/access-log';
import type { GraphqlContext } from '../src/graphql/context';
import { API_BASE_PATH } from '../src/version';

export const EXPORT_PATH = `${API_BASE_PATH}/audit-activity/export`;
export const EXPORT_OPERATION = 'exportAuditActivity';
export const EXPORT_RULE = {
  principal: 'public',
  scope: 'read:audit-activity',
} as const satisfies AccessRule;
export const TOTAL_HEADER = 'X-Total-Count';

/**
 * Answers with all events that match, as they are read. What fails before the first of them is an error as
 * documented; after that the connection is broken, so that a part is never taken for the whole.
 */
export function answerExport(
  begin: BeginExport,
  contextOf: (request: Request, response: Response) => Promise<GraphqlContext>,
): RequestHandler {
  return async (request, response) => {
    const context = await contextOf(request, response);
    const note = (outcome: Parameters<typeof noteAccess>[1]['outcome'], rows: number | null) =>
      noteAccess(context, { operation: EXPORT_OPERATION, parameters: request.query, outcome, rows });
    let written = 0;
    try {
      enforce(EXPORT_RULE, context.principal);
      const { format, cursor, ...filters } = parseParameters(EXPORT_PARAMETERS, request.query);
      const running = await begin({
        tenants: scopeOf(context),
        holder: holderOf(context),
        filter: toAuditEventFilter(filters),
        cursor: cursor?.toLowerCase() ?? null,
      });
      note('ok', null);
      try {
        setHeaders(response, format as ExportFormatName, running);
        await send(request, response, EXPORT_FORMATS[format as ExportFormatName], running, (count) => {
          written += count;
          response.locals.rows = written;
        });
      } finally {
        await running.end();
      }
      note('ok', written);
    } catch (error) {
      // Whoever left is told nothing, and has what was handed over.
      if (isGone(error)) return note('ok', written);
      note(toDomainError(error).code, written > 0 ? written : null);
      throw error;
    }
  };
}

/** A key has one export at a time, whether by itself or by those signed in with it; a person has one. */
const holderOf = ({ principal }: GraphqlContext) =>
  principal.session?.user ? `user ${principal.session.user}` : `key ${principal.keyId}`;

function setHeaders(response: Response, format: ExportFormatName, { totalCount }: Export): void {
  const name = `audit-activity-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}.${format}`;
  response.set({
    'Content-Type': EXPORT_FORMATS[format].mediaType,
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
  });
  if (totalCount !== null) response.set(TOTAL_HEADER, String(totalCount));
}

async function send(
  request: Request,
  response: Response,
  format: ExportFormat,
  running: Export,
  onEvents: (count: number) => void,
): Promise<void> {
  if (request.method === 'HEAD') {
    await running.end();
    return void response.end();
  }
  const texts = async function* () {
    if (format.head) yield format.head;
    for await (const events of running.batches) {
      yield format.write(events);
      onEvents(events.length);
    }
    // Before the answer ends: who has all of it may ask again at once.
    await running.end();
  };
  // Reads the next batch when the last has left for the network.
  await pipeline(Readable.from(texts(), { highWaterMark: 1 }), response);
}

const isGone = (error: unknown) =>
  (error as NodeJS.ErrnoException | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
