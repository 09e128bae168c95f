import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Access, Call } from '../src/caller/call';
import { askerOf, type MarkedTenants, masksOf } from '../src/caller/principal';
import { DomainError, isCallerGone, isUnavailable, refusal, toDomainError } from '../src/errors';
import { FILTER_PARAMETERS } from '../src/event/parameters';
import { parseParameters, refuseHidden } from '../src/event/parse-parameters';
import { type Guarded, guarded, type Running } from '../src/graphql/guard';
import { writeTaken } from '../src/http/write-pieces';
import { LIMITS } from '../src/limits';
import { liveItem } from '../src/modules/tail/live-item';
import { NOW } from '../src/modules/tail/parameters';
import type { TailPage } from '../src/modules/tail/tail';
import { TAIL_RULE } from '../src/modules/tail/tail-rule';
import { tooLong } from '../src/problem';
import { ShownEvents } from '../src/store/rows/masked';
import { abortedWith, assertAllowed, disabledOf, type TailEntrance } from './tail';

/** The operation in the access log. */
const LIVE_OPERATION = 'liveAuditActivity';
const EVENT_STREAM = 'text/event-stream';

export interface LiveEntrance extends Omit<TailEntrance, 'large'> {
  readonly maskedTenants: Pick<MarkedTenants, 'among'>;
  /** As the call's own `note`, and joins the entries of a page that begins one stream after another. */
  readonly noteView: (call: Call, access: Access) => void;
}

/**
 * Answers with matching events as they arrive: server-sent events, whose ids are cursors of the tail. A message has the
 * events up to its id, so a reader that goes on with `Last-Event-ID` misses none and gets none twice, on any instance.
 * The stream ends after `LIMITS.liveMs`, and its last message says why.
 */
export function answerLive(
  parts: LiveEntrance,
  contextOf: (request: Request, response: Response) => Promise<Call>,
): RequestHandler {
  return async (request, response) => {
    const call = await contextOf(request, response);
    const note: Guarded['note'] = (result) => {
      response.locals.rows = result.rows ?? undefined;
      parts.noteView(call, { ...result, operation: LIVE_OPERATION, parameters: request.query });
    };
    try {
      const of = { call, rule: TAIL_RULE, note };
      await guarded(of, (running) => streamed(parts, { call, running, request, response }));
    } catch (error) {
      if (!response.headersSent) throw error;
      const { code, message } = toDomainError(error);
      response.end(messageOf('end', { code, message }));
    }
  };
}

interface Stream {
  readonly call: Call;
  readonly running: Running;
  readonly request: Request;
  readonly response: Response;
}

async function streamed(parts: LiveEntrance, stream: Stream): Promise<void> {
  const { call, request } = stream;
  const filters = parseParameters(FILTER_PARAMETERS, request.query);
  refuseHidden(FILTER_PARAMETERS, filters, call);
  const cursor = lastIdOf(request);
  const leave = parts.streams.begin(askerOf(call).holder);
  if (!leave) throw tooManyStreams();
  const ends = endsOf(parts, stream);
  try {
    await send(parts, stream, { filters, cursor, ends });
  } finally {
    ends.clear();
    leave();
  }
}

interface Ends {
  /** Aborted when the stream is to end. */
  readonly gone: AbortSignal;
  /** @throws DomainError if the session has ended meanwhile, or lost a right */
  readonly refuse: () => void;
  readonly clear: () => void;
}

/** When a stream ends: its reader is gone, its time is over, the service stops, or its session is refused. */
function endsOf({ stopping }: LiveEntrance, { call }: Stream): Ends {
  const over = new AbortController();
  const end = () => over.abort();
  let refused: unknown = null;
  call.gone.addEventListener('abort', end);
  const timer = setTimeout(end, LIMITS.liveMs);
  const { tenants } = askerOf(call);
  let isLooking = false;
  const look = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      await assertAllowed(call, tenants);
    } catch (error) {
      // While the database is away, nothing can be read either.
      if (!isUnavailable(error)) {
        refused = error;
        end();
      }
    }
    isLooking = false;
  }, LIMITS.liveCheckMs);
  return {
    gone: abortedWith(stopping, over.signal),
    refuse: () => {
      if (refused) throw refused;
    },
    clear: () => {
      clearTimeout(timer);
      clearInterval(look);
      end();
    },
  };
}

interface Wanted {
  readonly filters: ReturnType<typeof parseParameters<typeof FILTER_PARAMETERS>>;
  readonly cursor: string | null;
  readonly ends: Ends;
}

async function send(parts: LiveEntrance, stream: Stream, { filters, cursor, ends }: Wanted): Promise<void> {
  const { call, running, request, response } = stream;
  const asker = askerOf(call);
  const { gone } = ends;
  const read = async (from: string | null, isWaiting: boolean) => {
    let room = await parts.answers.hold(asker, LIMITS.tailReadBytes);
    try {
      return await parts.tail.read({
        ...asker,
        disabled: disabledOf(call.principal),
        waiter: `live ${asker.holder}`,
        filters,
        limit: LIMITS.liveEventsMax,
        cursor: from,
        from: from === null ? NOW : null,
        asTexts: false,
        waitSeconds: Number(isWaiting) * LIMITS.liveSilenceSeconds,
        withSources: false,
        gone,
        whileWaiting: async (work) => {
          room.release();
          const came = await parts.whileWaiting(request, response, work);
          ends.refuse();
          room = await parts.answers.hold(asker, LIMITS.answerBytesAssumed);
          return came;
        },
      });
    } finally {
      room.release();
    }
  };
  const shown = shownIn(parts, call, filters);
  let page = await read(cursor, false);
  let [known, rows] = [cursor, page.items.length];
  for (;;) {
    const text = pageText(page, await shown(page), known);
    if (!response.headersSent) {
      begin(response);
      if (request.method === 'HEAD') return void response.end();
      running.begins();
    }
    await writeTaken(response, text, LIMITS.liveReadMs, tooSlow);
    [known, running.rows] = [page.nextCursor, rows];
    const paceMs = Buffer.byteLength(text) / LIMITS.liveBytesPerMs;
    await parts.whileWaiting(request, response, () => pause(paceMs, gone));
    ends.refuse();
    if (gone.aborted) break;
    try {
      page = await read(page.nextCursor, true);
      rows += page.items.length;
    } catch (error) {
      // It ends as planned, although its last look failed: the next stream looks from the same place.
      if (!gone.aborted || !(isUnavailable(error) || isCallerGone(error))) throw error;
      break;
    }
    ends.refuse();
  }
  response.end(messageOf('end', { code: null }));
}

/** Makes the items of a page as the caller may see them at that moment: rights and masks may change while it reads. */
function shownIn(
  { maskedTenants }: LiveEntrance,
  call: Call,
  filters: Wanted['filters'],
): (page: TailPage) => Promise<readonly object[]> {
  const { tenants } = askerOf(call);
  let isNoted = false;
  const note: Call['note'] = (access) => {
    if (!isNoted) call.note(access);
    isNoted = true;
  };
  return async ({ items }) => {
    const masks = await masksOf(await assertAllowed(call, tenants), maskedTenants);
    refuseHidden(FILTER_PARAMETERS, filters, masks);
    const shown = new ShownEvents({ ...masks, note }, LIVE_OPERATION);
    return shown.all(items.flatMap((item) => ('event' in item ? [liveItem(item)] : [])));
  };
}

/** The cursor with which a reader goes on; null: it begins with what arrives from now on. */
function lastIdOf(request: Request): string | null {
  const id = request.get('Last-Event-ID') || null;
  if (id !== null && id.length > LIMITS.tailCursorCharsMax)
    throw refusal([tooLong('Last-Event-ID', LIMITS.tailCursorCharsMax)]);
  return id;
}

/** The connection closes with the stream, so that a service that stops waits for nobody. */
function begin(response: Response): void {
  response.shouldKeepAlive = false;
  response.set({
    'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
    'Cache-Control': 'no-store',
    // nginx would hold messages back.
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
}

/** @param known the id that the reader has */
function pageText(page: TailPage, items: readonly object[], known: string | null): string {
  const { nextCursor, caughtUp, removed } = page;
  if (known === null || items.length > 0)
    return `id: ${nextCursor}\n${messageOf('events', { items, caughtUp, removed })}`;
  return nextCursor === known ? ':\n\n' : `:\nid: ${nextCursor}\n\n`;
}

/** JSON has no line ends of its own. */
const messageOf = (event: 'events' | 'end', data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => {});

const tooManyStreams = () =>
  new DomainError('rate_limited', {
    public: `${LIMITS.liveStreamsPerHolder} pages of this person or key show events live already, or the service has as many as it may. Turn off Live in one of them.`,
    retryAfterSeconds: LIMITS.liveSilenceSeconds,
  });

const tooSlow = () => new DomainError('request_timeout', { public: 'The page does not take its events.' });
