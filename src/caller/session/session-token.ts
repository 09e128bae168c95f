import { DomainError } from '../../errors';

/** The dashboard's own script sends it with every call. Forms and links of other sites cannot. */
const DASHBOARD_HEADER = 'X-Dashboard';

/** The value of this header for what the page asks by itself while nobody acts in it. */
const UNATTENDED = 'unattended';

/** Whether the page asks by itself, which is no use of the session. */
export const isUnattended = ({ header }: Pick<SessionRequest, 'header'>): boolean =>
  header(DASHBOARD_HEADER) === UNATTENDED;

const COOKIE = 'audit_activity_session';
/** Browsers accept this cookie only over HTTPS and from this host. */
const SECURE_COOKIE = `__Host-${COOKIE}`;

/** The parts of a request that concern sessions. */
export interface SessionRequest {
  /** The value of a header; undefined if it is absent. */
  header(name: string): string | undefined;
  /** Whether the browser used HTTPS, as seen through trusted proxies. */
  readonly isSecure: boolean;
  /** The host name and port that the browser used. */
  readonly host: string | undefined;
}

export const cookieNameOf = ({ isSecure }: Pick<SessionRequest, 'isSecure'>): string =>
  isSecure ? SECURE_COOKIE : COOKIE;

/**
 * The token of the session cookie.
 * @returns undefined without one
 * @throws DomainError `forbidden` if another site may have caused the call
 */
export function sessionTokenOf(request: SessionRequest): string | undefined {
  const token = cookieOf(request, cookieNameOf(request));
  if (token !== undefined) refuseForeign(request);
  return token;
}

/** @throws DomainError `forbidden` */
export function refuseForeign(request: SessionRequest): void {
  if (request.header(DASHBOARD_HEADER) === undefined || isForeign(request)) {
    throw new DomainError('forbidden', {
      public: `A session is for the dashboard's own calls: same origin, with the header ${DASHBOARD_HEADER}.`,
    });
  }
}

function isForeign({ header, host }: SessionRequest): boolean {
  const site = header('Sec-Fetch-Site');
  if (site !== undefined && site !== 'same-origin') return true;
  const origin = header('Origin');
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/** The first cookie with a name. @see https://www.rfc-editor.org/rfc/rfc6265#section-5.4 */
export function cookieOf({ header }: Pick<SessionRequest, 'header'>, name: string): string | undefined {
  for (const pair of (header('Cookie') ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value) return value;
  }
  return undefined;
}
