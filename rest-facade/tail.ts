import type { Request, RequestHandler, Response } from 'express';
import type { Call } from '../src/caller/call';
import { askerOf, type Principal } from '../src/caller/principal';
import { DomainError, isUnavailable } from '../src/errors';
import type { FeedFormat } from '../src/event/formats/formats';
import { furtherCalls, type WholeTexts } from '../src/event/marks';
import { refuseHidden } from '../src/event/parse-parameters';
import { admitAgain, assertStillHas, holdFor } from '../src/graphql/guard';
import { writePieces } from '../src/http/write-pieces';
import { LIMITS } from '../src/limits';
import type { TailParts } from '../src/modules/tail/module';
import { bytesOfTexts, inAnswer, lengthOf, textsOf } from '../src/modules/tail/page-texts';
import { parseTail, TAIL_PARAMETERS } from '../src/modules/tail/parameters';
import { laterPage, type TailPage, type TailRequest } from '../src/modules/tail/tail';
import { TAIL_OPERATION, TAIL_RULE } from '../src/modules/tail/tail-rule';
import { ShownEvents } from '../src/store/rows/masked';
import { API_BASE_PATH } from '../src/version';
import { metaOf } from './route';
import { streamed } from './streamed';

export const TAIL_PATH = `${API_BASE_PATH}/audit-activity/tail`;
export const NDJSON = 'application/x-ndjson';
const JSON_TYPE = 'application/json; charset=utf-8';
/** With its encoding, so that a caller may state it as well: an offer without a parameter matches none with it. */
const LINES = `${NDJSON}; charset=utf-8`;
export const TAIL_HEADERS = {
  'X-Next-Cursor': 'As `meta.nextCursor`.',
  'X-Caught-Up': 'As `meta.caughtUp`: true or false.',
  'X-Removed': 'As `meta.removed`.',
  Link: `The URL of the next call, \`rel="next"\`: always there, but where filters make it longer than ${LIMITS.tailLinkCharsMax} characters.`,
} as const;

export interface TailEntrance extends TailParts {
  readonly large: Pick<WholeTexts, 'pieces'>;
  /** Waits while the request's place is free. */
  readonly whileWaiting: <T>(request: Request, response: Response, wait: () => Promise<T>) => Promise<T>;
  /** Aborted when the service stops. Waiting calls are then answered. */
  readonly stopping: AbortSignal;
}

/** Answers with events in the order of arrival, as a JSON envelope or as lines of JSON. */
export function answerTail(
  { tail, answers, large, whileWaiting, stopping }: TailEntrance,
  contextOf: (request: Request, response: Response) => Promise<Call>,
): RequestHandler {
  const of = { operation: TAIL_OPERATION, rule: TAIL_RULE };
  return streamed(of, contextOf, async (call, running, request, response) => {
    const isLines = request.accepts([JSON_TYPE, LINES]) === LINES;
    const { cursor, from, limit, wait, format, include, ...filters } = parseTail(request.query, isLines);
    refuseHidden(TAIL_PARAMETERS, filters, call);
    const shown = new ShownEvents(call, TAIL_OPERATION);
    const gone = abortedWith(stopping, call.gone);
    const asker = askerOf(call);
    const asTexts = format === 'native' && shown.isAll;
    let room = await holdFor(call, answers, LIMITS.tailReadBytes);
    const read = await tail.read({
      ...asker,
      disabled: disabledOf(call.principal),
      filters,
      limit,
      cursor: cursor ?? null,
      from: from ?? null,
      asTexts,
      waitSeconds: wait,
      withSources: include !== undefined,
      gone,
      whileWaiting: async (work) => {
        room.release();
        const came = await whileWaiting(request, response, work);
        await assertStillReads(call, asker.tenants);
        // What many calls wait for is read once for all of them.
        room = await holdFor(call, answers, LIMITS.answerBytesAssumed);
        return came;
      },
    });
    // Nothing is lost when a later call brings the events.
    const orLater = <T>(work: Promise<T>) =>
      work.catch((error) => {
        if (!isUnavailable(error)) throw error;
        return null;
      });
    const masks = await orLater(shown.look());
    if (masks) refuseHidden(TAIL_PARAMETERS, filters, masks);
    // Texts are whole, and the tenant began to mask them meanwhile.
    const page = masks === null || (asTexts && !shown.isAll) ? laterPage(read) : read;
    const made = async ({ items }: TailPage) => {
      const seen = items.map((item) => ('event' in item ? { ...item, event: shown.one(item.event) } : item));
      const texts = await textsOf(seen, format as FeedFormat);
      room.release();
      room = await holdFor(call, answers, bytesOfTexts(texts) + LIMITS.answerBytesAssumed);
      const pieces = await large.pieces(inAnswer(texts, isLines), asker);
      // Written, a statement is longer than it is stored.
      await room.grow(lengthOf(pieces) + LIMITS.answerBytesAssumed);
      call.charge(furtherCalls(texts));
      return pieces;
    };
    const pieces = await orLater(made(page));
    const answered = pieces === null ? laterPage(page) : page;
    send(request, response, answered, { pieces: pieces ?? [], isLines, room });
    running.rows = answered.items.length;
  });
}

/**
 * A signal that aborts with one that lives as long as the service, or with one of a call. No listener stays on the first.
 * `AbortSignal.any` would keep a reference of each call there.
 */
export function abortedWith(signal: AbortSignal, over: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    signal.removeEventListener('abort', abort);
    controller.abort();
  };
  signal.addEventListener('abort', abort);
  over.addEventListener('abort', abort);
  if (signal.aborted || over.aborted) abort();
  return controller.signal;
}

export const disabledOf = (principal: Principal): readonly number[] =>
  (principal.kind === 'public' && principal.disabledTenantIds) || [];

const WAITED = 'while the call waited';

/** @throws DomainError `unauthorized`, `forbidden` */
export const assertAllowed = (
  call: Pick<Call, 'again' | 'entrance'>,
  tenants: TailRequest['tenants'],
): Promise<Principal> => admitAgain(call, TAIL_RULE, WAITED, tenants);

/**
 * As `assertAllowed` for a call that can be repeated: the next one leaves out the tenants that were disabled meanwhile.
 * @throws DomainError `unauthorized`, `forbidden`, `service_unavailable`
 */
async function assertStillReads(call: Call, tenants: TailRequest['tenants']): Promise<void> {
  const principal = await admitAgain(call, TAIL_RULE, WAITED, []);
  const disabled = disabledOf(principal);
  if (tenants.some((tenantId) => disabled.includes(tenantId)))
    throw new DomainError('service_unavailable', {
      public: 'A tenant of the key was disabled while the call waited. Ask again.',
    });
  assertStillHas(principal, tenants, WAITED);
}

function send(
  request: Request,
  response: Response,
  { nextCursor, caughtUp, removed, sources }: TailPage,
  {
    pieces,
    isLines,
    room,
  }: {
    readonly pieces: readonly Buffer[];
    readonly isLines: boolean;
    readonly room: { readonly settle: (bytes: number) => void };
  },
): void {
  const meta = { nextCursor, caughtUp, removed, sources, ...metaOf(new Date()) };
  const [head, end] = isLines ? ['', ''] : ['{"data":[', `],"meta":${JSON.stringify(meta)}}`];
  const body = [Buffer.from(head), ...pieces, Buffer.from(end)];
  const length = lengthOf(body);
  room.settle(length);
  response.vary('Accept');
  response.set({
    'Cache-Control': 'no-store',
    'Content-Type': isLines ? NDJSON : JSON_TYPE,
    'Content-Length': String(length),
    'X-Next-Cursor': nextCursor,
    'X-Caught-Up': String(caughtUp),
    'X-Removed': String(removed),
  });
  const link = `<${nextUrl(request, nextCursor)}>; rel="next"`;
  if (link.length <= LIMITS.tailLinkCharsMax) response.set('Link', link);
  if (request.method === 'HEAD') return void response.end();
  writePieces(response, body);
}

/** The URL of the same call with the new cursor. It is absolute, because some collectors accept no other. */
function nextUrl(request: Request, cursor: string): string {
  const given = Object.entries(request.query).filter(([name]) => name !== 'from' && name !== 'cursor');
  const query = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
  query.set('cursor', cursor);
  const host = request.get('Host');
  return `${host ? `${request.protocol}://${host}` : ''}${TAIL_PATH}?${query}`;
}
