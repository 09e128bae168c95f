import { createTransport } from 'nodemailer';
import { secretBlanker } from './blank-secrets';

export interface MailServer {
  /** `smtp://` (STARTTLS) or `smtps://` (TLS), with an optional login. */
  readonly url: string;
  readonly from: string;
}

const TIMEOUT_MS = 10_000;

/** A connection to a mail server, and what takes its password out of messages. A login is never sent without encryption. */
export function openSmtp({ url }: MailServer) {
  const { username, password } = new URL(url);
  const transport = createTransport({
    url,
    ...(username !== '' && { requireTLS: true }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  return { transport, blank: secretBlanker([decodeURIComponent(password)]) };
}

/** SMTP codes of temporary refusals. */
const FOR_A_TIME = /^4/;

export const isForATime = ({ responseCode }: { readonly responseCode?: number | undefined }): boolean =>
  FOR_A_TIME.test(String(responseCode));
