import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { writeCertificate } from '../../support/certificate';

export interface TakenMail {
  /** The headers and the text. A header that continues on the next line becomes one line. */
  readonly text: string;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | null;
}

/** A self-signed certificate for 127.0.0.1. */
export function makeCertificate(): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'audit-activity-mail-'));
  const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  writeCertificate({ key, cert, days: 2 });
  const made = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  rmSync(folder, { recursive: true });
  return made;
}

export const PASSWORD = 's3cret';

/** A mail server that keeps the mails it accepts. */
export class MailServer {
  readonly mails: TakenMail[] = [];
  isRefusing = false;
  /** The server acknowledges a mail only after this promise. */
  held: Promise<void> = Promise.resolve();
  /** Addresses that the server does not know (550). */
  readonly unknown = new Set<string>();
  /** Addresses for which the server asks to try again later (450). */
  readonly busy = new Set<string>();
  /** What the server says behind its request to try again. */
  repeated = '';
  /** Senders from whom the server takes nothing (550). */
  readonly unwelcome = new Set<string>();
  /** The server refuses mails that hold this text for good (554). */
  blocked: string | null = null;
  /** The logins that clients tried, whether accepted or not. */
  readonly logins: string[] = [];

  private constructor(private readonly server: SMTPServer) {}

  /** @param options of smtp-server; the default has neither encryption nor logins */
  static async open(options: SMTPServerOptions = {}): Promise<MailServer> {
    const at: { made?: MailServer } = {};
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      logger: false,
      closeTimeout: 100,
      ...options,
      onAuth: ({ username, password }, _session, done) => {
        at.made?.logins.push(String(username));
        if (password === PASSWORD) done(null, { user: username });
        else done(new Error(`wrong password ${password}`));
      },
      onMailFrom: ({ address }, _session, done) =>
        done(at.made?.unwelcome.has(address) ? smtpError(550, 'not from you') : null),
      onRcptTo: ({ address }, _session, done) => {
        if (at.made?.unknown.has(address)) done(smtpError(550, 'nobody here'));
        else done(at.made?.busy.has(address) ? smtpError(450, `come back${at.made.repeated}`) : null);
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          if (at.made?.isRefusing) return done(smtpError(451, 'later'));
          const text = Buffer.concat(chunks).toString();
          if (at.made?.blocked && text.includes(at.made.blocked))
            return done(smtpError(554, 'looks like spam'));
          at.made?.mails.push({
            text: text.replaceAll('\r\n', '\n').replaceAll('\n ', ' '),
            to: session.envelope.rcptTo.map(({ address }) => address),
            isEncrypted: session.secure,
            user: session.user || null,
          });
          void at.made?.held.then(() => done());
        });
      },
    });
    server.on('error', () => {});
    at.made = new MailServer(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return at.made;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  close(): Promise<void> {
    return new Promise((done) => this.server.close(done));
  }
}

const smtpError = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });
