import { once } from 'node:events';
import { rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { openWitness } from '../../../src/modules/evidence/witnesses/witness-client';
import { readWitnessKey } from '../../../src/store/log/evidence/cosignature';
import { TEST_CHECKPOINT_KEY } from '../../support/checkpoint-key';
import { type CliOutcome, runCli } from '../../support/cli';
import { temporaryFolder } from '../../support/engines';
import { noteOf, ORIGIN, submissionOf } from './support';

const LOG = `${ORIGIN} ${TEST_CHECKPOINT_KEY.verifierKey}`;

describe('the command witness', () => {
  let folder: string;
  beforeEach(async () => {
    folder = path.join(await temporaryFolder(), 'state');
  });
  afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

  /** Runs the witness while the work is done. */
  async function serving(
    work: (url: string, port: number) => Promise<void>,
    ...args: string[]
  ): Promise<CliOutcome> {
    let stop = () => {};
    const stopped = new Promise<void>((done) => {
      stop = done;
    });
    let isServing = () => {};
    const served = new Promise<void>((done) => {
      isServing = done;
    });
    const untilStopped = () => {
      isServing();
      return stopped;
    };
    const lines: string[] = [];
    const unused = () => Promise.reject(new Error('not called'));
    const running = runCli(
      ['witness', '--folder', folder, '--port', '0', ...args],
      {},
      async () => [],
      unused,
      unused,
      unused,
      {
        untilStopped,
        print: (line) => void lines.push(line),
      },
    );
    await Promise.race([served, running]);
    const port = Number(/port (\d+)/.exec(lines[0] ?? '')?.[1]);
    try {
      if (port > 0) await work(`http://127.0.0.1:${port}`, port);
    } finally {
      stop();
    }
    return { ...(await running), lines };
  }
  const post = (url: string, body: string | Uint8Array<ArrayBuffer>) => fetch(url, { method: 'POST', body });

  it('makes a key once, shows it, and signs below any prefix until it is stopped', async () => {
    const made = await runCli(['witness', '--folder', folder, '--make-key', 'witness.example/w1']);
    expect(made).toEqual({
      lines: [expect.stringMatching(/^witness\.example\/w1\+[0-9a-f]{8}\+B/)],
      error: null,
    });
    expect((await stat(path.join(folder, 'witness.key'))).mode & 0o777).toBe(0o600);
    expect((await runCli(['witness', '--folder', folder, '--show-key'])).lines).toEqual(made.lines);
    expect((await runCli(['witness', '--folder', folder, '--make-key', 'x'])).error).toContain(
      'one key, for good',
    );
    const outcome = await serving(
      async (url) => {
        const answer = await post(`${url}/any/prefix/add-checkpoint`, submissionOf(0, 5));
        expect(answer.status).toBe(200);
        expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain/);
        expect(readWitnessKey(made.lines[0] ?? '').lineIn(noteOf(5) + (await answer.text()))).not.toBeNull();
        const conflict = await post(`${url}/add-checkpoint`, submissionOf(0, 6));
        expect([conflict.status, conflict.headers.get('Content-Type'), await conflict.text()]).toEqual([
          409,
          'text/x.tlog.size',
          '5\n',
        ]);
        expect((await post(`${url}/other`, submissionOf(0, 5))).status).toBe(404);
        expect((await fetch(`${url}/add-checkpoint`)).status).toBe(405);
        const second = await runCli(['witness', '--folder', folder, '--port', '0', '--log', LOG]);
        expect(second.error).toContain('Another witness');
      },
      '--log',
      LOG,
    );
    expect(outcome.error).toBeNull();
  });

  it.each(['', '/prefix', '/prefix/', '/prefix//'])('is asked below its address: %j', async (prefix) => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(404).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await runCli(['witness', '--folder', folder, '--make-key', 'w']);
    const [verifierKey = ''] = (await runCli(['witness', '--folder', folder, '--show-key'])).lines;
    const witness = openWitness({ verifierKey, url: `http://127.0.0.1:${port}${prefix}` });
    const outcome = await witness.add(0, [], noteOf(5), new AbortController().signal);
    witness.close();
    server.close();
    expect([outcome.kind, asked]).toEqual(['unknown', [`${prefix.replace(/\/+$/, '')}/add-checkpoint`]]);
  });

  it('bounds bodies, and answers what is no text with 400', async () => {
    await runCli(['witness', '--folder', folder, '--make-key', 'w']);
    const outcome = await serving(
      async (url, port) => {
        expect((await post(`${url}/add-checkpoint`, 'x'.repeat(64 * 1024 + 1))).status).toBe(413);
        expect((await post(`${url}/add-checkpoint`, 'x'.repeat(64 * 1024))).status).toBe(400);
        expect((await post(`${url}/add-checkpoint`, new Uint8Array([0xff]))).status).toBe(400);
        // What was not read of a body is no further request.
        const early = connect(port, '127.0.0.1');
        const read = text(early);
        early.write('POST /other HTTP/1.1\r\nHost: w\r\nContent-Length: 100\r\n\r\nold');
        expect((await read).split('\r\n\r\n')[0]).toMatch(/ 404 .*\r\nConnection: close/s);
        // A caller that goes away in the middle of a body, and one that never sends any.
        const half = connect(port, '127.0.0.1');
        half.write('POST /add-checkpoint HTTP/1.1\r\nHost: w\r\nContent-Length: 100\r\n\r\nold');
        await new Promise((done) => half.once('connect', done));
        half.destroy();
        expect((await post(`${url}/add-checkpoint`, submissionOf(0, 5))).status).toBe(200);
      },
      '--log',
      LOG,
    );
    expect(outcome.error).toBeNull();
  });

  it('reads logs from a file, and names every mistake with its line', async () => {
    await runCli(['witness', '--folder', folder, '--make-key', 'w']);
    const file = path.join(folder, 'list');
    await writeFile(file, `# logs\n\n${LOG}\nalone\n${ORIGIN} wrong\n`);
    const { error } = await runCli(['witness', '--folder', folder, '--port', '0', '--logs', file]);
    expect(error).toContain(`${file}, line 4: must be NAME KEY`);
    expect(error).toContain(`${file}, line 5: it is not a public key`);
    await writeFile(file, `# logs\n\n  ${LOG}\r\n`);
    const outcome = await serving(
      async (url) => {
        expect((await post(`${url}/add-checkpoint`, submissionOf(0, 5))).status).toBe(200);
      },
      '--logs',
      file,
    );
    expect(outcome.error).toBeNull();
  });

  it('makes no key with an empty name, also where it could serve', async () => {
    const make = () => serving(async () => {}, '--log', LOG, '--make-key', '');
    expect((await make()).error).toContain('the name must have 1 to 200 characters');
    await runCli(['witness', '--folder', folder, '--make-key', 'w']);
    expect((await make()).error).toContain('the name must have 1 to 200 characters');
  });

  it('serves nothing without a key or without a log', async () => {
    expect((await runCli(['witness', '--folder', folder, '--log', LOG])).error).toContain('--make-key');
    await runCli(['witness', '--folder', folder, '--make-key', 'w']);
    expect((await runCli(['witness', '--folder', folder])).error).toContain('no log is named');
    expect((await runCli(['witness', '--folder', folder, '--log', LOG, '--port', '65536'])).error).toContain(
      '--port',
    );
  });
});
