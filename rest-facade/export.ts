import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Call } from '../src/caller/call';
import { askerOf } from '../src/caller/principal';
import { DomainError, isCallerGone } from '../src/errors';
import type { FeedFormat } from '../src/event/formats/formats';
import type { WholeTexts } from '../src/event/marks';
import { refuseHidden } from '../src/event/parse-parameters';
import { toAuditEventFilter } from '../src/event/query';
import { admitAgain } from '../src/graphql/guard';
import { LIMITS } from '../src/limits';
import type { BeginExport, Export } from '../src/modules/export/export-events';
import { EXPORT_OPERATION, EXPORT_RULE } from '../src/modules/export/export-rule';
import {
  EXPORT_FORMATS,
  type ExportedEvents,
  type ExportFormat,
  type ExportFormatName,
  formatOf,
} from '../src/modules/export/formats';
import { EXPORT_PARAMETERS, parseExport } from '../src/modules/export/parameters';
import { bytesOf, piecesOf } from '../src/modules/export/pieces';
import { ShownEvents } from '../src/store/rows/masked';
import { API_BASE_PATH } from '../src/version';
import { streamed } from './streamed';

export const EXPORT_PATH = `${API_BASE_PATH}/audit-activity/export`;
const NEEDED_HTTP = 'HTTP/1.1';
export const TOTAL_HEADER = 'X-Total-Count';

/**
 * Answers with all matching events while they are read. A failure before the first event is answered with a documented
 * error. A later failure breaks the connection, so that nobody takes a part for the whole.
 */
export function answerExport(
  begin: BeginExport,
  large: Pick<WholeTexts, 'written'>,
  contextOf: (request: Request, response: Response) => Promise<Call>,
): RequestHandler {
  const of = { operation: EXPORT_OPERATION, rule: EXPORT_RULE };
  const answer = streamed(of, contextOf, async (call, running, request, response) => {
    const { format, schema, cursor, end, ...filters } = parseExport(request.query);
    refuseHidden(EXPORT_PARAMETERS, filters, call);
    const shown = new ShownEvents(call, EXPORT_OPERATION);
    const asker = askerOf(call);
    const begun = await begin({
      ...asker,
      filter: toAuditEventFilter(filters),
      cursor: cursor?.toLowerCase() ?? null,
      assertAllowed: async () =>
        void (await admitAgain(call, EXPORT_RULE, 'during the export', asker.tenants)),
    });
    try {
      running.begins();
      setHeaders(response, format as ExportFormatName, begun);
      const written = {
        format: formatOf(format as ExportFormatName, schema as FeedFormat),
        hasEnd: end !== undefined,
        shown: async (events: ExportedEvents) => {
          refuseHidden(EXPORT_PARAMETERS, filters, await shown.look());
          return shown.all(events);
        },
        whole: (text: string) =>
          large.written(text, format === 'csv' ? 'csv' : 'json', asker, LIMITS.exportWaitMs),
      };
      await send(request, response, written, begun);
    } catch (error) {
      // A caller who has gone gets no error, and keeps the events that were sent.
      if (!isCallerGone(error)) throw error;
    } finally {
      running.rows = begun.handedOver;
      await begun.end();
    }
  });
  return (request, response, next) => {
    refuseOldHttp(request, response);
    return answer(request, response, next);
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
  {
    format,
    hasEnd,
    shown,
    whole,
  }: {
    readonly format: ExportFormat;
    readonly hasEnd: boolean;
    /** Events as the caller may see them at that moment. */
    readonly shown: (events: ExportedEvents) => Promise<ExportedEvents>;
    /** A part of the export, with large statements in the places of their marks. */
    readonly whole: (text: string) => AsyncIterable<string | Buffer>;
  },
  running: Export,
): Promise<void> {
  if (request.method === 'HEAD') {
    await running.end();
    return void response.end();
  }
  const texts = async function* () {
    if (format.head) yield format.head;
    for await (const events of running.batches)
      for (const few of piecesOf(events)) yield* bytesOf(await shown(few), format, whole);
    if (hasEnd) yield format.end(running.handedOver);
    // This runs before the answer ends, because a caller who has all events may ask again at once.
    await running.end();
  };
  // A piece is written once the piece before the last has left for the network, so little text is held for a slow
  // reader.
  await pipeline(Readable.from(texts()), response);
}
