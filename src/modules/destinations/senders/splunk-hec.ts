import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { GuardedHttp, HttpAnswer } from '../../../delivery/guarded-http';
import { outcomeOf } from '../../../delivery/http-outcome';
import { failed, type Outcome } from '../../../delivery/outcome';
import type { Item } from '../batch';
import type { Sender } from '../runner';
import type { SecretsOf, SettingsOf } from '../types';
import { overHttp } from './over-http';

const COLLECTOR = '/services/collector/event';
const ACK = '/services/collector/ack';
const ACK_POLL_MS = 250;
const ACK_POLL_MAX_MS = 5_000;
const ACK_MS = 60_000;

/**
 * Splunk's HTTP Event Collector. A 200 means that events are valid, not that they are stored. With indexer
 * acknowledgement, a batch is accepted when Splunk reports it as indexed. A batch that is not acknowledged in time is
 * sent again.
 */
export function splunkSender(
  http: GuardedHttp,
  settings: SettingsOf<'splunk-hec'>,
  { token }: SecretsOf<'splunk-hec'>,
  nowMs: () => number,
): Sender {
  const base = settings.url.replace(/\/+$/, '');
  const urlOf = (path: string) =>
    base.includes('/services/collector') ? base.replace(/\/services\/.*/, path) : base + path;
  const channel = randomUUID();
  const headers = {
    Authorization: `Splunk ${token}`,
    'Content-Type': 'application/json',
    ...(settings.acknowledge && { 'X-Splunk-Request-Channel': channel }),
  };
  const post = (url: string, body: Buffer, signal: AbortSignal) =>
    http.send({ method: 'POST', url, headers, body }, signal);

  const isIndexed = async (ackId: number, signal: AbortSignal): Promise<Outcome> => {
    const until = performance.now() + ACK_MS;
    const body = Buffer.from(JSON.stringify({ acks: [ackId] }));
    for (
      let waitMs = ACK_POLL_MS;
      performance.now() < until;
      waitMs = Math.min(waitMs * 2, ACK_POLL_MAX_MS)
    ) {
      const answer = await post(`${urlOf(ACK)}?channel=${channel}`, body, signal);
      const { acks } = jsonOf(answer) as { readonly acks?: Readonly<Record<string, boolean>> };
      if (acks?.[String(ackId)] === true) return { kind: 'accepted' };
      if (!acks) return { ...failed(`no acknowledgement: HTTP ${answer.status}`) };
      await delay(waitMs, undefined, { signal });
    }
    return failed(`not acknowledged within ${ACK_MS / 1000} seconds`);
  };

  return overHttp(http, async ({ items }, signal) => {
    const body = Buffer.from(items.map((item) => eventOf(item, settings)).join('\n'), 'utf8');
    const answer = await post(urlOf(COLLECTOR), body, signal);
    const outcome = outcomeOf(answer, nowMs());
    if (outcome.kind !== 'accepted') return ofContent(answer) ? outcome : toFailure(outcome);
    if (!settings.acknowledge) return outcome;
    const { ackId } = jsonOf(answer) as { readonly ackId?: unknown };
    return typeof ackId === 'number'
      ? isIndexed(ackId, signal)
      : failed('the token does not acknowledge: switch indexer acknowledgement on for it, or off here');
  });
}

/** Codes of a 400 that do not concern the events: the data channel is missing or invalid, or acknowledgement is off. */
const OF_THE_TOKEN = [7, 10, 11, 14];

function ofContent(answer: HttpAnswer): boolean {
  const { code } = jsonOf(answer) as { readonly code?: unknown };
  return typeof code !== 'number' || !OF_THE_TOKEN.includes(code);
}

const toFailure = (outcome: Outcome): Outcome =>
  outcome.kind === 'refused' ? failed(outcome.message) : outcome;

function eventOf(
  { time, hostName, json }: Item,
  { index, source, sourcetype }: SettingsOf<'splunk-hec'>,
): string {
  const head = JSON.stringify({
    time: Date.parse(time) / 1000,
    sourcetype,
    ...(hostName !== null && { host: hostName }),
    ...(source !== undefined && { source }),
    ...(index !== undefined && { index }),
  });
  return `${head.slice(0, -1)},"event":${json}}`;
}

function jsonOf({ body }: HttpAnswer): object {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
