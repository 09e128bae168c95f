import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** An SMTP server that keeps the mails it accepts. */
export class MailBox {
  private constructor(
    private readonly server: SMTPServer,
    private readonly mails: { readonly to: readonly string[]; readonly text: string }[],
  ) {}

  static async open(): Promise<MailBox> {
    const mails: { to: readonly string[]; text: string }[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          // A header may continue on the next line, and so may a long line of the text.
          const text = Buffer.concat(chunks)
            .toString('utf8')
            .replaceAll('=\r\n', '')
            .replaceAll('\r\n ', ' ');
          mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
          done();
        });
      },
    });
    const listening = server.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    return new MailBox(server, mails);
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  to(address: string): string[] {
    return this.mails.filter(({ to }) => to.includes(address)).map(({ text }) => text);
  }

  close(): Promise<void> {
    return new Promise((done) => this.server.close(() => done()));
  }
}
