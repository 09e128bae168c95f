import { DomainError } from '../../errors';

/** Sent by the dashboard's own script with every call: no form and no link of another site can. */
const DASHBOARD_HEADER = 'X-Dashboard';

const COOKIE = 'audit_activity_session';
/** Browsers take this one only over HTTPS and from this very host. */
const SECURE_COOKIE = `__Host-${COOKIE}`;

/** Of a request, as far as it has to do with sessions. */
export interface SessionRequest {
  /** Of a header; undefined where it is absent. */
  header(name: string): string | undefined;
  /** Whether the browser came by HTTPS, seen through trusted proxies. */
  readonly isSecure: boolean;
  /** Name and port by which the browser came here. */
  readonly host: string | undefined;
}

export const cookieNameOf = ({ isSecure }: Pick<SessionRequest, 'isSecure'>): string =>
  isSecure ? SECURE_COOKIE : COOKIE;

/**
 * The token of the session cookie.
 * @returns undefined without one
 * @throws DomainError `forbidden` where the cookie comes with a call that another site may have caused
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

/** The first cookie of a name. @see https://www.rfc-editor.org/rfc/rfc6265#section-5.4 */
export function cookieOf({ header }: Pick<SessionRequest, 'header'>, name: string): string | undefined {
  for (const pair of (header('Cookie') ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value) return value;
  }
  return undefined;
}
