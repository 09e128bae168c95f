import { LIMITS } from '../../../src/limits';
import { NewArrivals } from '../../../src/store/log/arrivals/new-arrivals';
import { describeOnPostgres } from '../../support/engines';
import { anEvent } from '../../support/events';
import { until } from '../../support/until';
import { QUICK_LOG, useLimits } from '../../support/use-limits';
import { useWorld } from '../../support/use-world';
import { PATH, sequenced } from './support';

const KEYS = 60;
const EVENTS = 400;

describeOnPostgres('300 calls of the tail that wait for the same', () => {
  useLimits(QUICK_LOG);
  const open = useWorld('postgresql');

  it('are all answered with the events, when these come', async () => {
    const acme = await open.world.tenant();
    await acme.ingest([anEvent()]);
    await sequenced(acme, 1);
    const { body } = await acme.get(PATH, { from: 'now' });
    const cursor = body.meta.nextCursor;
    const { tenantId } = acme;
    const keys = await Promise.all(
      Array.from({ length: KEYS }, async () => (await open.world.key({ tenantIds: [tenantId] })).key),
    );
    const waits = jest.spyOn(NewArrivals.prototype, 'wait');
    const query = new URLSearchParams({ cursor, wait: '20' });
    const calls = keys.flatMap((key) =>
      Array.from({ length: LIMITS.tailWaitingPerKey }, () =>
        open.world.fetch(`/api/v1/public${PATH}?${query}`, { headers: { 'X-Api-Key': key } }),
      ),
    );
    await until(
      () => waits.mock.calls.length,
      (count) => count >= calls.length,
    );
    waits.mockRestore();
    await acme.ingest(Array.from({ length: EVENTS }, () => anEvent({ statement: 'x'.repeat(1_000) })));
    const answers = await Promise.all(calls);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, text }) => [status, text])).toEqual([]);
    // A call may come too late for its turn. It then has the same cursor, and misses nothing.
    for (const { body: page } of answers) {
      const { data, meta } = page;
      if (data.length > 0) expect([data.length, meta.caughtUp]).toEqual([EVENTS, true]);
      else expect(meta).toMatchObject({ nextCursor: cursor, caughtUp: false, removed: 0 });
    }
    expect(answers.filter(({ body: page }) => page.data.length > 0).length).toBeGreaterThan(KEYS);
  });
});
