import type { Secret } from '../config/secret';
import { withDeadline } from '../deadline';
import { NO_EVENTS } from '../queued-events';
import type { Answer } from '../uplink/answer';
import { exchange } from '../uplink/http-exchange';
import { IngestClient, reasonOf } from '../uplink/ingest-client';
import type { Way } from '../uplink/way';
import { type CheckResult, note, ok, problem } from './check-result';

/** Whether the service answers at its address. */
export async function checkService(
  baseUrl: string,
  way: Way | null,
  timeoutMs: number,
): Promise<CheckResult[]> {
  const url = `${baseUrl}/health`;
  const findings = isInTheClear(baseUrl)
    ? [note(`${baseUrl} is not https: the key and the events can be read on the way`)]
    : [];
  try {
    const never = new AbortController().signal;
    const { status, body } = await withDeadline(timeoutMs, never, (signal) =>
      exchange(url, { method: 'GET', headers: {}, way }, signal),
    );
    const text = body.trim();
    if (status === 200 && text === 'Healthy') return [...findings, ok(`${url}: Healthy`)];
    if (status === 200 && text === 'Degraded')
      return [...findings, note(`${url}: Degraded; it takes events`)];
    if (text === 'Unhealthy') return [...findings, problem(`${url}: Unhealthy: its database is away`)];
    return [
      ...findings,
      problem(`${url}: not the health check of the service (HTTP ${status}): correct CentralApi.BaseUrl`),
    ];
  } catch (error) {
    return [...findings, problem(`${url}: ${reasonOf(error)}`)];
  }
}

interface KeyToTry {
  readonly baseUrl: string;
  readonly way: Way | null;
  readonly apiKey: Secret;
  /** Null: unknown, and the key is checked without a tenant. */
  readonly tenantId: string | null;
}

/** Whether the service takes events with the key. The request holds none, so that nothing changes. */
export async function checkKey(key: KeyToTry, timeoutMs: number): Promise<CheckResult[]> {
  const answer = await new IngestClient(key, timeoutMs).send(NO_EVENTS, new AbortController().signal);
  return [findingOf(answer, key.tenantId)];
}

function findingOf(answer: Answer, tenantId: string | null): CheckResult {
  const tenant = tenantId === null ? '' : ` for tenant ${tenantId}`;
  if (answer.kind === 'receipt') return ok(`the service takes events with this agent key${tenant}`);
  if (answer.kind !== 'refused') return problem(`the agent key could not be checked: ${answer.message}`);
  const isUnknown = answer.message.startsWith('unauthorized');
  return problem(
    isUnknown
      ? `the service does not know CentralApi.ApiKey, or it was revoked or has expired: ${answer.message}`
      : `CentralApi.ApiKey is no agent key${tenantId === null ? '' : ` of tenant ${tenantId}`}: ${answer.message}`,
  );
}

function isInTheClear(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
