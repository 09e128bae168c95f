import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { blocksOf } from '../support/documents';
import { temporaryFolder } from '../support/engines';
import { until } from '../support/until';

/** Notes waits, and does not wait. */
const NO_WAITS = `import os, time
def note(seconds):
    with open(os.environ["WAITS"], "a") as file:
        file.write(f"{float(seconds)}\\n")
time.sleep = note
`;
/** The biggest file that the collector may write, in place of a full disk. */
const DISK_BYTES = 1_024;
const lines = (from: number, count: number, bytes: number) =>
  Array.from({ length: count }, (_, i) => `${JSON.stringify({ n: from + i, x: 'x'.repeat(bytes) })}\n`).join(
    '',
  );
/** The batches of the log: the second does not fit on the disk, and its beginning is half a line. */
const BATCHES = [lines(0, 3, 10), lines(3, 4, 600), lines(7, 2, 10)];

describe('the collector in Python', () => {
  let folder: string;
  let server: http.Server;
  let answer: (request: http.IncomingMessage, response: http.ServerResponse) => void;
  let calls: number;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    folder = await temporaryFolder();
    calls = 0;
    answer = tail;
    server = http.createServer((request, response) => {
      calls += 1;
      answer(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await mkdir(path.join(folder, 'shim'));
    await writeFile(path.join(folder, 'shim', 'sitecustomize.py'), NO_WAITS);
    const [collector = ''] = blocksOf('docs/collect.md', 'python');
    expect(collector.split('\n').length).toBeLessThanOrEqual(100);
    await writeFile(path.join(folder, 'collect.py'), collector);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  /** Answers as the service does, with cursors `c1`, `c2` and so on. */
  const tail = ({ url = '' }: http.IncomingMessage, response: http.ServerResponse) => {
    const at = Number(new URL(url, 'http://x').searchParams.get('cursor')?.slice(1) ?? 0);
    const isEnd = at + 1 >= BATCHES.length;
    const headers = { 'X-Next-Cursor': `c${Math.min(at + 1, BATCHES.length)}`, 'X-Caught-Up': String(isEnd) };
    response.writeHead(200, headers).end(BATCHES[at] ?? '');
  };

  const start = ({
    isFull = false,
    ...more
  }: {
    isFull?: boolean;
    ONCE?: string | undefined;
    OUT_FILE?: string | undefined;
  } = {}) => {
    const { port } = server.address() as AddressInfo;
    const limit = isFull ? `ulimit -f ${DISK_BYTES / 512};` : '';
    const child = spawn('sh', ['-c', `${limit} exec python3 collect.py`], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        PYTHONPATH: path.join(folder, 'shim'),
        WAITS: file('waits'),
        BASE_URL: `http://127.0.0.1:${port}`,
        API_KEY: 'k',
        STATE_FOLDER: folder,
        OUT_FILE: file('out'),
        ONCE: '1',
        ...more,
      },
    });
    children.push(child);
    const said = { out: '', error: '' };
    child.stdout.on('data', (bytes) => {
      said.out += bytes;
    });
    child.stderr.on('data', (bytes) => {
      said.error += bytes;
    });
    return once(child, 'close').then(([code]) => ({ code, ...said }));
  };
  const file = (name: string) => path.join(folder, name);
  const read = (name: string) => readFile(file(name), 'utf8').catch(() => '');
  const waits = async () => (await read('waits')).split('\n').slice(0, -1).map(Number);

  it('leaves no half line on a full disk, gives up, and goes on when there is room', async () => {
    const full = await start({ isFull: true });
    expect(full).toMatchObject({ code: 1, error: expect.stringContaining('gave up') });
    expect(full.error.match(/File too large/g)).toHaveLength(6);
    expect([await read('out'), await read('cursor')]).toEqual([BATCHES[0], 'c1']);
    expect((await waits()).slice(-6)).toEqual([0, 1, 2, 4, 8, 16]);
    expect(await start()).toMatchObject({ code: 0, error: '' });
    expect(await read('out')).toBe(BATCHES.join(''));
    expect(await start()).toMatchObject({ code: 0 });
    expect(await read('out')).toBe(BATCHES.join(''));
  });

  it.each(['{"n":0}\n{"n":1,"x":"ha', '{"n":0', '\n'])(
    'cuts off half a line that a crash has left: %j',
    async (left) => {
      await writeFile(file('out'), left);
      expect(await start()).toMatchObject({ code: 0 });
      expect(await read('out')).toBe(left.slice(0, left.lastIndexOf('\n') + 1) + BATCHES.join(''));
    },
  );

  it.each<[string, http.OutgoingHttpHeaders, number[]]>([
    ['', {}, [0, 1, 2, 4, 8, 16]],
    [' that asks for a time', { 'Retry-After': '7' }, [0, 7, 7, 7, 7, 7]],
    [' that asks for an hour', { 'Retry-After': '3600' }, [0, 60, 60, 60, 60, 60]],
  ])('gives up with ONCE after six refusals of a service%s', async (_, headers, waited) => {
    answer = (_request, response) => response.writeHead(503, headers).end('{}');
    expect(await start()).toMatchObject({ code: 1, error: expect.stringContaining('gave up') });
    expect([calls, await waits()]).toEqual([6, waited]);
  });

  it('gives up with ONCE after six connections that broke off', async () => {
    answer = (request) => void request.socket.destroy();
    expect(await start()).toMatchObject({ code: 1, error: expect.stringContaining('gave up') });
    expect(calls).toBe(6);
  });

  it('goes on for ever without ONCE, and ends on a refusal that would come again', async () => {
    answer = (_request, response) => response.writeHead(calls > 30 ? 409 : 500).end('begin elsewhere');
    expect(await start({ ONCE: undefined })).toMatchObject({
      code: 1,
      error: expect.stringContaining('409: begin'),
    });
    expect(calls).toBe(31);
    expect(Math.max(...(await waits()))).toBe(60);
  });

  it('repeats a call whose answer broke off, and writes to its standard output', async () => {
    answer = (_request, response) => {
      const headers = { 'X-Next-Cursor': `c${calls}`, 'X-Caught-Up': 'true', 'Content-Length': '9' };
      response.writeHead(200, headers).write(calls === 1 ? '{"a"' : '{"a": 1}\n', () => response.destroy());
    };
    expect(await start({ OUT_FILE: undefined })).toMatchObject({ code: 0, out: '{"a": 1}\n' });
    expect([calls, await read('cursor')]).toEqual([2, 'c2']);
  });

  it('does not run twice at once', async () => {
    const held: http.ServerResponse[] = [];
    answer = (_request, response) => void held.push(response);
    const first = start();
    await until(
      () => held.length,
      (count) => count === 1,
    );
    expect(await start()).toMatchObject({ code: 1, error: 'another run has not ended\n' });
    held[0]?.writeHead(200, { 'X-Next-Cursor': 'c1', 'X-Caught-Up': 'true' }).end(BATCHES[0]);
    expect(await first).toMatchObject({ code: 0 });
    expect(await read('out')).toBe(BATCHES[0]);
  });
});
