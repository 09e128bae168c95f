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
import { LIMITS } from '../../src/limits';
import { dashboardPage } from '../../src/modules/dashboard/page';
import { PageAssets } from '../../src/modules/dashboard/page-assets';
import { CheckpointKey, newCheckpointKeyPem } from '../../src/store/log/evidence/note-key';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ONE_ENGINE, temporaryFolder } from '../support/engines';
import { Store } from '../support/store';

const HOUR_MS = 3600_000;

/** The clocks of an instance: its own, and that of the database. */
interface Clocks {
  readonly nowMs: () => number;
  readonly databaseMs: () => number;
}

/** An instance of a release whose page has one part, in a file with this name. */
class Instance {
  private constructor(
    readonly assets: PageAssets,
    private readonly server: Server,
    private readonly folder: string,
  ) {}

  static async open(store: Store, part: string, { nowMs, databaseMs }: Clocks, keys = [TEST_CHECKPOINT_KEY]) {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, 'assets'));
    await writeFile(path.join(folder, 'index.html'), part);
    await writeFile(path.join(folder, 'assets', part), `run('${part}')`);
    await writeFile(path.join(folder, 'assets', `${part}.br`), brotliCompressSync(`run('${part}')`));
    const { service, owner } = store.database;
    const [first = TEST_CHECKPOINT_KEY, ...others] = keys;
    const time = async () => new Date(databaseMs());
    const assets = new PageAssets({ service, owner, keys: [first, ...others], folder, nowMs, time });
    const [graphql, facade, inFlight, log] = [Router(), Router(), new InFlight(), pino({ level: 'silent' })];
    const dashboard = dashboardPage(folder, assets, log);
    const server = createHttpServer({ graphql, facade, dashboard, inFlight, log });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Instance(assets, server, folder);
  }

  ask(view: string, accepted = 'gzip, br'): Promise<Response> {
    const { port } = this.server.address() as AddressInfo;
    return fetch(`http://127.0.0.1:${port}/dashboard/${view}`, { headers: { 'Accept-Encoding': accepted } });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await rm(this.folder, { recursive: true });
  }
}

describe.each(ONE_ENGINE)('the files of the page on %s', (engine) => {
  let store: Store;
  let nowMs = Date.parse('2026-03-01T00:00:00Z');
  const open: Instance[] = [];
  /** @param aheadMs how far its own clock is ahead of the database's */
  const instance = async (...[part, keys, aheadMs = 0]: [string, CheckpointKey[]?, number?]) => {
    const clocks = { nowMs: () => nowMs + aheadMs, databaseMs: () => nowMs };
    const one = await Instance.open(store, part, clocks, keys);
    open.push(one);
    return one;
  };
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
    await store.query('DELETE FROM page_asset');
    nowMs += 30 * HOUR_MS;
  });
  afterAll(() => store.close());

  it('are served by instances of the release before and after, once a page with them was sent', async () => {
    const [old, next] = [await instance('old-1.js'), await instance('next-1.css')];
    expect((await next.ask('assets/old-1.js')).status).toBe(404);
    expect(await (await old.ask('explore')).text()).toBe('old-1.js');
    expect(await (await next.ask('explore')).text()).toBe('next-1.css');
    nowMs += LIMITS.pageAssetsLookMs;
    for (const [asked, name, type] of [
      [next, 'old-1.js', /^text\/javascript/],
      [old, 'next-1.css', /^text\/css/],
    ] as const) {
      for (const [accepted, encoding] of [
        ['gzip, br', 'br'],
        ['gzip', null],
      ] as const) {
        const { status, headers, ...answer } = await asked
          .ask(`assets/${name}`, accepted)
          .then(async (one) => ({
            status: one.status,
            headers: one.headers,
            text: await one.text(),
          }));
        expect([status, answer.text]).toEqual([200, `run('${name}')`]);
        expect(headers.get('Content-Encoding')).toBe(encoding);
        expect(headers.get('Content-Type')).toMatch(type);
        expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
        expect(headers.get('Vary')).toContain('Accept-Encoding');
      }
    }
  });

  it('stay for a day after the last instance of their release, and not longer', async () => {
    const [old, next] = [await instance('old-2.js'), await instance('next-2.js')];
    await old.assets.keep();
    nowMs += 5 * HOUR_MS;
    await old.assets.keep();
    await next.assets.keep();
    nowMs += 24 * HOUR_MS - 1;
    await next.assets.keep();
    expect((await next.ask('assets/old-2.js')).status).toBe(200);
    nowMs += 1;
    const another = await instance('another.js');
    expect((await another.ask('assets/old-2.js')).status).toBe(404);
    await next.assets.keep();
    expect(await store.query('SELECT name FROM page_asset')).toEqual([{ name: 'next-2.js' }]);
  });

  it('stay as long where the clocks of instances are wrong', async () => {
    const ahead = await instance('ahead.js', undefined, 30 * HOUR_MS);
    const behind = await instance('behind.js', undefined, -30 * HOUR_MS);
    for (const one of [ahead, behind]) await one.assets.keep();
    for (const one of [ahead, behind])
      for (const name of ['ahead.js', 'behind.js'])
        expect((await one.ask(`assets/${name}`)).status).toBe(200);
    nowMs += 24 * HOUR_MS;
    const next = await instance('next.js');
    await next.assets.keep();
    for (const name of ['ahead.js', 'behind.js']) expect((await next.ask(`assets/${name}`)).status).toBe(404);
  });

  it('stay for a day after the clock of the database was ahead and was set back', async () => {
    const [old, next] = [await instance('old-6.js'), await instance('next-6.js')];
    nowMs += 100 * HOUR_MS;
    await old.assets.keep();
    expect((await next.ask('assets/old-6.js')).status).toBe(200);
    nowMs -= 90 * HOUR_MS;
    // Its own clock was set back too: names are looked up all the same.
    await store.query(`UPDATE page_asset SET name = 'renamed.js'`);
    expect((await next.ask('assets/old-6.js')).status).toBe(404);
    await next.assets.keep();
    nowMs += 24 * HOUR_MS - 1;
    await next.assets.keep();
    expect(await store.query(`SELECT name FROM page_asset ORDER BY 1`)).toHaveLength(2);
    nowMs += 1;
    await next.assets.keep();
    expect(await store.query('SELECT name FROM page_asset')).toEqual([{ name: 'next-6.js' }]);
  });

  it('are found by a name only where it was stored, and names are looked up once a second at most', async () => {
    const [old, next] = [await instance('old-3.js'), await instance('next-3.js')];
    const looks = jest.spyOn(store.database.service.models.pageAsset, 'findMany');
    try {
      const ask = (name: string) => next.ask(`assets/${name}`);
      await Promise.all(['a.js', 'b.js', 'old-3.js', '%00', '..%2findex.html'].map(ask));
      await old.assets.keep();
      expect((await ask('old-3.js')).status).toBe(404);
      expect(looks).toHaveBeenCalledTimes(1);
      nowMs += LIMITS.pageAssetsLookMs;
      expect((await ask('old-3.js')).status).toBe(200);
      expect((await ask('old-3.js.br')).status).toBe(404);
      expect(looks).toHaveBeenCalledTimes(2);
    } finally {
      looks.mockRestore();
    }
  });

  it('are no scripts of somebody who writes into the database', async () => {
    const [old, next] = [await instance('old-4.js'), await instance('next-4.js')];
    await old.assets.keep();
    const other = CheckpointKey.ofPem(newCheckpointKeyPem());
    const foreign = await instance('foreign.js', [other]);
    await foreign.assets.keep();
    await store.query(`UPDATE page_asset SET content = decode('0b', 'hex') WHERE name = 'old-4.js'`);
    await store.query(
      `INSERT INTO page_asset SELECT 'copy.js', content, key_id, mac, kept_at FROM page_asset WHERE name <> 'old-4.js'`,
    );
    for (const name of ['old-4.js', 'foreign.js', 'copy.js'])
      expect((await next.ask(`assets/${name}`)).status).toBe(404);
    // A key that was replaced opens what it has sealed, and the new one seals the files of its instance again.
    const reader = await instance('reader.js', [TEST_CHECKPOINT_KEY, other]);
    expect((await reader.ask('assets/foreign.js')).status).toBe(200);
    const renewed = await instance('foreign.js', [TEST_CHECKPOINT_KEY, other]);
    await renewed.assets.keep();
    nowMs += LIMITS.pageAssetsLookMs;
    expect((await next.ask('assets/foreign.js')).status).toBe(200);
  });

  it('that cannot be stored do not keep the page from being sent', async () => {
    const old = await instance('old-5.js');
    const keep = jest.spyOn(old.assets, 'keep').mockRejectedValue(new Error('the database is away'));
    for (let i = 0; i < 2; i++) expect(await (await old.ask('explore')).text()).toBe('old-5.js');
    expect(keep).toHaveBeenCalledTimes(1);
  });
});
