import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Call } from '../src/caller/call';
import { enforce, holderOf, tenantSetOf } from '../src/caller/principal';
import { DomainError, type ErrorCode, toDomainError } from '../src/errors';
import type { FeedFormat } from '../src/event/formats/formats';
import { toAuditEventFilter } from '../src/event/query';
import type { BeginExport, Export } from '../src/modules/export/export-events';
import { EXPORT_OPERATION, EXPORT_RULE } from '../src/modules/export/export-rule';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportFormatName,
  formatOf,
} from '../src/modules/export/formats';
import { parseExport } from '../src/modules/export/parameters';
import { piecesOf } from '../src/modules/export/pieces';
import { API_BASE_PATH } from '../src/version';

export const EXPORT_PATH = `${API_BASE_PATH}/audit-activity/export`;
const NEEDED_HTTP = 'HTTP/1.1';
export const TOTAL_HEADER = 'X-Total-Count';

/**
 * Answers with all matching events while they are read. A failure before the first event is answered with a documented
 * error. A later failure breaks the connection, so that nobody takes a part for the whole.
 */
export function answerExport(
  begin: BeginExport,
  contextOf: (request: Request, response: Response) => Promise<Call>,
): RequestHandler {
  return async (request, response) => {
    refuseOldHttp(request, response);
    const context = await contextOf(request, response);
    const note = (outcome: ErrorCode | 'ok', rows: number | null) =>
      context.note({ operation: EXPORT_OPERATION, parameters: request.query, outcome, rows });
    let running: Export | null = null;
    try {
      enforce(EXPORT_RULE, context.principal);
      const { format, schema, cursor, end, ...filters } = parseExport(request.query);
      running = await begin({
        tenants: tenantSetOf(context),
        holder: holderOf(context.principal),
        filter: toAuditEventFilter(filters),
        cursor: cursor?.toLowerCase() ?? null,
        assertAllowed: () => assertAllowed(context),
      });
      note('ok', null);
      setHeaders(response, format as ExportFormatName, running);
      const written = {
        format: formatOf(format as ExportFormatName, schema as FeedFormat),
        hasEnd: end !== undefined,
      };
      await send(request, response, written, running);
      note('ok', running.handedOver);
    } catch (error) {
      // A caller who has gone gets no error, and keeps the events that were sent.
      note(isGone(error) ? 'ok' : toDomainError(error).code, running?.handedOver ?? null);
      if (!isGone(error)) throw error;
    } finally {
      response.locals.rows = running?.handedOver;
      await running?.end();
    }
  };
}

/**
 * Over HTTP/1.0 only the closing of the connection shows the end of a stream. The connection also closes when the
 * export fails. A reverse proxy may use HTTP/1.0, as nginx does by default, although its own caller uses a newer
 * version.
 */
function refuseOldHttp(request: Request, response: Response): void {
  if (`HTTP/${request.httpVersion}` === NEEDED_HTTP) return;
  response.set({ Upgrade: NEEDED_HTTP, Connection: 'Upgrade, close' });
  throw new DomainError('upgrade_required', {
    public:
      'The export needs HTTP/1.1: over HTTP/1.0 a part of it looks like the whole. In nginx, add to this location: proxy_http_version 1.1;',
  });
}

/**
 * Checks the caller again, because an export may outlast a key or a session.
 * @throws DomainError `unauthorized`, `forbidden`
 */
async function assertAllowed(context: Call): Promise<void> {
  const principal = await context.again();
  if (!principal)
    throw new DomainError('unauthorized', { public: 'The key or the session has ended during the export.' });
  enforce(EXPORT_RULE, principal);
}

function setHeaders(response: Response, format: ExportFormatName, { totalCount }: Export): void {
  const name = `audit-activity-${new Date().toISOString().replace(/\W/g, '')}.${format}`;
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
  { format, hasEnd }: { readonly format: ExportFormat; readonly hasEnd: boolean },
  running: Export,
): Promise<void> {
  if (request.method === 'HEAD') {
    await running.end();
    return void response.end();
  }
  const texts = async function* () {
    if (format.head) yield format.head;
    for await (const events of running.batches) for (const few of piecesOf(events)) yield format.write(few);
    if (hasEnd) yield format.end(running.handedOver);
    // This runs before the answer ends, because a caller who has all events may ask again at once.
    await running.end();
  };
  // A piece is written once the piece before the last has left for the network, so little text is held for a slow
  // reader.
  await pipeline(Readable.from(texts()), response);
}

const isGone = (error: unknown) =>
  (error as NodeJS.ErrnoException | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
