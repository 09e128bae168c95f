import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { Router } from 'express';
import { pino } from 'pino';
import { InFlight } from '../../src/http/in-flight';
import { createHttpServer } from '../../src/http/server';
import { dashboardPage } from '../../src/modules/dashboard/page';
import { temporaryFolder } from '../support/engines';

const NO_OTHERS = { keep: async () => undefined, find: async () => null };

async function serve(
  folder: string,
  shared: Parameters<typeof dashboardPage>[1] = NO_OTHERS,
): Promise<{ server: Server; url: string }> {
  const [graphql, facade, log] = [Router(), Router(), pino({ level: 'silent' })];
  const inFlight = new InFlight();
  const server = createHttpServer({
    graphql,
    facade,
    dashboard: dashboardPage(folder, shared, log),
    inFlight,
    log,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/dashboard` };
}

describe('the page of the dashboard', () => {
  let folder: string;
  let server: Server;
  let url: string;
  /** The names of files that were looked for in other releases. */
  const asked: string[] = [];
  beforeAll(async () => {
    folder = await temporaryFolder();
    await mkdir(path.join(folder, 'built/assets'), { recursive: true });
    await writeFile(path.join(folder, 'secret.txt'), 'secret');
    await writeFile(path.join(folder, 'built/icon.svg'), '<svg/>');
    for (const name of ['main-1a2b.js', 'part-3c4d.js', 'gone-5e6f.js']) {
      await writeFile(path.join(folder, 'built/assets', name), 'run()');
      if (name !== 'main-1a2b.js')
        await writeFile(path.join(folder, 'built/assets', `${name}.br`), brotliCompressSync('run()'));
    }
    await writeFile(
      path.join(folder, 'built/index.html'),
      '<meta nonce="__CSP_NONCE__"><style nonce="__CSP_NONCE__">',
    );
    const find = async (name: string) => {
      asked.push(name);
      return null;
    };
    ({ server, url } = await serve(path.join(folder, 'built'), { ...NO_OTHERS, find }));
  });
  it('is where a browser is sent from the root address, and other clients get 404 there', async () => {
    const ask = (Accept: string) => fetch(new URL('/', url), { headers: { Accept }, redirect: 'manual' });
    const browser = await ask('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
    expect([browser.status, browser.headers.get('Location')]).toEqual([302, '/dashboard']);
    expect(browser.headers.get('Vary')).toContain('Accept');
    for (const accept of ['*/*', 'application/json', 'application/json, text/html']) {
      const { status, headers } = await ask(accept);
      expect([status, headers.get('Location')]).toEqual([404, null]);
    }
  });

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  it.each(['', '/', '/explore', '/operate/keys?x=1.2'])(
    'is served for each of its views: %s',
    async (view) => {
      const answer = await fetch(url + view);
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
    },
  );

  it('may run only its own script files, and uses styles by a nonce that is new in each answer', async () => {
    const nonces = new Set<string>();
    for (let i = 0; i < 3; i++) {
      const answer = await fetch(url);
      const [, nonce = ''] =
        /^<meta nonce="([\w+/]{22}==)"><style nonce="\1">$/.exec(await answer.text()) ?? [];
      nonces.add(nonce);
      const policy = answer.headers.get('Content-Security-Policy')?.split('; ');
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          `style-src 'self' 'nonce-${nonce}'`,
          "connect-src 'self'",
          "frame-ancestors 'none'",
        ]),
      );
      expect(policy?.filter((rule) => /unsafe|\*|http/.test(rule))).toEqual([
        "style-src-attr 'unsafe-inline'",
      ]);
    }
    expect(nonces.size).toBe(3);
  });

  it('has files with versioned names cached for a year, and other files not cached', async () => {
    const asset = await fetch(`${url}/assets/main-1a2b.js`);
    expect([await asset.text(), asset.headers.get('Cache-Control')]).toEqual([
      'run()',
      'public, max-age=31536000, immutable',
    ]);
    const icon = await fetch(`${url}/icon.svg`);
    expect([icon.status, icon.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=0']);
  });

  it.each(['/assets/none.js', '/none.css', '/..%2fsecret.txt', '/assets/..%2f..%2fsecret.txt'])(
    'does not serve other files: %s',
    async (file) => {
      const answer = await fetch(url + file);
      expect(answer.status).toBe(404);
      expect(await answer.text()).not.toContain('secret');
    },
  );

  it.each(['/assets/main-1a2b.js', '/assets/part-3c4d.js', '/icon.svg'])(
    'has its files whole, whatever part or state of them is asked for: %s',
    async (file) => {
      const whole = await fetch(url + file);
      const text = await whole.text();
      for (const [name, value] of [
        ['Range', 'bytes=1-2'],
        ['Range', 'bytes=99999-'],
        ['If-Match', '"other"'],
        ['If-Unmodified-Since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
      ] as const) {
        const answer = await fetch(url + file, { headers: { [name]: value } });
        expect([value, answer.status, await answer.text()]).toEqual([value, 200, text]);
      }
      // Otherwise fetch asks for a new answer.
      const headers = { 'If-None-Match': whole.headers.get('ETag') ?? '', 'Cache-Control': 'max-age=0' };
      expect((await fetch(url + file, { headers })).status).toBe(304);
    },
  );

  it('refuses another method, and a file that is gone, by an answer that is not compressed', async () => {
    const headers = { 'Accept-Encoding': 'br' };
    const answer = await fetch(`${url}/assets/part-3c4d.js`, { headers });
    expect([answer.headers.get('Content-Encoding'), await answer.text()]).toEqual(['br', 'run()']);
    await rm(path.join(folder, 'built/assets/gone-5e6f.js.br'));
    await rm(path.join(folder, 'built/assets/gone-5e6f.js'));
    const refusals = [
      await fetch(`${url}/assets/part-3c4d.js`, { method: 'POST', headers }),
      await fetch(`${url}/assets/gone-5e6f.js`, { headers }),
    ];
    for (const { status, headers: told } of refusals) {
      expect([status, told.get('Content-Encoding')]).toEqual([404, null]);
      expect(told.get('Content-Type')).not.toContain('javascript');
    }
    expect(asked.at(-1)).toBe('gone-5e6f.js');
  });

  it('says so if it is not built', async () => {
    const other = await serve(path.join(folder, 'nowhere'));
    const answer = await fetch(other.url);
    const body = (await answer.json()) as { error: { message: string } };
    other.server.closeAllConnections();
    other.server.close();
    expect([answer.status, body.error.message]).toEqual([404, 'The dashboard is not built: npm run build.']);
  });
});
