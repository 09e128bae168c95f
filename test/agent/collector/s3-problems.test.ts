import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { check } from '../../../agent/cli/check';
import { systemClock } from '../../../agent/clock';
import { StoreHttp } from '../../../agent/source/objects/store-http';
import { zipOf } from '../../support/zip';
import { auditFileName } from '../support/audit-files';
import { capturedOutput } from '../support/captured-output';
import { until } from '../support/until';
import { BucketWorld, fileOf, keyOf, selects } from './support/bucket-world';
import { refuse } from './support/s3-stand-in';

const onLinux = existsSync('/dev/full') ? it : it.skip;
const LONG_AGO = Date.now() - 3_600_000;

describe('a collector of a bucket', () => {
  let world: BucketWorld;
  beforeEach(async () => {
    world = await BucketWorld.create();
  });
  afterEach(() => world.close());

  const zipped = (file: number, ...records: readonly number[]) =>
    zipOf([[auditFileName(file), fileOf(file, ...records)]]);
  const unzippedFolder = () => join(world.agents.dataDir, 'objects/7/Payroll/unzipped');

  it('reads archives, each downloaded once, beside plain files, and keeps none of them', async () => {
    await world.store.put(`${keyOf(0)}.zip`, await zipped(0, 1, 2));
    await world.store.put(keyOf(1), fileOf(1, 3));
    // RDS may leave out the ending of the file.
    await world.store.put(keyOf(2).replace('.sqlaudit', '.zip'), await zipped(2, 4));
    world.agents.follow();
    await until('all', () => world.statements.length === 4);
    expect(world.statements).toEqual(selects(1, 2, 3, 4));
    expect(world.agents.service.events[3]?.file).toBe(keyOf(2));
    expect(world.reads.filter((url) => url.endsWith('.zip'))).toHaveLength(2);
    await until('no file is left', () => readdirSync(unzippedFolder()).length === 0);
    expect(world.gaps).toEqual([]);
  });

  it('tells of half an archive, and takes it for a gap with its name once it will not be uploaded again', async () => {
    const whole = await zipped(0, 1, 2);
    await world.store.put(`${keyOf(0)}.zip`, whole.subarray(0, whole.length / 2));
    await world.store.put(keyOf(1), fileOf(1, 3));
    world.agents.follow();
    await until('the problem', () => world.reported?.includes('the archive is cut or damaged'));
    const path = `s3://audit-trail/${keyOf(0)}.zip`;
    await until('the status', () => world.agents.statusOf()?.problem?.includes(path));
    await world.store.put(`${keyOf(0)}.zip`, whole.subarray(0, whole.length / 2), LONG_AGO);
    await until('the gap', () => world.gaps.length > 0);
    expect(world.gaps[0]).toMatchObject({
      reason: 'UNREADABLE',
      fileName: keyOf(0),
      detail: expect.stringContaining('the archive is cut or damaged'),
    });
    await until('no problem', () => world.agents.statusOf()?.problem === null);
    expect(world.statements).toEqual(selects(3));
  });

  onLinux('takes a full disk for no fault of the store, and does not ask again at once', async () => {
    world.store.fault = (_, response) => {
      response.end('an archive');
      return true;
    };
    const stop = new AbortController().signal;
    const http = new StoreHttp({ clock: systemClock, stop, timeoutMs: 5_000, retryMs: 1 });
    const made = () => ({ method: 'GET' as const, url: world.store.url, headers: {} });
    for (let round = 1; round <= 2; round++) {
      await expect(http.send(made, '/dev/full')).rejects.toThrow('the data folder does not take it: ENOSPC');
      expect(http.traffic.requests).toBe(round);
    }
  });

  it.each([
    [500, 4],
    [429, 4],
    [428, 1],
    [499, 1],
    [304, 1],
  ])('is asked again at most three times where it answers %d: %d times in all', async (status, times) => {
    world.store.fault = (_, response) => {
      response.writeHead(status).end();
      return true;
    };
    const stop = new AbortController().signal;
    const http = new StoreHttp({ clock: systemClock, stop, timeoutMs: 5_000, retryMs: 1 });
    const answer = await http.send(() => ({ method: 'GET', url: world.store.url, headers: {} }));
    expect([answer.status, http.traffic.requests]).toEqual([status, times]);
  });

  it('is asked by sixteen requests at a time, whoever asks, and by the next one when one has ended', async () => {
    const held: ServerResponse[] = [];
    world.store.fault = (_, response) => held.push(response) > 0;
    const stop = new AbortController().signal;
    const asked = Array.from({ length: 40 }, () =>
      new StoreHttp({ clock: systemClock, stop, timeoutMs: 20_000, retryMs: 1 }).send(() => ({
        method: 'GET',
        url: world.store.url,
        headers: {},
      })),
    );
    for (const number of [16, 17, 18]) {
      await until(`request ${number}`, () => held.length >= number);
      held[number - 16]?.end();
    }
    world.store.fault = (_, response) => response.end() !== null;
    for (const response of held) response.end();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(world.store.mostAtOnce).toBe(16);
  });

  it('notes an object that goes before it is read, with its name, also while the collector is down', async () => {
    await world.store.put(keyOf(0), fileOf(0, 1));
    for (let i = 1; i < 9; i++) await world.store.put(keyOf(i), fileOf(i, i + 1));
    // The service takes nothing, so that the later files are listed and not begun.
    world.agents.service.fault = (_, response) => {
      response.writeHead(503).end();
      return true;
    };
    const agent = world.agents.follow();
    await until('a listing', () => existsSync(join(world.agents.dataDir, 'objects/7/Payroll/seen.json')));
    await agent.stop();
    world.agents.service.fault = () => false;
    for (const gone of [2, 7]) await world.store.remove(keyOf(gone));
    world.agents.follow();
    // A gap may be told twice: its end may be known later.
    const found = () => [...new Map(world.gaps.map((gap) => [gap.gapId, gap])).values()];
    await until('all that is left', () => world.statements.length === 7 && found().length >= 2);
    expect(world.statements).toEqual(selects(1, 2, 4, 5, 6, 7, 9));
    expect(
      found()
        .map(({ fileName }) => fileName)
        .sort(),
    ).toEqual([keyOf(2), keyOf(7)]);
    expect(found().every(({ reason }) => reason === 'FILE_DELETED')).toBe(true);
  });

  it.each<[string, (world: BucketWorld) => void, RegExp]>([
    [
      'expired credentials',
      ({ store }) => {
        for (const login of store.logins.values()) login.isExpired = true;
      },
      /the credentials have expired/,
    ],
    [
      'a wrong region',
      ({ store }) => {
        store.bucketRegion = 'eu-north-1';
      },
      /wrong region: the bucket audit-trail is in eu-north-1; correct S3.Region/,
    ],
    ['a wrong key', (it) => it.configure({ SecretAccessKey: 'another' }), /the secret access key is wrong/],
    ['an unknown key', (it) => it.configure({ AccessKeyId: 'AKIANOBODY' }), /does not know the access key/],
    ['another bucket', (it) => it.configure({ Bucket: 'another' }), /there is no such bucket/],
    [
      'a denied key of KMS',
      ({ store }) => {
        store.fault = (_, response) => {
          const text =
            '<Error><Code>AccessDenied</Code><Message>not authorized: kms:Decrypt</Message></Error>';
          response.writeHead(403).end(text);
          return true;
        };
      },
      /the key of KMS is denied/,
    ],
    ['an empty prefix', () => {}, /no audit file in s3:\/\/audit-trail\/rds\//],
    [
      'no store',
      (it) => it.configure({ Endpoint: 'http://127.0.0.1:1' }),
      /cannot be reached: .*ECONNREFUSED/,
    ],
  ])('says in status, report and check: %s', async (_, spoil, message) => {
    spoil(world);
    world.agents.follow();
    await until('the report', () => message.test(world.reported ?? ''));
    await until('the status', () => message.test(world.agents.statusOf()?.problem ?? ''));
    const { out, text } = capturedOutput();
    const { configPath } = world.agents;
    expect(await check({ configPath, timeoutMs: 2_000, out, becomeServiceUser: async () => [] })).toBe(1);
    expect(text()).toMatch(message);
    for (const shown of [text(), world.agents.log, JSON.stringify(world.agents.service.reports)])
      expect(shown).not.toContain(world.store.login.SecretAccessKey);
  });

  it('asks a store that refuses less and less often, and goes on by itself when it permits', async () => {
    world.configure({ ListIntervalMs: 200 });
    await world.store.put(keyOf(0), fileOf(0, 1));
    let isBroken = true;
    world.store.fault = (_, response) => {
      if (isBroken) refuse(response, 403, 'AccessDenied');
      return isBroken;
    };
    world.agents.follow();
    const begun = Date.now();
    await until('the report', () => world.reported?.includes('the store denies access'));
    await until('some requests', () => world.store.requests.length >= 3);
    expect(world.store.requests.length).toBeLessThanOrEqual((Date.now() - begun) / 200 + 2);
    isBroken = false;
    await until('the record', () => world.statements.length === 1);
    await until('no problem', () => world.reported === null);
  });
});

describe('the credentials of a collector', () => {
  let world: BucketWorld;
  beforeEach(async () => {
    world = await BucketWorld.create();
    await world.store.put(keyOf(0), fileOf(0, 1));
  });
  afterEach(() => world.close());
  const none = { AccessKeyId: null, SecretAccessKey: null };
  const file = (name: string, text: string): string => {
    mkdirSync(join(world.agents.folder, 'aws'), { recursive: true });
    const path = join(world.agents.folder, 'aws', name);
    writeFileSync(path, text);
    return path;
  };
  const section = (name: string) =>
    `[other]\naws_access_key_id = AKIAOTHER\naws_secret_access_key = x\n[${name}]\naws_access_key_id=${world.store.login.AccessKeyId}\naws_secret_access_key = ${world.store.login.SecretAccessKey}\n`;

  it.each<[string, () => [settings: object, env: Record<string, string>]]>([
    [
      'the environment',
      () => {
        const { AccessKeyId, SecretAccessKey } = world.store.login;
        return [none, { AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey }];
      },
    ],
    ['a file', () => [none, { AWS_SHARED_CREDENTIALS_FILE: file('credentials', section('default')) }]],
    [
      'a profile of a file',
      () => [
        { ...none, Profile: 'audit' },
        { AWS_SHARED_CREDENTIALS_FILE: file('credentials', section('audit')) },
      ],
    ],
    [
      'a role',
      () => [
        { RoleArn: 'arn:aws:iam::1:role/a', ExternalId: 'tenant-7' },
        { AWS_ENDPOINT_URL_STS: world.store.url },
      ],
    ],
    [
      'a web identity',
      () => [
        none,
        {
          AWS_SHARED_CREDENTIALS_FILE: '/none',
          AWS_WEB_IDENTITY_TOKEN_FILE: file('token', 'ey.token\n'),
          AWS_ROLE_ARN: 'arn:aws:iam::1:role/pod',
          AWS_ENDPOINT_URL_STS: world.store.url,
        },
      ],
    ],
    [
      'the instance',
      () => [
        none,
        { AWS_SHARED_CREDENTIALS_FILE: '/none', AWS_EC2_METADATA_SERVICE_ENDPOINT: world.store.url },
      ],
    ],
  ])('may come from %s', async (_, given) => {
    const [settings, env] = given();
    world.configure(settings);
    world.agents.env = env;
    expect([await world.agents.once(), world.agents.log]).toEqual([0, expect.any(String)]);
    expect(world.statements).toEqual(selects(1));
    for (const asked of world.store.assumed) expect(asked.get('ExternalId') ?? 'tenant-7').toBe('tenant-7');
    const kept = readFileSync(join(world.agents.dataDir, 'status.json'), 'utf8') + world.agents.log;
    expect(kept).not.toMatch(/secret of|token of|a\+secret|ey\.token/);
  });

  it('are fetched anew when they end before their time, and used at once when they are changed in the file', async () => {
    world.configure({ RoleArn: 'arn:aws:iam::1:role/a' });
    world.agents.env = { AWS_ENDPOINT_URL_STS: world.store.url };
    world.agents.follow();
    await until('the record', () => world.statements.length === 1);
    const [, login] = [...world.store.logins].find(([id]) => id.startsWith('ASIA')) ?? [];
    Object.assign(login ?? {}, { isExpired: true });
    await world.store.put(keyOf(1), fileOf(1, 2));
    await until('another record', () => world.statements.length === 2);
    expect(world.store.assumed).toHaveLength(2);
    world.store.logins.clear();
    await until('the refusal', () => world.reported !== null);
    world.store.logins.set(world.store.login.AccessKeyId, { secret: 'a new one' });
    world.configure({ SecretAccessKey: 'a new one' });
    await world.store.put(keyOf(2), fileOf(2, 3));
    await until('the last record', () => world.statements.length === 3);
  });
});
