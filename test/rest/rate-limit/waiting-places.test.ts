import { pino } from 'pino';
import { RedisLink } from '../../../src/caller/rate-limit/limiter';
import { type LeavePlace, SharedPlaces } from '../../../src/caller/rate-limit/waiting-places';
import { LIMITS } from '../../../src/limits';
import { REDIS_URL } from '../../support/engines';
import { TcpProxy } from '../../support/tcp-proxy';
import { until } from '../../support/until';

const onRedis = REDIS_URL ? describe : describe.skip;
const MAX = LIMITS.tailWaitingPerKey;
const LONG_MS = 60_000;

onRedis('places of calls that wait, of two instances on one Redis', () => {
  let links: RedisLink[];
  let proxy: TcpProxy;
  let one: SharedPlaces;
  let two: SharedPlaces;
  let holder: string;
  beforeEach(async () => {
    proxy = await TcpProxy.to(REDIS_URL);
    links = [REDIS_URL ?? '', proxy.url].map((url) => new RedisLink(url, pino({ level: 'silent' })));
    for (const link of links) await link.connected();
    [one, two] = links.map((link) => new SharedPlaces(link)) as [SharedPlaces, SharedPlaces];
    holder = `key-${Math.random()}`;
  });
  afterEach(async () => {
    for (const link of links) link.close();
    await proxy.close();
  });
  const taken = (places: SharedPlaces, count: number, ms = LONG_MS): Promise<(LeavePlace | null)[]> =>
    Promise.all(Array.from({ length: count }, () => places.take(holder, ms)));

  it('are counted over both instances, separately for each holder', async () => {
    const all = [...(await taken(one, 3)), ...(await taken(two, 3)), ...(await taken(one, 1))];
    expect(all.filter(Boolean)).toHaveLength(MAX);
    expect([one.waiting + two.waiting, await two.take(holder, LONG_MS)]).toEqual([MAX, null]);
    expect(await two.take(`${holder}-other`, LONG_MS)).not.toBeNull();
  });

  it('are free for the other instance when their calls have left', async () => {
    const [leave] = await taken(one, MAX);
    expect(await two.take(holder, LONG_MS)).toBeNull();
    leave?.();
    await until(
      () => two.take(holder, LONG_MS),
      (place) => place !== null,
    );
    expect(await one.take(holder, LONG_MS)).toBeNull();
  });

  it('become free after an instance is killed, when its calls would have ended', async () => {
    await taken(one, MAX - 1, 300);
    await taken(two, 1);
    links[0]?.close();
    // Each place has its own end.
    await until(
      () => taken(two, 1),
      () => two.waiting === MAX,
    );
    expect(await taken(two, 1)).toEqual([null]);
  });

  it('stay taken for as long as the longest of them, beside one that was to end sooner', async () => {
    await taken(one, 1);
    const [leave] = await taken(two, 1, 30);
    leave?.();
    const isOverAt = Date.now() + 60;
    await until(
      async () => Date.now(),
      (now) => now > isOverAt,
    );
    expect((await taken(two, MAX)).filter(Boolean)).toHaveLength(MAX - 1);
  });

  it('are counted by each instance on its own while Redis is lost', async () => {
    await taken(one, MAX);
    proxy.cut();
    const all = await taken(two, MAX + 1);
    expect(all.filter(Boolean)).toHaveLength(MAX);
  });
});
