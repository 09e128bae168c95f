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

/** The addresses that the mail server took. It is asked for them with their domains in small letters, and so names them. */
export function takenOf(addresses: readonly string[], accepted: readonly unknown[] = []): string[] {
  const taken = new Set(accepted.map((one) => asAsked(String(one))));
  return addresses.filter((address) => taken.has(asAsked(address)));
}

function asAsked(address: string): string {
  const at = address.lastIndexOf('@');
  return address.slice(0, at) + address.slice(at).toLowerCase();
}

/** SMTP codes of temporary refusals. */
const FOR_A_TIME = /^4/;

export const isForATime = ({ responseCode }: { readonly responseCode?: number | undefined }): boolean =>
  FOR_A_TIME.test(String(responseCode));
