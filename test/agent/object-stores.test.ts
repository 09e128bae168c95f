import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Secret } from '../../agent/config/secret';
import { azureError } from '../../agent/source/azure/azure-error';
import { AzureStore } from '../../agent/source/azure/azure-store';
import { objectNameOf } from '../../agent/source/objects/object-name';
import type { StoredObject } from '../../agent/source/objects/object-store';
import { SeenObjects } from '../../agent/source/objects/seen-objects';
import { type StoreAnswer, StoreHttp } from '../../agent/source/objects/store-http';
import { unzip } from '../../agent/source/objects/unzip';
import { UnzippedFiles } from '../../agent/source/objects/unzipped-files';
import { xmlText, xmlTexts } from '../../agent/source/objects/xml';
import { isOfCredentials, s3Error } from '../../agent/source/s3/s3-error';
import { S3Store } from '../../agent/source/s3/s3-store';
import { parseAuditFileName, parseSourceName } from '../../agent/sqlaudit/audit-file-name';
import { FILETIME_UNIX_EPOCH } from '../../src/event/event-time';
import { temporaryFolder } from '../support/engines';
import { zipOf } from '../support/zip';

const GUID = 'AAAAAAAA-0000-4000-8000-00000000000A';
const created = (iso: string) => BigInt(Date.parse(iso)) * 10_000n + FILETIME_UNIX_EPOCH;

describe('a request to a store', () => {
  let server: Server;
  let answers: ((response: ServerResponse) => void)[];
  let asked: string[];
  let waits: number[];
  let stop: AbortController;
  let http: StoreHttp;
  let base: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.headers['x-attempt']}`);
      response.setHeader('Connection', 'close');
      (answers.shift() ?? (() => {}))(response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    [answers, asked, waits, stop] = [[], [], [], new AbortController()];
    const clock = {
      now: () => 0,
      elapsed: () => 0,
      wait: async (ms: number) => void waits.push(ms),
    };
    http = new StoreHttp({ clock, stop: stop.signal, timeoutMs: 30_000, retryMs: 70 });
  });
  const status =
    (code: number, text = '') =>
    (response: ServerResponse) =>
      void response.writeHead(code, { 'Content-Length': text.length }).end(text);
  const cut = (response: ServerResponse) => void response.destroy();
  const send = (path?: string, url = base) => {
    let attempt = 0;
    return http.send(async () => ({ method: 'GET', url, headers: { 'x-attempt': String(++attempt) } }), path);
  };

  it.each([
    ['an error of the store', status(500), status(503)],
    ['that it is asked too much', status(429), status(429)],
    ['a broken connection', cut, cut],
  ])('is made anew and sent again after %s, with longer and longer waits', async (_, first, second) => {
    answers = [first, second, status(200, 'object')];
    const { status: code, body } = await send();
    expect([code, String(body), asked, waits]).toEqual([
      200,
      'object',
      ['GET 1', 'GET 2', 'GET 3'],
      [70, 140],
    ]);
    expect(http.traffic.requests).toBe(3);
    expect(http.traffic.bytes).toBe(6);
  });

  it('is sent four times at most: then its last answer counts, or why there is none', async () => {
    answers = [500, 500, 500, 503, 200].map((code) => status(code, String(code)));
    expect(String((await send()).body)).toBe('503');
    expect([asked.length, waits]).toEqual([4, [70, 140, 280]]);
    answers = [cut, cut, cut, cut, status(200)];
    await expect(send()).rejects.toThrow('the store cannot be reached: ');
    expect(asked).toHaveLength(8);
  });

  it.each([400, 403, 404, 412])('is sent once where the store answers %i', async (code) => {
    answers = [status(code), status(200)];
    expect((await send()).status).toBe(code);
    expect([asked, waits]).toEqual([['GET 1'], []]);
  });

  it('ends with the agent', async () => {
    answers = [() => stop.abort()];
    await expect(send()).rejects.toMatchObject({ message: 'the agent stops', code: 'ECANCELED' });
    expect([asked.length, waits]).toEqual([1, []]);
  });

  it('writes an object into a file that nobody else reads, and no refusal', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'object');
    try {
      answers = [status(404, '<Code>NoSuchKey</Code>'), status(200, 'object')];
      expect(String((await send(path)).body)).toBe('<Code>NoSuchKey</Code>');
      await expect(stat(path)).rejects.toThrow('ENOENT');
      expect((await send(path)).body).toHaveLength(0);
      expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(['object', 0o600]);
      expect(http.traffic.bytes).toBe(28);
      answers = [status(200, 'x')];
      await expect(send(join(folder, 'none', 'object'))).rejects.toThrow('the data folder does not take it');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe.each(['S3', 'Azure'] as const)('an object of %s', (kind) => {
  let server: Server;
  let answer: readonly [status: number, body: string, headers?: Record<string, string>];
  let asked: { method: string; url: string; headers: Record<string, unknown> }[];
  const object: StoredObject = { key: 'p/a b', size: 9, mtimeMs: 0, version: '"v1"', canGrow: false };
  beforeAll(async () => {
    server = createServer(({ method = '', url = '', headers }, response) => {
      asked.push({ method, url, headers });
      response.writeHead(answer[0], { Connection: 'close', ...answer[2] }).end(answer[1]);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const store = () => {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = {
      clock: { now: () => Date.UTC(2026, 0, 5), elapsed: () => 0, wait: async () => {} },
      stop: new AbortController().signal,
      ...{ timeoutMs: 30_000, metadataTimeoutMs: 1_000, retryMs: 1, env: {} },
    };
    const s3 = {
      ...{ type: 'S3', bucket: 'b', prefix: 'p/', region: 'r1', endpoint, listIntervalMs: 20 },
      ...{ accessKeyId: 'id', secretAccessKey: new Secret('s'), sessionToken: null, profile: null },
      ...{ roleArn: null, externalId: null },
    };
    const azure = {
      ...{ type: 'AzureBlob', account: 'acc', container: 'b', prefix: 'p/', endpoint, listIntervalMs: 20 },
      ...{ sasToken: new Secret('sv=1&se=2030-01-01T00:00:00Z&sig=x'), accountKey: null },
      ...{ tenantId: null, clientId: null, clientSecret: null },
    };
    return kind === 'S3'
      ? new S3Store({ ...options, config: s3 } as never)
      : new AzureStore({ ...options, config: azure } as never);
  };
  const read = () =>
    store()
      .read(object, 2, 3)
      .then(String, ({ code, message }) => [code, message]);
  const missing = kind === 'S3' ? 'NoSuchBucket' : 'ContainerNotFound';

  it('is read in ranges of the version that was listed, also from a store that knows no ranges', async () => {
    answer = [206, 'cde'];
    expect(await read()).toBe('cde');
    answer = [200, 'abcdefghi'];
    expect(await read()).toBe('cde');
    const [{ method, url, headers } = { method: '', url: '', headers: {} }] = asked;
    expect([method, url.split('?')[0], headers.range ?? headers['x-ms-range'], headers['if-match']]).toEqual([
      'GET',
      '/b/p/a%20b',
      'bytes=2-4',
      '"v1"',
    ]);
  });

  it.each([
    ['another range', [206, 'cd'], 'ECHANGED'],
    ['less than all of it', [200, 'abcd'], 'ECHANGED'],
    ['that it is another one now', [412, ''], 'ECHANGED'],
    ['that it is shorter now', [416, ''], 'ECHANGED'],
    ['that it is gone', [404, '<Code>NoSuchKey</Code>'], 'ENOENT'],
  ] as const)('is not read where the store answers with %s', async (_, given, code) => {
    answer = given;
    expect(await read()).toEqual([code, expect.any(String)]);
  });

  it('is not gone where its bucket is, or where the store refuses', async () => {
    answer = [404, `<Code>${missing}</Code>`];
    expect(await read()).toEqual(['ESTORE', expect.stringContaining(`(${missing})`)]);
    answer = [403, '<Code>Other</Code>'];
    expect((await read())[0]).toBe('ESTORE');
    await expect(store().exists(object)).rejects.toThrow('the store');
    answer = [404, ''];
    expect(await store().exists(object)).toBe(false);
    answer = [200, ''];
    expect(await store().exists(object)).toBe(true);
    expect(asked.at(-1)?.method).toBe('HEAD');
  });

  it('that may grow is read in whatever version it has', async () => {
    answer = [206, 'cde'];
    await store().read({ ...object, canGrow: true }, 2, 3);
    expect(asked[0]?.headers['if-match']).toBe(kind === 'S3' ? '"v1"' : undefined);
  });
});

it('texts of XML are those of the first element of a name, with what stands for characters', () => {
  const xml =
    '<A><Key a="1">x&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;&#x110000;&none;</Key><Key>two</Key><Keys>3</Keys></A>';
  expect(xmlText(xml, 'Key')).toBe('x<>&"\'A😀\ufffd&none;');
  expect([xmlTexts(xml, 'Key').length, xmlText(xml, 'Keys'), xmlText(xml, 'None')]).toEqual([2, '3', '']);
  expect(xmlText('<K>&#x10FFFF;&AMP;</K>', 'K')).toBe('\u{10ffff}&');
});

describe('an archive', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => rm(folder, { recursive: true }));
  const unpacked = async (archive: Buffer) => {
    const [from, to] = [join(folder, 'a.zip'), join(folder, 'file')];
    await writeFile(from, archive);
    await unzip(from, to);
    return readFile(to, 'utf8');
  };
  const refusal = (archive: Buffer) =>
    unpacked(archive).then(
      () => null,
      ({ code, message }) => [code, message],
    );
  const one = ['file', Buffer.from('content of a file')] as const;

  it('has one file, which it brings whole', async () => {
    expect(await unpacked(await zipOf([one]))).toBe('content of a file');
    expect(await refusal(await zipOf([one, ['other', Buffer.from('x')]]))).toEqual([
      'EDAMAGED',
      'the archive has 2 files in place of one',
    ]);
    expect(await refusal(await zipOf([]))).toEqual(['EDAMAGED', 'the archive has 0 files in place of one']);
  });

  it('is damaged where a byte of it is another one, or its end is missing', async () => {
    const archive = await zipOf([one]);
    const directory = archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    const wrong = Buffer.from(archive);
    wrong.writeUInt32LE(wrong.readUInt32LE(directory + 16) ^ 1, directory + 16);
    expect(await refusal(wrong)).toEqual(['EDAMAGED', 'the archive is damaged: wrong checksum']);
    expect(await refusal(archive.subarray(0, -9))).toEqual([
      'EDAMAGED',
      expect.stringContaining('cut or damaged'),
    ]);
    expect(await refusal(Buffer.from('no archive'))).toEqual(['EDAMAGED', expect.any(String)]);
  });

  it('stays unpacked while it is in use, however large, and is unpacked anew when it is another one', async () => {
    const files = new UnzippedFiles(join(folder, 'unzipped'), 5);
    const object = (version: string): StoredObject => ({
      key: 'k',
      size: 1,
      mtimeMs: 0,
      version,
      canGrow: false,
    });
    let downloads = 0;
    const use = (version: string) =>
      files.pathOf(object(version), async (path) => {
        downloads++;
        await writeFile(path, await zipOf([one]));
      });
    const path = await use('v1');
    expect([await use('v1'), await readFile(path, 'utf8'), downloads]).toEqual([
      path,
      'content of a file',
      1,
    ]);
    expect([files.sizeOf(object('v1')), files.sizeOf(object('v2'))]).toEqual([17, null]);
    const next = await use('v2');
    expect([next === path, downloads, await readFile(next, 'utf8')]).toEqual([false, 2, 'content of a file']);
    await files.forget('k');
    expect(files.sizeOf(object('v2'))).toBeNull();
    await expect(stat(next)).rejects.toThrow('ENOENT');
  });
});

it('the objects that were seen are remembered, the oldest five thousand of them, and written once', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'seen', 'seen.json');
  const objects = Array.from({ length: 5_002 }, (_, n) => ({
    ...{ key: `k${n}`, size: n, mtimeMs: n, version: 'v', canGrow: n % 2 === 0 },
  }));
  try {
    const seen = new SeenObjects(path);
    expect(await seen.load()).toEqual({ newestMs: null, waiting: [] });
    await seen.save(7, objects);
    const { newestMs, waiting } = await new SeenObjects(path).load();
    expect([newestMs, waiting.length, waiting[0], waiting.at(-1)?.key]).toEqual([
      7,
      5_000,
      objects[0],
      'k4999',
    ]);
    const { ino } = await stat(path);
    await seen.save(7, objects);
    expect((await stat(path)).ino).toBe(ino);
    await seen.save(8, []);
    expect(await new SeenObjects(path).load()).toMatchObject({ newestMs: 8, waiting: [] });
    for (const damaged of ['{', '{"version":2,"newestMs":1,"waiting":[]}', '{"version":1}']) {
      await writeFile(path, damaged);
      expect(await seen.load()).toMatchObject({ newestMs: null, waiting: [] });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('the name of a file', () => {
  const FILE = `My_Audit_${GUID}_0_134120880000000000.sqlaudit`;
  const BLOB = 'Srv/Db/Audit/2026-01-05/09_15_02_7_0.xel';

  it.each([
    [FILE, `my_audit_${GUID.toLowerCase()}`, 134_120_880_000_000_000n],
    [
      `/var/opt/${FILE.replace('.sqlaudit', '.XEL')}`,
      `my_audit_${GUID.toLowerCase()}`,
      134_120_880_000_000_000n,
    ],
    [FILE.replace('134120880000000000', '1234567890123456'), null, null],
    ['audit.sqlaudit', null, null],
  ])('states the audit and its beginning: %s', (name, audit, at) => {
    expect(parseAuditFileName(name)).toEqual(audit && { audit, created: at });
  });

  it.each([
    [BLOB, 'srv/db/audit', created('2026-01-05T09:15:02.007Z')],
    [BLOB.replace('_7_0', '_120_3'), 'srv/db/audit', created('2026-01-05T09:15:02.120Z')],
    [BLOB.replace('05/', '05/RO/'), 'srv/db/audit/ro', created('2026-01-05T09:15:02.007Z')],
    [BLOB.replace('01-05', '13-05'), null, null],
    [`A/B/${FILE}`, `a/b/my_audit_${GUID.toLowerCase()}`, 134_120_880_000_000_000n],
  ])('of a store states its folders too: %s', (name, audit, at) => {
    expect(parseSourceName(name)).toEqual(audit && { audit, created: at });
  });

  it.each([
    ['a plain file', `p/${FILE}`, { name: `p/${FILE}`, isZip: false, seriesKey: `p/My_Audit_${GUID}_0_` }],
    [
      'an archive of it',
      `p/${FILE}.ZIP`,
      { name: `p/${FILE}`, isZip: true, seriesKey: `p/My_Audit_${GUID}_0_` },
    ],
    [
      'an archive without an ending of its own',
      'p/x.zip',
      { name: 'p/x.sqlaudit', isZip: true, created: null, series: 'p/x.zip' },
    ],
    ['a blob', BLOB, { name: BLOB, series: 'srv/db/audit', seriesKey: null }],
    [
      'a name that is too long, by its end',
      `${'p'.repeat(1_010)}/x.sqlaudit`,
      { name: `${'p'.repeat(989)}/x.sqlaudit` },
    ],
    ['another name', 'p/x.SQLAUDIT', { created: null, series: 'p/x.SQLAUDIT', seriesKey: null }],
  ])('says which objects of a store go on from each other: %s', (_, key, expected) => {
    expect(objectNameOf(key)).toMatchObject(expected);
  });

  it.each(['p/x.txt', 'x.sqlaudit.gz', `RDS_DAS_AUDIT_${FILE}`, `p/node12_RDS_DAS_AUDIT_${FILE}`])(
    'passes over %s',
    (key) => {
      expect(objectNameOf(key)).toBeNull();
    },
  );
});

describe('why a store refuses a request', () => {
  const answer = (
    status: number,
    code: string,
    more: { text?: string; headers?: object } = {},
  ): StoreAnswer => ({
    status,
    headers: { ...more.headers },
    body: Buffer.from(`<Error><Code>${code}</Code>${more.text ?? ''}</Error>`),
  });

  it.each<[number, string, object, RegExp]>([
    [403, 'AccessDenied', {}, /permit s3:ListBucket/],
    [403, 'AccessDenied', { text: '<Message>no kms:Decrypt</Message>' }, /permit the identity kms:Decrypt/],
    [403, 'SomethingElse', {}, /permit s3:ListBucket/],
    [400, 'SomethingElse', {}, /refuses the request \(SomethingElse\)/],
    [400, '', {}, /refuses the request \(HTTP 400\)/],
    [400, 'ExpiredToken', {}, /have expired \(ExpiredToken\): renew/],
    [301, '', { headers: { 'x-amz-bucket-region': 'eu-1' } }, /the bucket b is in eu-1; .*\(HTTP 301\)/],
    [307, '', {}, /wrong region: the bucket b is in another one/],
    [400, 'AuthorizationHeaderMalformed', { text: '<Region>eu-2</Region>' }, /is in eu-2/],
    [404, 'NoSuchBucket', {}, /no such bucket/],
  ])('S3: %i %s %j', (status, code, more, text) => {
    expect(s3Error(answer(status, code, more), 'b').message).toMatch(text);
    expect(isOfCredentials(answer(status, code))).toBe(code === 'ExpiredToken');
  });

  it.each<[number, string, object, boolean, RegExp]>([
    [403, 'AuthenticationFailed', {}, false, /the account key or SAS token is wrong/],
    [403, 'AuthenticationFailed', {}, true, /has expired, or is not valid yet/],
    [404, 'ContainerNotFound', {}, true, /no such container/],
    [
      403,
      'AuthenticationFailed',
      {
        text: '<AuthenticationErrorDetail>Signature not valid in the specified time frame</AuthenticationErrorDetail>',
      },
      false,
      /has expired, or is not valid yet/,
    ],
    [409, 'x', { headers: { 'x-ms-error-code': 'BlobArchived' } }, false, /rehydrate it there/],
    [400, 'x', {}, false, /refuses the request \(x\)/],
    [400, '', {}, false, /refuses the request \(HTTP 400\)/],
  ])('Azure: %i %s %j, with a SAS token that is over: %s', (status, code, more, isOver, text) => {
    expect(azureError(answer(status, code, more), isOver).message).toMatch(text);
  });
});
