import { LIMITS } from '../../src/limits';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

describe('failed keys from one IPv6 network', () => {
  const at = useWorld(ANY_ENGINE, { trustProxy: ['loopback'] });
  afterEach(() => jest.restoreAllMocks());
  const tryFrom = async (address: string) =>
    (
      await at.world.fetch('/graphql', {
        method: 'POST',
        headers: { 'X-Api-Key': 'secret', 'X-Forwarded-For': address },
      })
    ).status;

  it('are limited together, since a /64 network has 2^64 addresses to guess from', async () => {
    const [tries, more] = [20, 5];
    jest.replaceProperty(LIMITS, 'failedAuthPerMinute', tries as never);
    const statuses: number[] = [];
    for (let i = 0; i < tries + more; i++)
      statuses.push(await tryFrom(`2001:db8:1:2:${i.toString(16)}::${i}`));
    expect(statuses).toEqual([...Array(tries).fill(401), ...Array(more).fill(429)]);
    expect(await tryFrom('2001:db8:1:3::1')).toBe(401);
    expect(await tryFrom('192.0.2.1')).toBe(401);
  });
});
