import type { GuardedHttp } from '../../../delivery/guarded-http';
import { outcomeOf } from '../../../delivery/http-outcome';
import { signedHeaders } from '../../../delivery/standard-webhooks';
import type { Sender } from '../runner';
import type { SecretsOf, SettingsOf } from '../types';
import { joined, lines } from './joined';
import { overHttp } from './over-http';

/** Standard Webhooks: a JSON array or NDJSON, signed with each valid secret. */
export function webhookSender(
  http: GuardedHttp,
  { url, encoding }: SettingsOf<'webhook'>,
  { headers = {}, signing = [] }: SecretsOf<'webhook'>,
  nowMs: () => number,
): Sender {
  return overHttp(http, async ({ id, items }, signal) => {
    const body = encoding === 'json' ? joined(items, '[', ',', ']') : lines(items);
    const ofLines = items[0]?.line === undefined ? 'application/x-ndjson' : 'text/plain; charset=utf-8';
    const type = encoding === 'json' ? 'application/json' : ofLines;
    const now = new Date(nowMs());
    const secrets = signing.filter(({ until }) => until === undefined || Date.parse(until) > now.getTime());
    const signed = signedHeaders(
      id,
      now,
      body,
      secrets.map(({ secret }) => secret),
    );
    const answer = await http.send(
      { method: 'POST', url, headers: { ...headers, 'Content-Type': type, ...signed }, body },
      signal,
    );
    return outcomeOf(answer, nowMs());
  });
}
