import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CONFIG = `
[ca]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign
[between]
basicConstraints = critical,CA:true,pathlen:0
keyUsage = critical,keyCertSign
[stamps]
basicConstraints = critical,CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[stamps-not-critical]
extendedKeyUsage = timeStamping
[stamps-and-mail]
extendedKeyUsage = critical,timeStamping,emailProtection
[stamps-unknown]
extendedKeyUsage = critical,timeStamping
1.2.3.4.5 = critical,ASN1:UTF8String:new
[no-authority]
basicConstraints = critical,CA:false
[authority-of-mail]
basicConstraints = critical,CA:true
extendedKeyUsage = emailProtection
[tsa]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
`;

/** How keys are made, in the words of `openssl req -newkey`. */
const KEYS = { rsa: ['rsa:2048'], ec: ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'] } as const;

/** A certificate authority of a test, one below it, and a time-stamp authority with a certificate of the latter. */
export class TestAuthority {
  private constructor(private readonly folder: string) {}

  /** The certificate that a verifier trusts, in PEM. */
  get caFile(): string {
    return path.join(this.folder, 'ca.pem');
  }

  static async make(folder: string, kind: keyof typeof KEYS = 'rsa'): Promise<TestAuthority> {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'tsa.cnf'), CONFIG);
    const made = new TestAuthority(folder);
    await made.certificate('ca', 'ca', null, kind);
    await made.certificate('between', 'between', 'ca', kind);
    await made.certificate('tsa', 'stamps', 'between', kind);
    return made;
  }

  /** @param section of the configuration, which has its extensions @param issuer null: itself @returns it in DER */
  async certificate(
    name: string,
    section: string,
    issuer: string | null,
    kind: keyof typeof KEYS = 'ec',
  ): Promise<Buffer> {
    const subject = ['-subj', `/O=Test/CN=${name}`, '-keyout', `${name}.key`];
    await this.#openssl('req', '-new', '-nodes', '-newkey', ...KEYS[kind], ...subject, '-out', `${name}.csr`);
    const signed = issuer
      ? ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial']
      : ['-signkey', `${name}.key`];
    const extensions = ['-extfile', 'tsa.cnf', '-extensions', section];
    const files = ['-in', `${name}.csr`, '-out', `${name}.pem`];
    await this.#openssl('x509', '-req', '-days', '30', ...files, ...signed, ...extensions);
    return new X509Certificate(await readFile(path.join(this.folder, `${name}.pem`))).raw;
  }

  /** Answers a request. */
  async reply(query: Buffer): Promise<Buffer> {
    const name = `${Math.random()}`;
    const [asked, answer] = ['tsq', 'tsr'].map((ending) => path.join(this.folder, `${name}.${ending}`)) as [
      string,
      string,
    ];
    await writeFile(asked, query);
    const signer = ['-signer', 'tsa.pem', '-inkey', 'tsa.key', '-chain', 'between.pem'];
    const files = ['-queryfile', asked, '-out', answer];
    await this.#openssl('ts', '-reply', '-config', 'tsa.cnf', '-section', 'tsa', ...signer, ...files);
    return readFile(answer);
  }

  /** A token of some bytes. */
  async tokenOf(stamped: Uint8Array): Promise<Buffer> {
    const [data, asked, answer, token] = ['data', 'asked', 'answer', 'token'].map((name) =>
      path.join(this.folder, name),
    ) as [string, string, string, string];
    await writeFile(data, stamped);
    await this.#openssl('ts', '-query', '-data', data, '-sha256', '-cert', '-out', asked);
    await writeFile(answer, await this.reply(await readFile(asked)));
    await this.#openssl('ts', '-reply', '-in', answer, '-token_out', '-out', token);
    return readFile(token);
  }

  async #openssl(...args: readonly string[]): Promise<void> {
    await run('openssl', args, { cwd: this.folder });
  }
}

/** What an authority makes of a request. Null: it never answers. */
export type Answering = (query: Buffer) => Promise<Buffer | number | null>;

/** The entrance of an authority. `answer` may be changed while it serves. */
export class AuthorityServer {
  asked = 0;
  readonly #server: Server;

  private constructor(public answer: Answering) {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      this.asked++;
      const given = await this.answer(Buffer.concat(parts));
      if (given === null) return;
      const isStatus = typeof given === 'number';
      response.writeHead(isStatus ? given : 200, { 'Content-Type': 'application/timestamp-reply' });
      response.end(isStatus ? '' : given);
    });
  }

  static async open(answer: Answering, port = 0): Promise<AuthorityServer> {
    const made = new AuthorityServer(answer);
    await made.listen(port);
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/tsr`;
  }

  listen(port: number): Promise<void> {
    return new Promise((done) => this.#server.listen(port, '127.0.0.1', () => done()));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}
