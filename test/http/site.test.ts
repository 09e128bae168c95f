import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import express from 'express';
import pino from 'pino';
import { errorResponder } from '../../src/http/refusal';
import { listenAt } from '../../src/http/server';
import { builtSite, documentsSite, SITE_PATH } from '../../src/http/site';
import { ROOT } from '../support/imports';

describe('/docs', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'site-'));
  const built = path.join(folder, 'site');
  let server: Server;
  let url: string;

  beforeAll(async () => {
    writeFileSync(path.join(folder, 'secret.html'), 'hidden text');
    const app = express()
      .use(SITE_PATH, documentsSite(built))
      .use(errorResponder(pino({ enabled: false })));
    server = createServer(app);
    url = await listenAt(server, '127.0.0.1', 0);
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (at: string, method = 'GET') => fetch(url + at, { method, redirect: 'manual' });

  it('says how the documents are built where they are not, and shows them once they are', async () => {
    const before = await ask('/docs/');
    expect([before.status, before.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await before.text()).toContain('<code>npm run site</code>');
    mkdirSync(path.join(built, 'assets'), { recursive: true });
    for (const name of ['index.html', 'operate.html', '404.html', 'assets/x.1a2b.js'])
      writeFileSync(path.join(built, name), name);
    const page = await ask('/docs/');
    expect([page.status, await page.text()]).toEqual([200, 'index.html']);
  });

  it('shows a page under its name, with a policy that permits no script in it and no other host', async () => {
    const page = await ask('/docs/operate');
    expect([page.status, await page.text()]).toEqual([200, 'operate.html']);
    const policy = page.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' /);
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    expect(page.headers.get('Cache-Control')).toBe('no-cache');
    const asset = await ask('/docs/assets/x.1a2b.js');
    expect(asset.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
  });

  it('leads from its own address to the first page, and from nowhere else', async () => {
    const moved = await ask('/docs?x=1');
    expect([moved.status, moved.headers.get('Location')]).toEqual([308, '/docs/']);
  });

  it.each(['/docs/nothing', '/docs/..%2fsecret', '/docs/%2e%2e/secret', '/docs/..%5csecret', '/docs/%00'])(
    '%s: there is no such page, and no file outside of the folder is shown',
    async (at) => {
      const page = await ask(at);
      expect([400, 403, 404]).toContain(page.status);
      expect(await page.text()).not.toContain('hidden text');
    },
  );

  it('gives a page whole, whatever part or state of it is asked for', async () => {
    for (const [name, value] of [
      ['Range', 'bytes=99999-'],
      ['If-Match', '"other"'],
    ] as const) {
      const page = await fetch(`${url}/docs/operate`, { headers: { [name]: value } });
      expect([value, page.status, await page.text()]).toEqual([value, 200, 'operate.html']);
    }
  });

  it('takes only GET and HEAD', async () => {
    const refused = await ask('/docs/operate', 'POST');
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
    expect((await ask('/docs/operate', 'HEAD')).status).toBe(200);
  });

  it('shows what `npm run site` builds', () => {
    expect(builtSite()).toBe(path.join(ROOT, 'dist/site'));
  });
});
