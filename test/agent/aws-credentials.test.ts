import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Secret } from '../../agent/config/secret';
import type { StoreHttp } from '../../agent/source/objects/store-http';
import { AwsChain } from '../../agent/source/s3/aws-credentials';
import type { S3Config } from '../../agent/source/s3/s3-config';
import { temporaryFolder } from '../support/engines';

const T = Date.UTC(2026, 0, 5, 8);
const CONFIG: S3Config = {
  type: 'S3',
  bucket: 'b',
  prefix: '',
  region: null,
  endpoint: null,
  accessKeyId: null,
  secretAccessKey: null,
  sessionToken: null,
  profile: null,
  roleArn: null,
  externalId: null,
  listIntervalMs: 1_000,
};
const OWN = { accessKeyId: 'own', secretAccessKey: new Secret('s') };
const IN_ENVIRONMENT = { AWS_ACCESS_KEY_ID: 'environment', AWS_SECRET_ACCESS_KEY: 's' };
const CONTAINER = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials' };

describe('the credentials of a collector of S3', () => {
  let home: string;
  let nowMs: number;
  let asked: { url: string; body: string; authorization: unknown }[];
  beforeEach(async () => {
    home = await temporaryFolder();
    nowMs = T;
    asked = [];
  });
  afterEach(() => rm(home, { recursive: true }));

  /** Every answer is of an hour, and numbers its key. */
  const http = {
    send: async (make: Parameters<StoreHttp['send']>[0]) => {
      const { url, headers, body = [] } = await make();
      const { authorization, Authorization = authorization } = headers as Record<string, unknown>;
      asked.push({ url, body: body.map(String).join(''), authorization: Authorization });
      const given = {
        AccessKeyId: `k${asked.length}`,
        SecretAccessKey: 's',
        Token: 't',
        Expiration: new Date(nowMs + 3_600_000).toISOString(),
      };
      const isSts = url.includes('sts.');
      const xml = Object.entries({ ...given, SessionToken: 't' }).map(
        ([name, text]) => `<${name}>${text}</${name}>`,
      );
      const text = isSts
        ? xml.join('')
        : url.endsWith('/security-credentials/')
          ? 'the-role\n'
          : JSON.stringify(given);
      return { status: 200, headers: {}, body: Buffer.from(text) };
    },
  } as StoreHttp;
  const chainOf = (config: Partial<S3Config>, env: Readonly<Record<string, string>> = {}) =>
    new AwsChain({
      config: { ...CONFIG, ...config },
      region: 'eu-central-1',
      env: { HOME: home, ...env },
      http,
      metadata: http,
      nowMs: () => nowMs,
    });
  const keyOf = async (chain: AwsChain) => (await chain.get()).accessKeyId;
  const putFile = async (...lines: readonly string[]) => {
    await mkdir(path.join(home, '.aws'));
    await writeFile(path.join(home, '.aws/credentials'), lines.join('\n'));
  };

  it('are fetched anew five minutes before they end, and when they were refused', async () => {
    const chain = chainOf({}, CONTAINER);
    const keys = [];
    for (const ms of [0, 3_299_999, 3_300_000, 3_300_001]) {
      nowMs = T + ms;
      keys.push(await keyOf(chain));
    }
    expect(keys).toEqual(['k1', 'k1', 'k2', 'k2']);
    chain.drop();
    expect(await keyOf(chain)).toBe('k3');
  });

  it('are those of the configuration, then of the environment, of the file, of the container, of the instance', async () => {
    expect(await keyOf(chainOf(OWN, { ...IN_ENVIRONMENT, ...CONTAINER }))).toBe('own');
    expect(await keyOf(chainOf({}, { ...IN_ENVIRONMENT, ...CONTAINER }))).toBe('environment');
    expect(asked).toEqual([]);
    expect(await keyOf(chainOf({}, CONTAINER))).toBe('k1');
    expect(await keyOf(chainOf({}))).toBe('k4');
    expect(asked.map(({ url }) => new URL(url).pathname)).toEqual([
      '/v2/credentials',
      '/latest/api/token',
      '/latest/meta-data/iam/security-credentials/',
      '/latest/meta-data/iam/security-credentials/the-role',
    ]);
    await putFile('[default]', 'aws_access_key_id = file', 'aws_secret_access_key = s');
    expect(await keyOf(chainOf({}, CONTAINER))).toBe('file');
    await expect(chainOf({ profile: 'other' }, IN_ENVIRONMENT).get()).rejects.toThrow(
      'the profile other has no access key',
    );
  });

  it('of a container are asked for with the token of its file, as it stands there now', async () => {
    const file = path.join(home, 'token');
    const chain = chainOf({}, { ...CONTAINER, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file });
    for (const token of ['one', 'two']) {
      await writeFile(file, `${token}\n`);
      chain.drop();
      await chain.get();
    }
    expect(asked.map(({ authorization }) => authorization)).toEqual(['one', 'two']);
  });

  it('are those of the section that is asked for, and of no other', async () => {
    await putFile(
      ...['[default]', 'aws_access_key_id=a', 'aws_secret_access_key=s'],
      ...['[profile audit]', ' AWS_ACCESS_KEY_ID = b ', 'aws_secret_access_key=s', 'aws_session_token='],
      ...['[half]', 'aws_access_key_id=c'],
    );
    expect(await chainOf({}, { AWS_PROFILE: 'audit' }).get()).toEqual({
      accessKeyId: 'b',
      secretAccessKey: 's',
      sessionToken: undefined,
      endMs: null,
    });
    expect(await keyOf(chainOf({ profile: 'default' }, { AWS_PROFILE: 'audit' }))).toBe('a');
    await expect(chainOf({ profile: 'half' }).get()).rejects.toThrow('the profile half has no access key');
  });

  it('are of the role that the configuration names, which they ask for, signed, with its external id', async () => {
    const role = { roleArn: 'arn:aws:iam::1:role/r', externalId: new Secret('e') };
    expect(await chainOf({ ...OWN, ...role }).get()).toMatchObject({
      accessKeyId: 'k1',
      endMs: T + 3_600_000,
    });
    expect(asked[0]?.url).toBe('https://sts.eu-central-1.amazonaws.com/');
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toMatchObject({
      Action: 'AssumeRole',
      RoleArn: role.roleArn,
      ExternalId: 'e',
    });
    expect(asked[0]?.authorization).toContain('Credential=own/');
    await writeFile(path.join(home, 'token'), 'web\n');
    const web = { AWS_WEB_IDENTITY_TOKEN_FILE: path.join(home, 'token'), AWS_ROLE_ARN: 'arn:w' };
    expect(await keyOf(chainOf({}, { ...web, ...CONTAINER }))).toBe('k2');
    expect(asked[1]?.authorization).toBeUndefined();
    expect(asked[1]?.body).toContain('WebIdentityToken=web&');
  });
});
