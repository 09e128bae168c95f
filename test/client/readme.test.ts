import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sequenced } from '../rest/tail/support';
import { blocksOf } from '../support/documents';
import { ONE_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { ROOT } from '../support/imports';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const run = promisify(execFile);
jest.setTimeout(120_000);

describe.each(ONE_ENGINE)(
  'the client and the collector that documents tell customers to run, with a service on %s',
  (engine) => {
    const open = useWorld(engine);
    let folder: string;
    let acme: TestTenant;
    beforeAll(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), 'collector-'));
      acme = await open.world.tenant();
      await acme.ingest(Array.from({ length: 30 }, () => anEvent({ actionId: 'DL' })));
      await sequenced(acme, 30);
      const pack = `umask 077; exec "${process.execPath}" scripts/client.mjs "${folder}"`;
      await run('sh', ['-c', pack], { cwd: ROOT });
      await writeFile(path.join(folder, 'package.json'), '{}');
      await run('npm', ['install', '--offline', '--no-audit', '--no-fund', file()], { cwd: folder });
    });
    const file = () => path.join(folder, 'audit-activity-client-0.1.0.tgz');
    afterAll(() => rm(folder, { recursive: true, force: true }));
    const env = (state: string) => ({
      PATH: process.env.PATH,
      BASE_URL: open.world.service.url,
      API_KEY: acme.key,
      ONCE: '1',
      STATE_FOLDER: state,
    });
    const linesOf = (stdout: string) => stdout.split('\n').slice(0, -1);

    it('the packed client runs the examples of its README, and loads as an ES module and as CommonJS', async () => {
      const { stdout: entries } = await run('tar', ['-tvzf', file()]);
      expect(linesOf(entries).filter((line) => !line.startsWith('-rw-r--r--'))).toEqual([]);
      const outputs: string[] = [];
      for (const [i, block] of blocksOf('client/README.md', 'js').entries()) {
        const script = path.join(folder, `example-${i}.mjs`);
        await writeFile(script, block);
        outputs.push((await run(process.execPath, [script], { cwd: folder, env: env(folder) })).stdout);
      }
      const [list = '', tail = '', sources = '', exported = '', errors = ''] = outputs;
      expect(linesOf(list)).toHaveLength(30);
      expect(linesOf(tail).map((line) => JSON.parse(line).actionId)).toEqual(Array(30).fill('DL'));
      expect(sources).toBe('');
      expect(exported).toMatch(/^30 \{/);
      expect(errors).toMatch(/^not_found \S+\n$/);
      const required = `const { AuditActivityClient } = require('audit-activity-client');
      new AuditActivityClient({ baseUrl: process.env.BASE_URL, apiKey: 'wrong' }).summary().catch((e) => console.log(e.name, e.status));`;
      await writeFile(path.join(folder, 'required.cjs'), required);
      const { stdout } = await run(process.execPath, ['required.cjs'], { cwd: folder, env: env(folder) });
      expect(stdout).toBe('UnauthorizedError 401\n');
    });

    /** Runs a program with the client against a service that `listener` plays. @returns what the program prints */
    const outputOf = async (listener: http.RequestListener, program: string, prefix = '') => {
      const server = http.createServer(listener);
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      const { port } = server.address() as AddressInfo;
      const script = path.join(folder, 'program.mjs');
      const head = `import { AuditActivityClient } from 'audit-activity-client';
      const client = new AuditActivityClient({ baseUrl: 'http://127.0.0.1:${port}${prefix}', apiKey: 'k' });`;
      await writeFile(script, `${head}\n${program}`);
      const { stdout, stderr } = await run(process.execPath, [script], { cwd: folder });
      server.closeAllConnections();
      server.close();
      return stdout + stderr;
    };
    const answered = (response: http.ServerResponse, body: object) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

    it('the client repeats a call whose answer broke off, also after many such calls', async () => {
      let calls = 0;
      const output = await outputOf(
        (_request, response) => {
          if (calls++ % 15 > 0)
            return void answered(response, {
              data: [],
              meta: { nextCursor: `c${calls}`, caughtUp: true, removed: 0 },
            });
          response.writeHead(200, { 'Content-Length': '100' }).write('{"data":', () => response.destroy());
        },
        `const stop = new AbortController();
      let batches = 0;
      for await (const { cursor } of client.tail({ signal: stop.signal })) if (++batches === 20) { console.log(cursor); break; }`,
      );
      // Equality also shows that Node.js prints no warning about too many listeners.
      expect(output).toBe('c22\n');
    });

    it('the client returns no event twice when new events arrive between two pages', async () => {
      const ids = Array.from({ length: 9 }, (_, i) => ({ recordId: `0${9 - i}` }));
      const paths: string[] = [];
      const listener: http.RequestListener = ({ url = '' }, response) => {
        paths.push(url.split('?')[0] ?? '');
        const page = Number(new URL(url, 'http://x').searchParams.get('page'));
        // An event arrives between the first page and the second: the last event of page 1 becomes the first of page 2.
        const data = page === 1 ? ids.slice(0, 4) : ids.slice(3 + 4 * (page - 2), 3 + 4 * (page - 1));
        answered(response, { data, meta: { page, totalCount: 10, hasNextPage: page < 3 } });
      };
      const program =
        'for await (const { recordId } of client.events({ pageSize: 4 })) console.log(recordId);';
      expect(linesOf(await outputOf(listener, program, '/audit/'))).toEqual(
        ids.map(({ recordId }) => recordId),
      );
      expect(new Set(paths)).toEqual(new Set(['/audit/api/v1/public/audit-activity']));
    });

    it('the collector in Python continues where its last run ended', async () => {
      const [collector = ''] = blocksOf('docs/collect.md', 'python');
      const script = path.join(folder, 'collect.py');
      await writeFile(script, collector);
      const state = await mkdtemp(path.join(folder, 'state-'));
      const collect = async () => linesOf((await run('python3', [script], { env: env(state) })).stdout);
      expect(await collect()).toHaveLength(30);
      expect(await collect()).toHaveLength(0);
      await acme.ingest(Array.from({ length: 8 }, () => anEvent({ eventTime: '2026-01-01T00:00:00Z' })));
      await sequenced(acme, 38);
      const late = await collect();
      expect(late.map((line) => JSON.parse(line).eventTime.slice(0, 10))).toEqual(
        Array(8).fill('2026-01-01'),
      );
    });
  },
);
