import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeLogFile } from '../../src/modules/evidence/verify/log-file';
import { newWitnessKeyPem, WitnessKey } from '../../src/store/log/evidence/cosignature';
import { CheckpointKey, newCheckpointKeyPem } from '../../src/store/log/evidence/note-key';
import { anEventInFull, KEY, logOf } from '../evidence/parts/log-copies';
import { runCli } from '../support/cli';
import { temporaryFolder } from '../support/engines';

const EVENTS = Array.from({ length: 12 }, (_, n) => anEventInFull(n));
const LOG = logOf(EVENTS, [8, 12]);
const [EIGHT = '', TWELVE = ''] = LOG.checkpoints;
const OTHER = CheckpointKey.ofPem(newCheckpointKeyPem()).verifierKey;
const W1 = new WitnessKey('w1.example', newWitnessKeyPem());
const ORIGIN_LINE = `log ${KEY.verifierKey}`;
const cosigned = (note: string) =>
  note + W1.cosign(`${note.split('\n\n')[0]}\n`, new Date('2026-01-06T00:01:00Z'));
const linesOf = (events: readonly object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

describe('verify without a service', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    await store();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string) => path.join(folder, name);
  const put = async (name: string, text: string) => {
    await writeFile(at(name), text);
    return at(name);
  };
  async function store(events: readonly object[] = EVENTS, log: object = {}) {
    await put('events.ndjson', linesOf(events));
    await writeLogFile(at('log.ndjson'), { ...LOG, ...log });
  }
  const verify = async (...args: string[]) => {
    const { lines, error } = await runCli(['verify', '--from', folder, '--json', ...args]);
    return {
      report: lines[0] === undefined ? null : JSON.parse(lines[0]),
      error: error && JSON.parse(error).error,
    };
  };
  const policy = (...lines: string[]) => put('policy', `${lines.join('\n')}\n`);
  const witness = `witness W1 ${W1.verifierKey}`;

  it('ends well where all is as it was accepted, and then keeps the newest checkpoint', async () => {
    const kept = await put('kept', EIGHT);
    const { report, error } = await verify('--checkpoint', kept, '--save-checkpoint', kept);
    expect(error).toBeNull();
    expect(report).toMatchObject({
      tenantId: '7',
      events: 12,
      entries: 12,
      isSound: true,
      checkpoint: TWELVE,
    });
    expect(report).not.toHaveProperty('quorum');
    expect(await readFile(kept, 'utf8')).toBe(TWELVE);
  });

  it('ends with what is wrong, and keeps no checkpoint then', async () => {
    const kept = at('kept');
    const fails = async (events: readonly object[], log: object = {}, ...args: string[]) => {
      await store(events, log);
      const { error } = await verify('--save-checkpoint', kept, ...args);
      return error?.message;
    };
    const [first, ...others] = EVENTS;
    expect([
      await fails([{ ...first, databaseName: 'other' }, ...others]),
      await fails(others),
      await fails(EVENTS, { checkpoints: [EIGHT], before: EIGHT }),
      await fails(EVENTS, { checkpoints: [], before: null }),
    ]).toEqual([
      'The events of tenant 7 are not as they were accepted.',
      'The events of tenant 7 are not as they were accepted.',
      'Of tenant 7, 4 of 12 events could not be judged.',
      'Of tenant 7, 12 of 12 events could not be judged.',
    ]);
    await expect(readFile(kept)).rejects.toThrow('ENOENT');
  });

  it('looks at other events where they are named, each file of them', async () => {
    const [one, two] = [
      await put('1', linesOf(EVENTS.slice(0, 5))),
      await put('2', linesOf(EVENTS.slice(5))),
    ];
    await put('events.ndjson', '');
    expect((await verify('--events', one, '--events', two)).report).toMatchObject({
      events: 12,
      isSound: true,
    });
    expect((await verify('--events', one)).report).toMatchObject({ events: 5, isSound: false });
  });

  it.each<[string, string[], boolean]>([
    ['that of the log', [KEY.verifierKey], true],
    ['one of several', [OTHER, KEY.verifierKey], true],
    ['another one', [OTHER], false],
  ])('trusts the keys that are named: %s', async (_, keys, isSound) => {
    const { report } = await verify(...keys.flatMap((key) => ['--public-key', key]));
    expect(report.isSound).toBe(isSound);
    const lines = await runCli([
      'verify',
      '--from',
      folder,
      '--public-key',
      OTHER,
      '--public-key',
      KEY.verifierKey,
    ]);
    expect(lines.lines[0]).toContain(`key ${OTHER}, ${KEY.verifierKey}`);
    expect(lines.lines[0]).not.toContain('give --public-key');
    expect((await runCli(['verify', '--from', folder])).lines[0]).toContain('give --public-key');
  });

  it('trusts the keys of a policy beside those that are named, if it has any for the log', async () => {
    await store(EVENTS, { checkpoints: [EIGHT, cosigned(TWELVE)] });
    const byPolicy = await verify('--policy', await policy(ORIGIN_LINE, witness, 'quorum W1'));
    expect([byPolicy.error, byPolicy.report.isSound]).toEqual([null, true]);
    const beside = await policy(
      `log ${OTHER.replace(/^[^+]+/, KEY.verifierKey.split('+')[0] ?? '')}`,
      witness,
      'quorum W1',
    );
    const strange = await verify('--policy', beside);
    expect(strange.error).not.toBeNull();
    const named = await verify(
      '--policy',
      await policy(witness, 'quorum W1'),
      '--public-key',
      KEY.verifierKey,
    );
    expect([named.error, named.report.quorum]).toEqual([null, { isMet: true, missing: null }]);
  });

  it('demands the quorum of a policy, and ends with what is missing', async () => {
    const file = await policy(ORIGIN_LINE, witness, 'quorum W1');
    const { report, error } = await verify('--policy', file, '--save-checkpoint', at('kept'));
    expect(report.quorum).toEqual({
      isMet: false,
      missing: expect.stringContaining('none of 1 witnesses signed it'),
    });
    expect(error?.message).toMatch(`The policy ${file} is not met: `);
    await expect(readFile(at('kept'))).rejects.toThrow('ENOENT');
    // What is changed comes first.
    await store(EVENTS.slice(1));
    expect((await verify('--policy', file)).error?.message).toContain('not as they were accepted');
    // The log ends with the newest checkpoint of which witnesses vouch.
    await store(EVENTS.slice(0, 8), { checkpoints: [cosigned(EIGHT), TWELVE], before: EIGHT });
    const met = await verify('--policy', file, '--save-checkpoint', at('kept'));
    expect([met.error, met.report.entries]).toEqual([null, 8]);
    expect(await readFile(at('kept'), 'utf8')).toBe(cosigned(EIGHT));
  });

  it('tells of time stamps that do not verify, whoever is trusted', async () => {
    const token = Buffer.from('no token').toString('base64');
    await store(EVENTS, { timeStamps: [{ number: 2, time: '2026-01-06T00:00:00.000Z', token }] });
    const { report, error } = await verify();
    expect(report.timeStamps).toMatchObject({ verified: 0, isAuthorityChecked: false });
    expect(error?.message).toBe('Of tenant 7, 1 time stamps do not verify.');
  });

  it.each<[string, string[], string]>([
    ['a policy for a report', ['--report', 'x', '--policy', 'y'], '--policy is not for --report'],
    [
      'authorities for a report',
      ['--report', 'x', '--timestamp-ca', 'y'],
      '--timestamp-ca is not for --report',
    ],
    ['events without their log', ['--events', 'x'], '--events needs --from.'],
    ['a policy that is not there', ['--policy', '/nowhere', '--from', '/nowhere'], 'ENOENT'],
    ['authorities that are not there', ['--timestamp-ca', '/nowhere', '--from', '/nowhere'], 'ENOENT'],
    ['a report that is not there', ['--report', '/nowhere'], 'ENOENT'],
    ['a package that is not there', ['--package', '/nowhere'], 'ENOENT'],
    ['a file of authorities without one', ['--timestamp-ca', __filename, '--from', '/nowhere'], 'ertificate'],
    ['no whole number of seconds', ['--wait', '1.5'], 'whole number'],
  ])('refuses %s before it does anything', async (_, args, text) => {
    expect(await runCli(['verify', ...args])).toEqual({ lines: [], error: expect.stringContaining(text) });
  });

  it('shows the key of this host, of its file or of its data folder', async () => {
    const pem = newCheckpointKeyPem();
    const file = await put('own.pem', pem);
    await put('checkpoint.key', newCheckpointKeyPem());
    const show = async (env: Record<string, string>) =>
      (await runCli(['verify', '--show-key'], env)).lines[0];
    const own = CheckpointKey.ofPem(pem).verifierKey;
    expect(await show({ CHECKPOINT_KEY_FILE: file, DATA_DIR: folder })).toBe(own);
    expect(await show({ DATA_DIR: folder })).toMatch(/\+/);
    expect(await show({ DATA_DIR: folder })).not.toBe(own);
    const wrong = await runCli(['verify', '--show-key'], { CHECKPOINT_KEY_FILE: at('log.ndjson') });
    expect([wrong.lines, wrong.error?.split('\n').length]).toEqual([[], 1]);
  });
});
