import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { API_BASE_PATH } from '../../src/version';
import { runCli } from '../support/cli';
import { temporaryFolder } from '../support/engines';

const ENV = { AUDIT_ACTIVITY_URL: 'http://service', AUDIT_ACTIVITY_API_KEY: 'k1' };
const ask = jest.spyOn(globalThis, 'fetch');
afterAll(() => ask.mockRestore());
const asked = () =>
  ask.mock.calls.map(([url, init]) => {
    const { pathname, searchParams } = new URL(String(url));
    const key = new Headers(init?.headers).get('X-Api-Key');
    return [pathname.replace(API_BASE_PATH, ''), Object.fromEntries(searchParams), key];
  });

describe('a command that fetches evidence', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    ask.mockReset();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string) => path.join(folder, name);
  const refused = () =>
    new Response(JSON.stringify({ error: { code: 'forbidden', message: 'no' } }), { status: 403 });

  it('package asks for what its options say, and writes the answer to its file', async () => {
    ask.mockImplementation(async () => new Response('zip bytes'));
    const out = at('a.zip');
    const some = await runCli(['evidence', 'package', '--out', out], ENV);
    expect(some.lines).toEqual([`${out} (verify it: audit-activity verify --package ${out})`]);
    const args = [
      ...['--tenant', '7', '--filter', 'actionId:SL', '--search', 'salary', '--reason', 'case 3'],
      ...['--from', '2026-01-01T00:00:00Z', '--to', '2026-02-01T00:00:00Z', '--json'],
    ];
    expect((await runCli(['evidence', 'package', '--out', out, ...args], ENV)).lines).toEqual([
      JSON.stringify({ file: out }),
    ]);
    expect(asked()).toEqual([
      ['/audit-activity/package', {}, 'k1'],
      [
        '/audit-activity/package',
        {
          tenantId: '7',
          filter: 'actionId:SL',
          search: 'salary',
          startTime: '2026-01-01T00:00:00Z',
          endTime: '2026-02-01T00:00:00Z',
          reason: 'case 3',
        },
        'k1',
      ],
    ]);
    expect([await readFile(out, 'utf8'), await readdir(folder)]).toEqual(['zip bytes', ['a.zip']]);
  });

  it('package leaves an earlier file as it is where the service refuses', async () => {
    ask.mockImplementation(async () => refused());
    await writeFile(at('a.zip'), 'before');
    const { error, lines } = await runCli(['evidence', 'package', '--out', at('a.zip')], ENV);
    expect([error, lines]).toEqual([expect.stringContaining('forbidden'), []]);
    expect([await readFile(at('a.zip'), 'utf8'), await readdir(folder)]).toEqual(['before', ['a.zip']]);
  });

  it('package leaves no part of a file where the answer breaks off', async () => {
    const cut = () =>
      new ReadableStream({
        start: (stream) => stream.enqueue(Buffer.from('zip')),
        pull: (stream) => stream.error(new Error('cut')),
      });
    ask.mockImplementation(async () => new Response(cut()));
    const { error } = await runCli(['evidence', 'package', '--out', at('a.zip')], ENV);
    expect([error, await readdir(folder)]).toEqual([expect.stringContaining('cut'), []]);
  });

  it('proof writes the proof of an event, as soon as there is one', async () => {
    const out = at('event.tlog-proof');
    const proof = { index: 5, path: ['aa=', 'bb='], checkpoint: 'origin\n9\nroot\n\n— signature\n' };
    const answer = (data: object) => async () => new Response(JSON.stringify({ data }));
    ask.mockImplementation(answer({ proof: null }));
    const early = await runCli(['evidence', 'proof', 'a/b', '--out', out], ENV);
    expect([early.error, early.lines, await readdir(folder)]).toEqual([
      expect.stringContaining('No checkpoint covers the event yet'),
      [],
      [],
    ]);
    ask.mockImplementation(answer({ proof }));
    expect((await runCli(['evidence', 'proof', 'a/b', '--out', out], ENV)).lines).toEqual([out]);
    expect((await runCli(['evidence', 'proof', 'a/b', '--out', out, '--json'], ENV)).lines).toEqual([
      JSON.stringify({ file: out, index: 5 }),
    ]);
    expect(await readFile(out, 'utf8')).toBe(
      'c2sp.org/tlog-proof@v1\nindex 5\naa=\nbb=\n\norigin\n9\nroot\n\n— signature\n',
    );
    expect(asked()[0]).toEqual(['/audit-activity/a%2Fb/proof', {}, 'k1']);
  });
});
