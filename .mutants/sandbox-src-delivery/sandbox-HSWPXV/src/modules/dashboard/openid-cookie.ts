import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CookieOptions } from 'express';
import { z } from 'zod';
import type { OpenIdConfig } from '../../config';
import { LIMITS } from '../../limits';

const NAME = 'audit_activity_openid';
const PENDING = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() });
const SEALED = z.object({ pending: PENDING, endsAt: z.number() });

/** A sign-in that has begun: the checks for its answer, and the view to show afterwards. */
export type PendingSignIn = z.infer<typeof PENDING>;

/**
 * The cookie that keeps a sign-in in the browser that began it. It is signed with a key that all instances have. Over
 * HTTPS its name has the prefix `__Host-`, so browsers accept it from this host only.
 */
export class OpenIdCookie {
  readonly name: string;
  /** Lax and not strict, because the way back begins at another site. The cookie alone gives no access. */
  readonly options: CookieOptions;
  readonly #key: Buffer;

  constructor(
    { publicUrl, clientSecret }: Pick<OpenIdConfig, 'publicUrl' | 'clientSecret'>,
    private readonly now: () => number = Date.now,
  ) {
    const secure = new URL(publicUrl).protocol === 'https:';
    this.name = secure ? `__Host-${NAME}` : NAME;
    this.options = { httpOnly: true, sameSite: 'lax', secure, path: '/' };
    this.#key = createHmac('sha256', clientSecret).update(NAME).digest();
  }

  seal(pending: PendingSignIn): string {
    const sealed = { pending, endsAt: this.now() + LIMITS.openIdSignInMs };
    const text = Buffer.from(JSON.stringify(sealed)).toString('base64url');
    return `${text}.${this.#signatureOf(text).toString('base64url')}`;
  }

  /** @returns null if the cookie is not valid or has expired; the sign-in must then begin again */
  open(value: string): PendingSignIn | null {
    const [text = '', signature = ''] = value.split('.');
    const [given, own] = [Buffer.from(signature, 'base64url'), this.#signatureOf(text)];
    if (given.length !== own.length || !timingSafeEqual(given, own)) return null;
    const { pending, endsAt } = SEALED.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return this.now() < endsAt ? pending : null;
  }

  #signatureOf(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}
