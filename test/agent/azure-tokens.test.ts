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
