import type { CookieOptions, Request, Response } from 'express';
import { LIMITS } from '../../limits';
import { cookieNameOf, type SessionRequest } from './session-token';

/** The parts of a request that sessions need. Express reads scheme and host through trusted proxies. */
export const sessionRequestOf = (request: Request): SessionRequest => ({
  header: (name) => request.get(name),
  isSecure: request.secure,
  host: request.host,
});

const optionsOf = (request: Request): CookieOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  secure: request.secure,
  path: '/',
});

export function setSessionCookie(request: Request, response: Response, token: string): void {
  response.cookie(cookieNameOf(sessionRequestOf(request)), token, {
    ...optionsOf(request),
    maxAge: LIMITS.sessionMs,
  });
}

export function clearSessionCookie(request: Request, response: Response): void {
  response.clearCookie(cookieNameOf(sessionRequestOf(request)), optionsOf(request));
}
