import { z } from 'zod';

/** What came of sending some events. */
export type Answer =
  | ({ readonly kind: 'receipt' } & Receipt)
  /** The service does not take anything with this key. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The service will never take this request as it is. */
  | { readonly kind: 'unfit'; readonly code: string; readonly message: string }
  /** The same request may succeed later. */
  | { readonly kind: 'busy'; readonly message: string; readonly retryAfterMs: number | null };

const count = z.int().min(0);
const receipt = z.object({
  accepted: count,
  duplicates: count,
  rejected: z.array(z.object({ index: count, code: z.string(), message: z.string() })),
});
export type Receipt = z.infer<typeof receipt>;

const answerBody = z.object({
  data: z.object({ ingestAuditEvents: z.unknown() }).nullish(),
  errors: z
    .array(
      z.object({
        message: z.string().catch(''),
        extensions: z.object({ code: z.string() }).nullish().catch(null),
      }),
    )
    .nullish(),
});

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

/** @param sent number of events in the request: a receipt must account for each */
export function toAnswer({ status, retryAfter, body }: HttpAnswer, sent: number, nowMs: number): Answer {
  const parsed = answerBody.safeParse(parseJson(body));
  const error = parsed.success ? parsed.data.errors?.[0] : undefined;
  if (status === 200 && parsed.success && !error) {
    const result = receipt.safeParse(parsed.data.data?.ingestAuditEvents);
    if (result.success && accountsFor(result.data, sent)) return { kind: 'receipt', ...result.data };
  }
  const code = error?.extensions?.code ?? CODE_OF_STATUS[status] ?? 'unknown';
  const message = `${code}${error?.message ? `: ${oneLine(error.message)}` : ''} (HTTP ${status})`;
  if (code === 'unauthorized' || code === 'forbidden') return { kind: 'refused', message };
  if (code === 'payload_too_large' || code === 'invalid_parameter') return { kind: 'unfit', code, message };
  return {
    kind: 'busy',
    message: code === 'unknown' ? `not an answer of the ingest service (HTTP ${status})` : message,
    retryAfterMs: parseRetryAfter(retryAfter, nowMs),
  };
}

/** For answers that are not the service's own, but of something before it. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  413: 'payload_too_large',
  429: 'rate_limited',
  503: 'service_unavailable',
};

function accountsFor({ accepted, duplicates, rejected }: Receipt, sent: number): boolean {
  const indexes = new Set(rejected.map(({ index }) => index));
  const areSent = rejected.every(({ index }) => index < sent);
  return areSent && indexes.size === rejected.length && accepted + duplicates + rejected.length === sent;
}

/** Whole seconds or a date. */
function parseRetryAfter(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The page of a proxy, say: handled as an answer without a receipt.
    return undefined;
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 500);
