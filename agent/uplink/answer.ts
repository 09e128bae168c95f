import { z } from 'zod';
import { NOT_LOOKED_AT } from '../../src/event/audit-record';
import type { HttpResponse } from './http-exchange';

/** The result of sending some events. */
export type Answer =
  | ({
      readonly kind: 'receipt';
      /** The index of the first event that the service has not looked at; absent: it has looked at all. */
      readonly rest?: number;
    } & Receipt)
  /** The service refuses the key. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The service will never accept this request unchanged. */
  | { readonly kind: 'unfit'; readonly code: string; readonly message: string }
  /** Refused by a proxy, or for an unknown reason, which may concern these events or everything. */
  | { readonly kind: 'unknown'; readonly code: string; readonly message: string }
  /** The same request may succeed later. */
  | { readonly kind: 'busy'; readonly message: string; readonly retryAfterMs: number | null };

const count = z.int().min(0);
const receipt = z.object({
  accepted: count,
  duplicates: count,
  rejected: z.array(z.object({ index: count, code: z.string(), message: z.string() })),
});
type Receipt = z.infer<typeof receipt>;
const ingestData = z.object({ ingestAuditEvents: receipt });

const answerBody = z.object({
  data: z.unknown().optional(),
  errors: z
    .array(
      z.object({
        message: z.string().catch(''),
        extensions: z.object({ code: z.string() }).nullish().catch(null),
      }),
    )
    .nullish(),
});

/** The parts of an answer that are the same for every request. */
interface ParsedAnswer {
  readonly data: unknown;
  /** Messages of the errors. */
  readonly errors: readonly string[];
  /** The service's error code; `unknown` if the answer is not the service's, or holds no error. */
  readonly code: string;
  /** Whether the service itself gave the code. */
  readonly isStated: boolean;
  /** What went wrong, for people. */
  readonly message: string;
}

export function parseAnswer({ status, body }: HttpResponse): ParsedAnswer {
  const parsed = answerBody.safeParse(parseJson(body));
  const errors = (parsed.success && parsed.data.errors) || [];
  const [error] = errors;
  const stated = error?.extensions?.code;
  const isProxys = stated === undefined && (status === 401 || status === 403);
  const code = stated ?? (isProxys ? undefined : CODE_OF_STATUS[status]) ?? 'unknown';
  const none = `not an answer of the service (HTTP ${status})`;
  const text = `${code}${error?.message ? `: ${oneLine(error.message)}` : ''} (HTTP ${status})`;
  return {
    data: parsed.success ? parsed.data.data : undefined,
    errors: errors.map(({ message }) => message),
    code,
    isStated: stated !== undefined,
    message: isProxys
      ? `${none}: a proxy or firewall before it refuses the request`
      : code === 'unknown'
        ? none
        : text,
  };
}

/** @param sent number of events in the request: a receipt must account for each */
export function toAnswer(http: HttpResponse, sent: number, nowMs: number): Answer {
  const { data, code, isStated, message } = parseAnswer(http);
  if (http.status === 200) {
    // A newer service may add fields to a receipt.
    const result = ingestData.safeParse(data);
    const accounted = result.success ? accountOf(result.data.ingestAuditEvents, sent) : null;
    if (accounted) return { kind: 'receipt', ...accounted };
  }
  // Only the service itself knows the key.
  const known =
    KIND_OF_CODE[code] ?? (isStated ? KIND_OF_CODE[CODE_OF_STATUS[http.status] ?? ''] : undefined);
  const kind = known ?? (isStated && http.status < 500 ? 'unknown' : 'busy');
  // A proxy before the service gives only its status: it may be set up to refuse every request.
  if (kind === 'unfit' && !isStated) return { kind: 'unknown', code, message };
  if (kind === 'busy') return { kind, message, retryAfterMs: parseRetryAfter(http.retryAfter, nowMs) };
  return kind === 'refused' ? { kind, message } : { kind, code, message };
}

/** The codes that an agent meets. An unknown code counts as the one that belongs to its HTTP status. */
const KIND_OF_CODE: Readonly<Record<string, 'refused' | 'unfit' | 'busy'>> = {
  unauthorized: 'refused',
  forbidden: 'refused',
  invalid_parameter: 'unfit',
  payload_too_large: 'unfit',
  request_timeout: 'busy',
  rate_limited: 'busy',
  internal_error: 'busy',
  service_unavailable: 'busy',
};

/** The code for a status. For answers of a proxy too, which have no code, but for those about a key. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  408: 'request_timeout',
  413: 'payload_too_large',
  425: 'service_unavailable',
  429: 'rate_limited',
  503: 'service_unavailable',
};

/** The receipt without what it says about the rest of the batch; null: it does not account for the events. */
function accountOf(receipt: Receipt, sent: number): (Receipt & { readonly rest?: number }) | null {
  const { accepted, duplicates } = receipt;
  const last = receipt.rejected.at(-1);
  const rest = last?.code === NOT_LOOKED_AT ? last.index : sent;
  const rejected = last?.code === NOT_LOOKED_AT ? receipt.rejected.slice(0, -1) : receipt.rejected;
  const indexes = new Set(rejected.map(({ index }) => index));
  const areLookedAt = rest <= sent && rejected.every(({ index }) => index < rest);
  if (!areLookedAt || indexes.size !== rejected.length) return null;
  // With nothing looked at, the same events would be sent for ever.
  if (accepted + duplicates + rejected.length !== rest || (rest === 0 && sent > 0)) return null;
  return { accepted, duplicates, rejected, ...(rest < sent && { rest }) };
}

/** Parses Retry-After, which is whole seconds or a date. @returns milliseconds; null: it says nothing */
export function parseRetryAfter(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The body may be a page of a proxy, for example. It counts as an answer without a receipt.
    return undefined;
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 500);
