import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port';
import { ROOT } from '../../support/imports';
import { until } from '../../support/until';

const execute = promisify(execFile);

export interface ProxyAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** nginx with `deploy/nginx.conf`, whose ports, certificate and service address the test replaces. */
export class TestProxy {
  private constructor(
    private readonly folder: string,
    private readonly process: ChildProcess,
    private readonly port: number,
    private readonly ca: string,
  ) {}

  /** @param service host and port of the service */
  static async start(service: string): Promise<TestProxy> {
    const folder = await mkdtemp(path.join(tmpdir(), 'proxy-'));
    const certificate = path.join(folder, 'audit.pem');
    const key = path.join(folder, 'audit.key');
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '1',
      '-keyout',
      key,
      '-out',
      certificate,
    ];
    await execute('openssl', [...made, ...subject]);
    const [plain, secure] = [await freePort(), await freePort()];
    const meant = [
      ['service:8080', service],
      ['listen 80;', `listen 127.0.0.1:${plain};`],
      ['listen 443 ssl;', `listen 127.0.0.1:${secure} ssl;`],
      ['/etc/nginx/tls', folder],
      ['/run/nginx.pid', path.join(folder, 'nginx.pid')],
      [
        'server_tokens',
        `client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; server_tokens`,
      ],
    ] as const;
    let text = await readFile(path.join(ROOT, 'deploy/nginx.conf'), 'utf8');
    for (const [stated, here] of meant) {
      if (!text.includes(stated)) throw new Error(`deploy/nginx.conf has no ${stated}`);
      text = text.replaceAll(stated, here);
    }
    const config = path.join(folder, 'nginx.conf');
    await writeFile(config, text);
    const child = spawn('nginx', ['-c', config, '-e', 'stderr', '-g', 'daemon off; user root;'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const proxy = new TestProxy(folder, child, secure, await readFile(certificate, 'utf8'));
    await until(
      () =>
        proxy.call('/livez').then(
          () => 'up',
          () => err,
        ),
      (answer) => answer === 'up',
    );
    return proxy;
  }

  call(
    url: string,
    {
      method = 'GET',
      headers = {},
      body = '',
    }: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<ProxyAnswer> {
    return new Promise((resolve, reject) => {
      const options = { host: 'localhost', port: this.port, path: url, method, headers, ca: this.ca };
      const sent = request(options, async (response) => {
        try {
          let text = '';
          for await (const chunk of response.setEncoding('utf8')) text += chunk;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        } catch (error) {
          reject(error);
        }
      });
      sent.once('error', reject).end(body);
    });
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGQUIT');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}
