import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../agent/clock';
import { Secret } from '../../agent/config/secret';
import { AzureStore } from '../../agent/source/azure/azure-store';
import { AzureTokens } from '../../agent/source/azure/azure-tokens';
import type { StoreHttp } from '../../agent/source/objects/store-http';

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
});

describe('the days of a container', () => {
  const DAYS = ['2026-01-02', '2026-01-03'].map((day) => `S/D/A/${day}/`);
  const tag = (name: string, text: string) => `<${name}>${text}</${name}>`;
  /** What lies directly below a prefix: a day has a file, and a folder of replicas with another one. */
  function below(prefix: string): string {
    const folders = prefix === 'S/D/A/' ? DAYS : DAYS.includes(prefix) ? [`${prefix}RO/`] : [];
    const blob = prefix === 'S/D/A/' ? '' : tag('Blob', tag('Name', `${prefix}09_15_02_120_0.xel`));
    return blob + folders.map((name) => tag('BlobPrefix', tag('Name', name))).join('');
  }

  it('are listed for replicas too, while enough of the primary is known', async () => {
    const server = createServer((request, response) => {
      const prefix = new URL(request.url ?? '', 'http://x').searchParams.get('prefix') ?? '';
      response.end(`<EnumerationResults>${below(prefix)}</EnumerationResults>`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const store = new AzureStore({
      config: {
        ...{ account: 'a', container: 'c', prefix: 'S/D/A/', sasToken: new Secret('sig=x') },
        ...{ accountKey: null, clientId: null },
        endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      } as never,
      ...{ env: {}, clock: systemClock, stop: new AbortController().signal },
      ...{ timeoutMs: 9_000, metadataTimeoutMs: 9_000, retryMs: 1 },
    });
    try {
      const taken: string[] = [];
      const isWhole = await store.list({
        from: () => null,
        take: ({ key }) => {
          taken.push(key.slice('S/D/A/2026-01-0'.length));
          return key.includes('/RO/');
        },
      });
      const name = '09_15_02_120_0.xel';
      expect([isWhole, taken]).toEqual([true, [`2/${name}`, `2/RO/${name}`, `3/RO/${name}`]]);
    } finally {
      server.close();
    }
  });
});
