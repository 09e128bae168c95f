import { ServiceError } from './errors';
import { fetchInTime } from './rate-wait';

/** The person who is signed in, as the service says. */
export interface Session {
  /** `public` reads events of its tenants, `operator` administers and reads none. */
  readonly kind: 'public' | 'operator';
  readonly name: string;
  readonly tenants: readonly { readonly tenantId: string; readonly name: string }[];
  readonly scopes: readonly string[];
  /** The IANA name of the service's time zone. A service of an earlier build does not tell it. */
  readonly timeZone?: string;
  /** ISO 8601: when the session ends in any case. */
  readonly expiresAt: string;
}

export interface SignInWays {
  readonly key: boolean;
  readonly openId: boolean;
  /** The file with the first key, on the machine of the service. It is named while there is no tenant. */
  readonly firstKeyFile?: string;
}

const API = '/dashboard/api';
/** The service refuses calls with the session's cookie but without this header, which a page of another site cannot send. */
export const PAGE_HEADER = { 'X-Dashboard': '1' };
/** The same for what the page asks by itself while nobody acts in it. */
export const UNATTENDED_HEADER: typeof PAGE_HEADER = { 'X-Dashboard': 'unattended' };
const JSON_HEADERS = { ...PAGE_HEADER, 'Content-Type': 'application/json' };

/** The session of the cookie, which the page itself cannot read; null when nobody is signed in. */
export async function loadSession(): Promise<Session | null> {
  const response = await fetchInTime(`${API}/session`, { headers: PAGE_HEADER });
  return response.status === 401 ? null : ((await bodyOf(response)) as Session);
}

export async function loadSignInWays(): Promise<SignInWays> {
  return (await bodyOf(await fetch(`${API}/sign-in`, { headers: PAGE_HEADER }))) as SignInWays;
}

/** @throws ServiceError `unauthorized`, `forbidden`, `rate_limited` */
export async function signIn(key: string): Promise<Session> {
  return (await post('/sign-in', { key })) as Session;
}

export async function signOut(): Promise<void> {
  await post('/sign-out', {});
}

/** The address that starts a sign-in by OpenID Connect and leads back to the same view. */
export const openIdPath = (to: string): string => `${API}/openid/start?to=${encodeURIComponent(to)}`;

/** @param parameters of the list, as they stand in a query string */
export const exportPath = (parameters: URLSearchParams): string => `${API}/export?${parameters}`;

/** Makes a run of a report, and answers with a file of it. */
export const newRunPath = (reportId: string, parameters: URLSearchParams): string =>
  `${API}/reports/${encodeURIComponent(reportId)}/content?${parameters}`;

export const runFilePath = (runId: string, format: string): string =>
  `${API}/reports/runs/${runId}/content?${new URLSearchParams({ format })}`;

/**
 * Opens a stream of new events. The service does not count it as a use of the session.
 * @param query the filter @param id of the last message that was read; null: it begins now
 */
export const openLive = (query: string, id: string | null, signal: AbortSignal): Promise<Response> =>
  fetch(`${API}/live?${query}`, {
    headers: { ...PAGE_HEADER, ...(id !== null && { 'Last-Event-ID': id }) },
    signal,
  });

/** @param parameters of an evidence package, as they stand in a query string */
export const packagePath = (parameters: URLSearchParams): string => `${API}/package?${parameters}`;

const post = async (path: string, body: object) =>
  bodyOf(await fetch(API + path, { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(body) }));

/** @throws ServiceError with the service's own code and text */
export async function bodyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return null;
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  throw serviceError(response, body);
}

export function serviceError(response: Response, body: unknown): ServiceError {
  const error = (body as { error?: { code?: string; message?: string; requestId?: string } } | null)?.error;
  const text = error?.message ?? `The service answered ${response.status}.`;
  return new ServiceError(error?.code ?? 'internal_error', text, error?.requestId ?? null);
}
