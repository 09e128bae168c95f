import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { oneTenant } from '../../src/tenant-set';
import { ENGINES } from '../support/engines';
import { NO_FILTER } from '../support/filters';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const PAGE = { filter: NO_FILTER, sort: 'recordId', descending: true, page: 1, pageSize: 100 } as const;
const TEXTS = [
  'SELECT 1',
  '',
  'it\'s\n"quoted" \\ \u{1F600}',
  'half \uD83D',
  'nul \0',
  '\uFEFFmark',
  '\u{10F800}',
];

describe.each(ENGINES)('sealing a week on %s', (engine) => {
  let store: Store;
  let trial: ArchiveTrial;
  beforeAll(async () => {
    store = await Store.open(engine);
    trial = await ArchiveTrial.open(store);
  });
  afterAll(async () => {
    await trial.close();
    await store.close();
  });

  it('puts the events of the week into a file that the log proves, and deletes their rows', async () => {
    const events = store.checked([
      ...TEXTS.map((statement, i) => ({
        eventTime: `2026-01-${String(5 + i).padStart(2, '0')}T08:00:00.000000${i}Z`,
        statement,
      })),
      { eventTime: '2026-01-12T00:00:00.0000000Z' },
      { eventTime: '2026-01-04T23:59:59.9999999Z' },
    ]);
    await store.insert(events);
    const reader = new PostgresAuditEventReader(store.database.service);
    const before = await reader.page(oneTenant(store.tenantId), PAGE);
    expect(before.totalCount).toBe(9);
    expect(await trial.seal('2026-01-07T00:00:00Z')).toMatchObject({ outcome: 'waits' });
    await trial.settle();

    expect(await trial.seal('2026-01-07T00:00:00Z')).toMatchObject({ outcome: 'sealed', events: 7 });
    expect(await store.count()).toBe(2);
    expect(await reader.page(oneTenant(store.tenantId), PAGE)).toEqual(before);
  });
});
