import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { configure } from '../../agent/cli/configure';
import type { Enroll } from '../../agent/cli/enroll';
import { databaseEntry } from './support/agent-world';

const KEY = 'aak_test_0123456789_SECRET';
const PROPERTIES = `APIURL=https://a.example\nAPIKEY=${KEY}\nAUDITPATH=C:\\Audit\\*.sqlaudit\nDBNAME=Payroll\n`;
const CONTENT = {
  CentralApi: { BaseUrl: 'https://a.example', ApiKey: KEY, TenantId: '7' },
  EventHubPublisher: { Enabled: true, Databases: [databaseEntry('Payroll', 'C:\\Audit\\*.sqlaudit')] },
};

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'configure-'));
  path = join(folder, 'config.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command. @returns the exit code and what it wrote */
async function run(input: string, { keepPrevious = false, enroll = noEnroll as Enroll } = {}) {
  const said: string[] = [];
  const problems: string[] = [];
  const code = await configure({
    configPath: path,
    keepPrevious,
    input,
    enroll,
    print: (line) => void said.push(line),
    complain: (line) => void problems.push(line),
  });
  expect([...said, ...problems].join('\n')).not.toContain(KEY);
  return { code, said, problems };
}
const noEnroll: Enroll = () => Promise.reject(new Error('not expected to be called'));
const written = () => JSON.parse(readFileSync(path, 'utf8'));

describe('audit-agent configure with a token', () => {
  const TOKEN = 'aae_test_0123456789_TOKEN';
  const enrolling = () => {
    const asked: Parameters<Enroll>[] = [];
    const enroll: Enroll = async (...about) => {
      asked.push(about);
      return { key: KEY, tenantId: '7' };
    };
    return { asked, enroll };
  };
  const central = (change: object) => ({
    ...CONTENT,
    CentralApi: { BaseUrl: 'https://a.example', ...change },
  });

  it.each([
    ['in properties', PROPERTIES.replace(`APIKEY=${KEY}`, `ENROLLTOKEN=${TOKEN}`)],
    ['in a configuration', JSON.stringify(central({ EnrollToken: TOKEN }))],
  ])('%s writes a key of its own and its tenant, and not the token', async (_, input) => {
    const { asked, enroll } = enrolling();
    expect((await run(input, { enroll })).problems).toEqual([]);
    expect(asked).toEqual([['https://a.example', TOKEN]]);
    expect(written()).toEqual(CONTENT);
  });

  it('takes the tenant of the token into a file that has none yet, as the one of a package', async () => {
    const { enroll } = enrolling();
    for (const TenantId of ['', ' ', null]) {
      writeFileSync(path, JSON.stringify(central({ ApiKey: '<AGENT_API_KEY>', TenantId })));
      const { said } = await run(JSON.stringify({ CentralApi: { EnrollToken: TOKEN } }), { enroll });
      expect(said).toEqual([`${path}: is written`]);
      expect(written().CentralApi.TenantId).toBe('7');
    }
  });

  it('in a file for many hosts writes names with the name of the host, with or without a token', async () => {
    const { enroll } = enrolling();
    const file = join(folder, 'all.json');
    const named = (Name: string, change: object) => ({
      ...central(change),
      EventHubPublisher: { Databases: [databaseEntry(Name, 'C:\\Audit\\*.sqlaudit')] },
    });
    for (const change of [
      { EnrollToken: TOKEN, TenantId: '9' },
      { ApiKey: KEY, TenantId: '9' },
    ]) {
      writeFileSync(file, JSON.stringify(named('%ComputerName% Payroll', change)));
      expect((await run(`CONFIGFILE=${file}`, { enroll })).problems).toEqual([]);
      expect(written()).toEqual(named(`${hostname()} Payroll`, { ApiKey: KEY, TenantId: '9' }));
    }
  });

  it('uses none up for a configuration with a mistake, and writes nothing without a key', async () => {
    const { asked, enroll } = enrolling();
    const bad = await run(JSON.stringify(central({ EnrollToken: TOKEN, BaseUrl: 'ftp://a' })), { enroll });
    expect([bad.code, asked]).toEqual([1, []]);
    const refused = await run(JSON.stringify(central({ EnrollToken: TOKEN })), {
      enroll: () => Promise.reject(new Error('forbidden (HTTP 403)')),
    });
    expect(refused.problems).toEqual(['the input: CentralApi.EnrollToken: forbidden (HTTP 403)']);
    expect([...bad.problems, ...refused.problems].join()).not.toContain(TOKEN);
    expect(existsSync(path)).toBe(false);
  });
});

describe('audit-agent configure', () => {
  it("writes an installer's properties, and says that a tenant must still be set", async () => {
    const { code, said } = await run(PROPERTIES);
    expect(code).toBe(0);
    const { TenantId, ...central } = CONTENT.CentralApi;
    expect(written()).toEqual({ ...CONTENT, CentralApi: central });
    expect(said).toEqual([
      `${path}: is written`,
      `${path}: CentralApi.TenantId is not set: nothing is published until it is`,
    ]);
    await run(`TENANTID=${TenantId}`);
    expect(written()).toEqual(CONTENT);
  });

  it('makes a new file that nobody else may read, and keeps the mode of an existing file', async () => {
    await run(PROPERTIES);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o640);
    const replacing = jest.spyOn(promises, 'rename').mockImplementationOnce((from) => {
      // If the service runs as another user, that user may read the file from the start.
      expect(statSync(from).mode & 0o777).toBe(0o640);
      throw new Error('no further');
    });
    expect((await run('TENANTID=7')).problems).toEqual([`${path}: no further`]);
    replacing.mockRestore();
    await run('TENANTID=7');
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it('writes the target of a symbolic link', async () => {
    await run(PROPERTIES);
    const elsewhere = `${path}.elsewhere`;
    renameSync(path, elsewhere);
    symlinkSync(elsewhere, path);
    expect((await run('TENANTID=8')).code).toBe(0);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(elsewhere, 'utf8')).CentralApi.TenantId).toBe('8');
  });

  it.each([
    ['UTF-8', (text: string) => Buffer.from(text)],
    ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\uFEFF${text}`)],
    ['UTF-16 with a byte order mark', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ])('takes a whole configuration from a file in %s', async (_, encode) => {
    const given = join(folder, 'given.json');
    writeFileSync(given, encode(JSON.stringify(CONTENT)));
    expect(await run(`CONFIGFILE=${given}`)).toMatchObject({ code: 0, problems: [] });
    expect(written()).toEqual(CONTENT);
  });

  it('takes a whole configuration as JSON', async () => {
    expect(await run(JSON.stringify(CONTENT))).toMatchObject({ code: 0, problems: [] });
    expect(written()).toEqual(CONTENT);
  });

  it('merges JSON into the existing file', async () => {
    await run(JSON.stringify(CONTENT));
    const logins = databaseEntry('Logins', '/audit/logins');
    const part = {
      CentralApi: { TenantId: '8' },
      EventHubPublisher: { PollIntervalMs: 50, Databases: [{ Name: 'PAYROLL', Enabled: false }, logins] },
    };
    expect(await run(JSON.stringify(part))).toMatchObject({ code: 0, problems: [] });
    const payroll = { ...databaseEntry('PAYROLL', 'C:\\Audit\\*.sqlaudit'), Enabled: false };
    const expected = {
      CentralApi: { ...CONTENT.CentralApi, TenantId: '8' },
      EventHubPublisher: { Enabled: true, PollIntervalMs: 50, Databases: [payroll, logins] },
    };
    expect(written()).toEqual(expected);
    expect(await run('{"EventHubPublisher": {"PollIntervalMs": null}}')).toMatchObject({ code: 0 });
    expect(written().EventHubPublisher).toEqual({ Enabled: true, Databases: [payroll, logins] });
    const text = readFileSync(path, 'utf8');
    expect((await run('{"CentralApi": {"ApiKy": "x", "BaseUrl": "nowhere"}}')).problems).toEqual([
      expect.stringMatching(/with the input: CentralApi\.BaseUrl must be/),
      expect.stringMatching(/with the input: CentralApi\.ApiKy is no setting/),
    ]);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('changes nothing if nothing is given, and warns of unknown settings, which a newer agent may know', async () => {
    const text = JSON.stringify({ ...CONTENT, Newer: 1 });
    writeFileSync(path, text);
    expect(await run('APIURL=\nTENANTID= \n')).toEqual({
      code: 0,
      said: [`${path}: Newer is no setting of the agent and has no effect`, `${path}: is kept as it is`],
      problems: [],
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each([
    ['nothing, and no file is there', '', [/config\.json: cannot be read: ENOENT/]],
    ['too little', 'APIURL=https://x', [/is new and needs APIKEY, AUDITPATH, DBNAME too$/]],
    [
      'bad values',
      PROPERTIES.replace('https://a.example', 'nowhere').replace(KEY, `${KEY} x`),
      [/CentralApi\.BaseUrl must be/, /CentralApi\.ApiKey must be/],
    ],
    ['an unknown setting', JSON.stringify({ ...CONTENT, Other: 1 }), [/^the input: Other is no setting/]],
    ['broken JSON', `{"CentralApi": {"ApiKey": "${KEY}"`, [/^the input: is not valid JSON/]],
    [
      'no lines of properties',
      `hello\nPORT=1\nDBNAME=a\nDBNAME=b`,
      [/line 1/, /no property PORT/, /DBNAME is given twice/],
    ],
    ['CONFIGFILE beside others', `CONFIGFILE=/x\nDBNAME=a`, [/cannot go together with DBNAME/]],
    ['a relative CONFIGFILE', 'CONFIGFILE=c.json', [/must be a full path/]],
    [
      'an absent CONFIGFILE',
      'CONFIGFILE=/absent/c.json',
      [/^CONFIGFILE \/absent\/c\.json: cannot be read: ENOENT/],
    ],
  ])('refuses %s, with every problem, and writes nothing', async (_, input, expected) => {
    const { code, problems } = await run(input, { keepPrevious: true });
    expect(code).toBe(1);
    expect(problems).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(problems[index]).toMatch(pattern);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('names what is wrong with the existing file, and leaves the file unchanged', async () => {
    writeFileSync(path, '{ no');
    expect(await run(PROPERTIES)).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('not valid JSON')],
    });
    expect(readFileSync(path, 'utf8')).toBe('{ no');
  });

  it('leaves an installer what it needs to roll back: the replaced file, or a mark that there was none', async () => {
    await run(PROPERTIES, { keepPrevious: true });
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'config.json.fresh']);
    const first = readFileSync(path, 'utf8');
    await run('TENANTID=7', { keepPrevious: true });
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'config.json.prev']);
    expect(readFileSync(`${path}.prev`, 'utf8')).toBe(first);
  });

  it('removes what an interrupted installation left behind, whether or not the input is valid', async () => {
    for (const input of [PROPERTIES, 'PORT=1']) {
      writeFileSync(`${path}.prev`, KEY);
      writeFileSync(`${path}.fresh`, '');
      await run(input);
      expect(existsSync(`${path}.prev`) || existsSync(`${path}.fresh`)).toBe(false);
    }
  });
});
