import type { GuardedHttp } from '../../../delivery/guarded-http';
import { isOfContent, isSuccess, outcomeOf } from '../../../delivery/http-outcome';
import { failed, type Outcome, type RefusedItem } from '../../../delivery/outcome';
import type { Sender } from '../runner';
import type { SecretsOf, SettingsOf } from '../types';
import { overHttp } from './over-http';

const THERE_ALREADY = 409;
const ANSWER_BYTES = 8 * 1024 * 1024;
const SHOWN = 'filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason';

interface ItemAnswer {
  readonly status: number;
  readonly error?: { readonly type?: string; readonly reason?: string };
}

/**
 * `_bulk` of Elasticsearch and OpenSearch. Each event is created under its record id, so a repeated event already
 * exists, and each is stored once.
 */
export function elasticsearchSender(
  http: GuardedHttp,
  settings: SettingsOf<'elasticsearch'>,
  secrets: SecretsOf<'elasticsearch'>,
  nowMs: () => number,
): Sender {
  const { index, pipeline } = settings;
  const path = `${settings.url.replace(/\/+$/, '')}/${encodeURIComponent(index)}/_bulk?${SHOWN}`;
  const url = pipeline === undefined ? path : `${path}&pipeline=${encodeURIComponent(pipeline)}`;
  const headers = { 'Content-Type': 'application/x-ndjson', ...authorizationOf(secrets) };
  return overHttp(http, async ({ items }, signal) => {
    const lines = items.map(
      ({ recordId, json }) => `${JSON.stringify({ create: { _id: recordId } })}\n${json}\n`,
    );
    const body = Buffer.from(lines.join(''), 'utf8');
    const answer = await http.send(
      { method: 'POST', url, headers, body, answerBytesMax: ANSWER_BYTES },
      signal,
    );
    const outcome = outcomeOf(answer, nowMs());
    return outcome.kind === 'accepted' ? ofItems(answer.body, items.length) : outcome;
  });
}

function ofItems(body: Buffer, count: number): Outcome {
  const items = itemsOf(body);
  if (items?.length !== count) return failed('the answer is not that of _bulk');
  // The index is busy, read-only, missing or forbidden: that says nothing against this event.
  const again = items.find((item) => !isStored(item) && !isOfContent(item.status));
  if (again) return failed(`_bulk: ${messageOf(again)}`);
  const refused: RefusedItem[] = items.flatMap((item, index) =>
    isStored(item) ? [] : [{ index, message: messageOf(item) }],
  );
  const [first] = refused;
  if (!first) return { kind: 'accepted' };
  // If no event was accepted, the index may be the cause.
  if (refused.length < count) return { kind: 'accepted', refused };
  return { kind: 'refused', message: first.message };
}

const isStored = ({ status }: ItemAnswer) => isSuccess(status) || status === THERE_ALREADY;

const messageOf = ({ status, error }: ItemAnswer) =>
  `${status} ${error?.type ?? ''} ${error?.reason ?? ''}`.trim();

function itemsOf(body: Buffer): ItemAnswer[] | null {
  try {
    const { items } = JSON.parse(body.toString('utf8')) as { items?: Record<string, ItemAnswer>[] };
    return items?.map((item) => Object.values(item)[0] ?? { status: 0 }) ?? null;
  } catch {
    return null;
  }
}

function authorizationOf({ apiKey, username, password }: SecretsOf<'elasticsearch'>): Record<string, string> {
  if (apiKey !== undefined) return { Authorization: `ApiKey ${apiKey}` };
  if (username === undefined) return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
