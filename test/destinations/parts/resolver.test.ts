import 'reflect-metadata';
import { DestinationResolver } from '../../../src/modules/destinations/destination.resolver';
import type { DestinationManager } from '../../../src/modules/destinations/manage-destinations';
import { SharedDestination } from './support/shared-destination';

const NOW_MS = Date.parse('2026-01-05T08:00:00Z');
const AT = new Date(NOW_MS + 5_000);

describe('a destination as operators see it', () => {
  const shown = async (change: object, reason: string | null = null) => {
    const { row } = new SharedDestination([], {
      settings: { url: 'https://x.example/', ca: 'PEM', index: 'i' },
      ...change,
    });
    const manager = { list: async () => [row], publicKey: () => null } as unknown as DestinationManager;
    const [one] = await new DestinationResolver(
      manager,
      { pauseOf: () => reason },
      () => NOW_MS,
    ).destinations({ tenantId: undefined });
    return one;
  };

  it('has its settings, but for its URL and the text of its certificates', async () => {
    expect(await shown({})).toMatchObject({
      url: 'https://x.example/',
      settings: { ca: 'given', index: 'i' },
    });
    expect(await shown({ settings: { url: 'https://x.example/' } })).toMatchObject({ settings: {} });
  });

  it.each([
    [
      { state: 'active', attempts: 2 },
      null,
      { state: 'failing', pauseReason: null, nextAttemptAt: AT.toISOString() },
    ],
    [{ state: 'active', attempts: 0 }, null, { state: 'active', pauseReason: null, nextAttemptAt: null }],
    [{ state: 'active', attempts: 0 }, 'restored', { state: 'paused', pauseReason: 'restored' }],
    [{ state: 'paused', attempts: 0 }, 'restored', { state: 'paused', pauseReason: null }],
  ])('that is %j, and is held back because of %s, has %j', async (change, reason, fields) => {
    expect(await shown({ ...change, nextAttemptAt: AT }, reason)).toMatchObject(fields);
  });

  it('lags by the positions it has not passed, and never by less than none', async () => {
    expect(await shown({ logSize: 9, position: 4 })).toMatchObject({ lagEvents: 5, position: '4' });
    expect(await shown({ logSize: 9, position: 10 })).toMatchObject({ lagEvents: 0 });
  });
});
