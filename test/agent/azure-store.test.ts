import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../agent/clock';
import { Secret } from '../../agent/config/secret';
import { AzureStore } from '../../agent/source/azure/azure-store';
import { AzureTokens } from '../../agent/source/azure/azure-tokens';
import type { StoredObject } from '../../agent/source/objects/object-store';
import type { StoreHttp, StoreRequest } from '../../agent/source/objects/store-http';

describe('the tokens of a collector of Azure', () => {
  it('are fetched anew five minutes before they end, and when one was refused', async () => {
    let nowMs = Date.UTC(2026, 0, 5, 8);
    let asked = 0;
    const http = {
      send: async () => {
        asked += 1;
        const body = Buffer.from(JSON.stringify({ access_token: `t${asked}`, expires_in: '3600' }));
        return { status: 200, headers: {}, body };
      },
    } as unknown as StoreHttp;
    const tokens = new AzureTokens({
      ...{ config: {} as never, env: {}, http, metadata: http },
      nowMs: () => nowMs,
    });
    const got: string[] = [];
    for (const ms of [0, 3_299_999, 1, 3_299_999]) {
      nowMs += ms;
      got.push(await tokens.get());
    }
    expect(got).toEqual(['t1', 't1', 't2', 't2']);
    tokens.drop();
    expect(await tokens.get()).toBe('t3');
  });

  it('are asked of the app that it runs in, else of its machine, each by its own interface', async () => {
    const asked: string[] = [];
    const http = {
      send: async (request: () => { readonly url: string }) => {
        const { host, searchParams } = new URL(request().url);
        asked.push(`${host} ${searchParams.get('api-version')}`);
        return { status: 200, headers: {}, body: Buffer.from('{"access_token":"t","expires_in":9}') };
      },
    } as unknown as StoreHttp;
    for (const env of [{}, { IDENTITY_ENDPOINT: 'http://app.example/token', IDENTITY_HEADER: 'x' }])
      await new AzureTokens({ config: {} as never, env, http, metadata: http, nowMs: () => 0 }).get();
    expect(asked).toEqual(['169.254.169.254 2018-02-01', 'app.example 2019-08-01']);
  });

  it.each([
    ['a secret', { AZURE_CLIENT_SECRET: ' s+1 ' }, { client_secret: ' s+1 ' }],
    [
      'the token of a file, without its end of line',
      { AZURE_FEDERATED_TOKEN_FILE: 'token' },
      {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: 'a.b.c',
      },
    ],
  ])('are asked of Microsoft Entra with %s', async (_, given, proof) => {
    const folder = mkdtempSync(join(tmpdir(), 'azure-'));
    const file = join(folder, 'token');
    writeFileSync(file, 'a.b.c\r\n');
    const asked: unknown[] = [];
    const http = {
      send: async (request: () => StoreRequest) => {
        const { method, url, body = [] } = request();
        asked.push([
          method,
          url,
          Object.fromEntries(new URLSearchParams(Buffer.concat([...body]).toString())),
        ]);
        return { status: 200, headers: {}, body: Buffer.from('{"access_token":"t","expires_in":9}') };
      },
    } as unknown as StoreHttp;
    const env = {
      ...{ AZURE_TENANT_ID: 'o/1', AZURE_CLIENT_ID: 'c', ...given },
      ...('AZURE_FEDERATED_TOKEN_FILE' in given && { AZURE_FEDERATED_TOKEN_FILE: file }),
    };
    try {
      await new AzureTokens({ config: {} as never, env, http, metadata: http, nowMs: () => 0 }).get();
    } finally {
      rmSync(folder, { recursive: true });
    }
    const scope = 'https://storage.azure.com/.default';
    expect(asked).toEqual([
      [
        ...['POST', 'https://login.microsoftonline.com/o%2F1/oauth2/v2.0/token'],
        { grant_type: 'client_credentials', client_id: 'c', scope, ...proof },
      ],
    ]);
  });
});

/** A container of which some text tells what lies directly below a prefix. */
async function withContainer(
  { prefix, below }: { prefix: string; below: (prefix: string) => string },
  use: (store: AzureStore) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? '', 'http://x').searchParams.get('prefix') ?? '';
    response.end(`<EnumerationResults>${below(asked)}</EnumerationResults>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const store = new AzureStore({
    config: {
      ...{ account: 'a', container: 'c', prefix, sasToken: new Secret('sig=x') },
      ...{ accountKey: null, clientId: null },
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    } as never,
    ...{ env: {}, clock: systemClock, stop: new AbortController().signal },
    ...{ timeoutMs: 9_000, metadataTimeoutMs: 9_000, retryMs: 1 },
  });
  try {
    await use(store);
  } finally {
    server.close();
  }
}
const tag = (name: string, text: string) => `<${name}>${text}</${name}>`;
const folders = (names: readonly string[]) =>
  names.map((name) => tag('BlobPrefix', tag('Name', name))).join('');
const blob = (name: string) => tag('Blob', tag('Name', name));
const NAME = '09_15_02_120_0.xel';

it('the days of a container are listed for replicas too, while enough of the primary is known', async () => {
  const days = ['2026-01-02', '2026-01-03'].map((day) => `S/D/A/${day}/`);
  /** A day has a file, and a folder of replicas with another one. */
  const below = (prefix: string) =>
    prefix === 'S/D/A/'
      ? folders(days)
      : blob(prefix + NAME) + (days.includes(prefix) ? folders([`${prefix}RO/`]) : '');
  await withContainer({ prefix: 'S/D/A/', below }, async (store) => {
    const taken: string[] = [];
    const { isEnd } = await store.list({
      from: () => null,
      take: ({ key }) => {
        taken.push(key.slice('S/D/A/2026-01-0'.length));
        return key.includes('/RO/');
      },
    });
    expect([isEnd, taken]).toEqual([true, [`2/${NAME}`, `2/RO/${NAME}`, `3/RO/${NAME}`]]);
  });
});

it('a listing of a container with too many folders goes on the next time where it stopped', async () => {
  const databases = Array.from({ length: 300 }, (_, n) => `S/\u{10000}${1_000 + n}/`);
  const levels = ['A/', '2026-01-02/', 'RO/'];
  /** Each database has four folders, the last of which has a file: 1,200 folders below that of the server. */
  const below = (prefix: string) => {
    if (prefix === 'S/') return folders(['S/\uffff/', ...databases]);
    if (prefix === 'S/\uffff/') return '';
    const level = prefix.split('/').length - 3;
    return level < levels.length ? folders([prefix + levels[level]]) : blob(prefix + NAME);
  };
  await withContainer({ prefix: 'S/', below }, async (store) => {
    const listed = async () => {
      const taken: string[] = [];
      const take = ({ key }: StoredObject) => taken.push(key) > 0;
      return { ...(await store.list({ from: () => null, take })), taken };
    };
    const all = databases.map((one) => `${one}A/2026-01-02/RO/${NAME}`);
    for (let pass = 0; pass < 2; pass++) {
      expect(await listed()).toEqual({ isBegin: true, isEnd: false, taken: all.slice(0, 249) });
      expect(await listed()).toEqual({ isBegin: false, isEnd: true, taken: all.slice(249) });
    }
  });
});
