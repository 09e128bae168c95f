import { toSummaryFilter } from '../../src/event/query';
import { LIMITS } from '../../src/limits';
import { inSnapshot } from '../../src/store/columns/counter';
import { seenValues } from '../../src/store/columns/seen';
import { sumByColumns } from '../../src/store/columns/sum';
import { oneTenant } from '../../src/tenant-set';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const WEEK = '2026-02-03T00:00:00Z';
const MANY = 40;
const FIELDS = ['hostName', 'applicationName'] as const;

describe.each(ENGINES)('more values in a file than it is asked for groups on %s', (engine) => {
  let store: Store;
  let trial: ArchiveTrial;
  let replaced: { restore(): void };
  beforeAll(async () => {
    replaced = jest.replaceProperty(LIMITS, 'groupsCountedMax', (MANY / 4) as never);
    store = await Store.open(engine);
    trial = await ArchiveTrial.open(store);
  });
  afterAll(async () => {
    replaced.restore();
    await trial.close();
    await store.close();
  });

  it('are all seen and all added up, before and after the week is sealed', async () => {
    await store.insert(
      store.checked(
        Array.from({ length: MANY }, (_, i) => ({
          eventTime: `2026-02-03T0${i % 8}:10:00.0000000Z`,
          hostName: `H${i}`,
          applicationName: `A${i % 3}`,
          additional: { responseRows: i - 1 },
        })),
      ),
    );
    await trial.settle();
    const filter = toSummaryFilter({ filter: undefined, startTime: '2026-02-03', endTime: '2026-02-04' });
    const ask = () =>
      inSnapshot(store.database.service, oneTenant(store.tenantId), filter, async (counter) => {
        const seen = await seenValues(counter, FIELDS);
        const { sum, events } = await sumByColumns(counter, 'responseRows');
        return [FIELDS.map((field) => seen.get(field)?.size), sum, events];
      });
    const whole = [[MANY, 3], ((MANY - 2) * (MANY - 1)) / 2, MANY - 2];
    expect(await ask()).toEqual(whole);
    expect(await trial.seal(WEEK)).toMatchObject({ outcome: 'sealed' });
    expect(await ask()).toEqual(whole);
  });
});
