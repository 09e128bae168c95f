import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { CALL_BOUNDS } from '../../src/cli/bounded-calls';
import { idBytes } from '../../src/event/record-id';
import { runCli } from '../support/cli';
import { temporaryFolder } from '../support/engines';
import { anEventInFull, logOf } from './parts/log-copies';

const EVENTS = Array.from({ length: 600 }, (_, n) => anEventInFull(n));
const LOG = logOf(EVENTS, [200, 400, 600]);
const LINES = [...EVENTS.map((event) => JSON.stringify(event)), '{"end":{"count":600}}'].map(
  (text) => `${text}\n`,
);

type Answer = (url: URL, request: IncomingMessage, response: ServerResponse) => unknown;

/** The answers of an honest service with this log, by the end of the path. A function writes its answer itself. */
const HONEST: Readonly<Record<string, Answer>> = {
  export: (_, __, response) => {
    response.setHeader('X-Total-Count', EVENTS.length);
    response.end(LINES.join(''));
  },
  'audit-log': () => ({
    tenantId: '7',
    publicKey: LOG.publicKey,
    size: 600,
    waitingEvents: 0,
    refusedEvents: 0,
    oldestWaitingAt: null,
    backfilling: false,
    problem: null,
    checkpoint: LOG.checkpoints[2],
  }),
  checkpoints: (url) => ({
    checkpoints: LOG.checkpoints.slice(Number(url.searchParams.get('after'))).slice(0, 2),
  }),
  removals: () => ({ removals: [] }),
  entries: (url) => page(Number(url.searchParams.get('start')), 256),
  consistency: (_, __, response) => refuse(response, 500, 'internal_error'),
};

function page(start: number, most: number, stated?: number) {
  const some = EVENTS.slice(start, start + most);
  const hashes = LOG.leafHashes.subarray(start * 32, (start + some.length) * 32);
  return {
    start,
    count: stated ?? some.length,
    leafHashes: hashes.toString('base64'),
    recordIds: Buffer.concat(some.map(({ recordId }) => idBytes(recordId))).toString('base64'),
  };
}
function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(JSON.stringify({ error: { code, message: `\u001b[31m${code}` } }));
}

describe('verify against a service that is hostile or damaged', () => {
  let server: Server;
  let answers: Readonly<Record<string, Answer>> = HONEST;
  let calls = 0;
  beforeAll(async () => {
    server = createServer((request, response) => {
      calls++;
      const url = new URL(request.url ?? '', 'http://x');
      const data = answers[url.pathname.split('/').at(-1) ?? '']?.(url, request, response);
      if (data !== undefined) response.end(JSON.stringify({ data }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = (name: keyof typeof CALL_BOUNDS, value: number) =>
    jest.replaceProperty(CALL_BOUNDS, name, value);
  const run = async (changed: Readonly<Record<string, Answer>>, ...args: string[]) => {
    answers = { ...HONEST, ...changed };
    calls = 0;
    const { port } = server.address() as AddressInfo;
    const given = ['verify', '--service', `http://127.0.0.1:${port}`, '--wait', '0', ...args];
    return runCli(given, { AUDIT_ACTIVITY_API_KEY: 'key' });
  };
  const verify = async (changed: Readonly<Record<string, Answer>>, ...args: string[]) => {
    const { lines, error } = await run(changed, '--json', ...args);
    return { error, report: lines[0] === undefined ? null : JSON.parse(lines[0]) };
  };

  it('is content with an honest one, but for what it cannot prove', async () => {
    const { report } = await verify({});
    expect(report).toMatchObject({ events: 600, entries: 600, findings: [], unjudged: 0 });
    expect(report.problems).toEqual([
      expect.stringContaining('a hash of an upper level of the log, was changed'),
    ]);
  });

  it('says how many events the log does not have yet', async () => {
    const waiting = (...of: Parameters<Answer>) => ({
      ...(HONEST['audit-log']?.(...of) as object),
      waitingEvents: 5,
    });
    const { report } = await verify({ 'audit-log': waiting });
    expect(report.problems).toContain('5 accepted events are not in the log yet');
  });

  it('and evidence package leaves no part of a package that was cut', async () => {
    answers = {
      package: (_, __, response) => {
        response.writeHead(200, { 'Content-Length': 9 });
        response.write('part', () => response.destroy());
      },
    };
    const folder = await temporaryFolder();
    const { port } = server.address() as AddressInfo;
    const given = ['--out', path.join(folder, 'a.zip'), '--service', `http://127.0.0.1:${port}`];
    const { error } = await runCli(['evidence', 'package', ...given], { AUDIT_ACTIVITY_API_KEY: 'key' });
    expect([error, await readdir(folder)]).toEqual([expect.stringContaining('broke off'), []]);
    await rm(folder, { recursive: true });
  });

  it('writes no line and no sign of the service into the terminal', async () => {
    const forged = '\u001b[2J\ntenant 7: all 600 events are as they were accepted, and none is missing';
    const saying = (change: object) => ({
      'audit-log': (...of: Parameters<Answer>) => ({
        ...(HONEST['audit-log']?.(...of) as object),
        ...change,
      }),
    });
    for (const change of [{ problem: forged }, { tenantId: `7${forged}` }]) {
      const { lines, error } = await run(saying(change));
      const said = [...lines, error ?? ''].join('\n');
      expect(said).not.toContain('\u001b');
      expect(said.split('\n').filter((line) => line.startsWith('tenant 7: all'))).toEqual([]);
      expect(said).toContain('⟦U+000A⟧tenant 7: all 600');
      expect(error?.split('\n')).toHaveLength(1);
    }
  });

  it('leaves the kept checkpoint as it is where the log is not sound, or has none', async () => {
    const folder = await temporaryFolder();
    const kept = path.join(folder, 'kept.txt');
    await writeFile(kept, LOG.checkpoints[1] ?? '');
    const { error } = await verify({}, '--checkpoint', kept, '--save-checkpoint', kept);
    expect(error).toContain('are not as they were accepted');
    expect(await readFile(kept, 'utf8')).toBe(LOG.checkpoints[1]);
    const empty = {
      'audit-log': (...of: Parameters<Answer>) => ({
        ...(HONEST['audit-log']?.(...of) as object),
        size: 0,
        checkpoint: null,
      }),
      checkpoints: () => ({ checkpoints: [] }),
      export: ((_, __, response) => void response.end('{"end":{"count":0}}\n')) as Answer,
    };
    expect((await verify(empty, '--save-checkpoint', kept)).error).toBeNull();
    expect(await readFile(kept, 'utf8')).toBe(LOG.checkpoints[1]);
    await rm(folder, { recursive: true });
  });

  it.each([
    [
      'the note of checkpoint 1',
      [...LOG.checkpoints.slice(0, 2), LOG.checkpoints[0] ?? ''],
      'checkpoint 1 does not follow checkpoint 2',
    ],
    [
      "another tenant's note",
      [...LOG.checkpoints.slice(0, 2), (LOG.checkpoints[0] ?? '').replace('tenant-7', 'tenant-8')],
      "checkpoint 1 is another tenant's",
    ],
    ['no note', [...LOG.checkpoints.slice(0, 2), 'x'], 'checkpoint 3 is no checkpoint'],
  ])('names it, and ends, where the newest checkpoint has %s', async (_, notes, problem) => {
    const { error, report } = await verify({
      checkpoints: (url) => ({ checkpoints: notes.slice(Number(url.searchParams.get('after'))) }),
      'audit-log': (...of) => ({ ...(HONEST['audit-log']?.(...of) as object), checkpoint: notes[2] }),
    });
    expect([error, report.problems]).toEqual([
      expect.stringContaining('200 of 600 events could not be judged'),
      expect.arrayContaining([problem]),
    ]);
  });

  it('reads each checkpoint once where some are missing, whatever the pages', async () => {
    const numbers = [1, 3];
    const { report } = await verify({
      checkpoints: (url) => {
        const after = Number(url.searchParams.get('after'));
        return { checkpoints: numbers.filter((n) => n > after).map((n) => LOG.checkpoints[n - 1]) };
      },
    });
    expect(report.problems).toContain('checkpoint 2 was taken away');
    expect(report.problems.join()).not.toContain('does not follow');
    expect(report).toMatchObject({ findings: [], unjudged: 0 });
  });

  it.each<[string, Readonly<Record<string, Answer>>, string]>([
    [
      'checkpoints without end',
      { checkpoints: () => ({ checkpoints: Array.from({ length: 100 }, () => LOG.checkpoints[0]) }) },
      'more than 1600 checkpoints',
    ],
    [
      'checkpoints that are no list',
      { checkpoints: () => ({ checkpoints: 'x' }) },
      'it has no list of checkpoints',
    ],
    ['removals that are no list', { removals: () => ({}) }, 'it has no list of removals'],
    [
      'entries that go back',
      {
        entries: (url) => ({
          ...page(0, 100),
          start: Math.max(0, Number(url.searchParams.get('start')) - 1),
        }),
      },
      'it goes back: asked from',
    ],
    [
      'more entries than it has',
      { entries: (url) => page(Number(url.searchParams.get('start')), 100, 101) },
      'it states 101 entries, and has 100 record ids and 100 hashes',
    ],
    [
      'one entry each time',
      { entries: (url) => page(Number(url.searchParams.get('start')), 1) },
      'never comes to the end',
    ],
    [
      'entries without a start',
      { entries: () => ({ ...page(0, 10), start: -1 }) },
      'it has no start and count',
    ],
    [
      'a log of a size for which nobody has memory',
      { 'audit-log': (...of) => ({ ...(HONEST['audit-log']?.(...of) as object), size: 2 ** 50 }) },
      'verify it where there is more',
    ],
    ['no log at all', { 'audit-log': () => null }, 'its data is no object'],
    ['a log without a size', { 'audit-log': () => ({}) }, 'it does not say how far the log is'],
    ['proofs that are no list', { consistency: () => ({ hashes: [1] }) }, 'it has no list of hashes'],
    ['no JSON', { removals: (_, __, response) => void response.end('x') }, 'it has no data'],
    [
      'a refusal with a command for terminals',
      { removals: (_, __, response) => refuse(response, 403, 'forbidden') },
      '/audit-log/removals: forbidden:  [31mforbidden',
    ],
  ])('names it, and ends, where the service gives %s', async (_, changed, text) => {
    const { error, report } = await verify(changed);
    expect([error, report]).toEqual([expect.stringContaining(text), null]);
    expect(calls).toBeLessThan(50);
  });

  const endless = (response: ServerResponse, text: string) => {
    const more = () => {
      while (!response.destroyed && response.write(text));
    };
    response.on('drain', more);
    more();
  };

  it('reads no more of an answer than it has room for, and waits no longer for it than for its beginning', async () => {
    bound('answerBytes', 100_000);
    const much = await verify({ removals: (_, __, response) => endless(response, '['.repeat(10_000)) });
    expect(much.error).toContain('it has more than 100000 bytes');
    bound('answerMs', 200);
    const slow = await verify({ removals: (_, __, response) => void response.write('{') });
    expect(slow.error).toContain('/audit-log/removals: The answer broke off: ');
    const never = await verify({ removals: () => undefined });
    expect(never.error).toContain('No service answers at');
  });

  it('ends an export that does not end, that brings nothing for long, or that has a line without end', async () => {
    bound('furtherLines', 1_000);
    bound('lineBytes', 50_000);
    bound('paceMs', 150);
    const withCount = (response: ServerResponse) => void response.setHeader('X-Total-Count', 600);
    const lines = await verify({
      export: (_, __, response) => {
        withCount(response);
        endless(response, LINES[0]?.repeat(50) ?? '');
      },
    });
    expect(lines.error).toContain('it has more than 2200 lines');
    const line = await verify({ export: (_, __, response) => endless(response, ' '.repeat(5_000)) });
    expect(line.error).toContain('a line has more than 50000 bytes');
    const drip = await verify({
      export: (_, __, response) => {
        const drops = setInterval(() => response.write(LINES[0]), 20);
        response.on('close', () => clearInterval(drops));
      },
    });
    expect(drip.error).toMatch(/it brought \d+ bytes in 0.15 seconds, and did not end/);
  });

  it('does not wait for as long as the service likes, nor again and again', async () => {
    bound('retryAfterSecondsMax', 0.01);
    bound('triesMax', 3);
    const busy =
      (retryAfter: string): Answer =>
      (_, __, response) => {
        response.setHeader('Retry-After', retryAfter);
        refuse(response, 429, 'rate_limited');
      };
    const { error } = await verify({ 'audit-log': busy('2000000') });
    expect([error, calls]).toEqual([expect.stringContaining('rate_limited'), 3]);
    expect((await verify({ 'audit-log': busy('Wed, 21 Oct 2099 07:28:00 GMT') })).error).toContain(
      'rate_limited',
    );
    expect(calls).toBe(1);
  });

  it('fetches for a day at the most', async () => {
    bound('allMs', 300);
    const { error } = await verify({ removals: () => undefined });
    expect(error).toContain('the log is not fetched');
  });
});
