import { toSummaryFilter } from '../../../src/event/query';
import { LIMITS } from '../../../src/limits';
import { Indexer } from '../../../src/modules/search/indexer';
import { kindOf } from '../../../src/store/columns/column-fields';
import { ColumnCounter, inSnapshot } from '../../../src/store/columns/counter';
import { Folder } from '../../../src/store/counts/fold';
import { oneTenant } from '../../../src/tenant-set';
import { AT_ONCE } from '../../support/at-once';
import { ANY_ENGINE } from '../../support/engines';
import { Store } from '../../support/store';

const VALUES = 50_000;
/** Of the processor, so that a machine that is busy with other work changes nothing. Reading the values takes some. */
const BLOCKED_MS_MAX = 500;
const usedMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const TOTAL = { windowMs: null, fields: [], hasOutcomes: false } as const;

describe('a filter with as many terms as there may be, on a tenant with many values', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
    await store.insert(store.checked([{ clientIp: '10.1.2.3' }, { clientIp: '192.0.2.1', blockOffset: 1 }]));
    await new Folder(store.database.migrator).run();
    await new Indexer(store.database.owner, AT_ONCE).run();
    await store.query(
      `INSERT INTO audit_dim (tenant_id, kind, value, dim_id)
       SELECT $1::int, $2::smallint, '172.' || n / 65536 || '.' || n / 256 % 256 || '.' || n % 256, 1000 + n
       FROM generate_series(1, $3::int) n`,
      ...[store.tenantId, kindOf('clientIp'), VALUES],
    );
  });
  afterAll(() => store.close());

  it.each([
    ['networks', (i: number) => `clientIp:10.${i}.0.0/16`],
    ['texts in any letter case', (i: number) => `clientIp~10.${i}.2.*`],
  ])('keeps no other call waiting while %s are compared', async (_, termOf) => {
    const terms = Array.from({ length: LIMITS.expressionTermsMax }, (_, i) => termOf(i));
    const filter = toSummaryFilter({ filter: terms.join(' OR '), startTime: undefined, endTime: undefined });
    let [longest, last] = [0, usedMs()];
    const beat = setInterval(() => {
      longest = Math.max(longest, usedMs() - last);
      last = usedMs();
    }, 5);
    const asked = inSnapshot(
      store.database.service,
      oneTenant(store.tenantId),
      filter,
      (counter: ColumnCounter) => counter.count(TOTAL),
    ).then(
      ({ total }) => total.n,
      ({ code }) => code,
    );
    // A slow machine may need longer than a question may take.
    const answer = await asked;
    clearInterval(beat);
    expect([1, 'service_unavailable']).toContain(answer);
    expect(longest).toBeLessThan(BLOCKED_MS_MAX);
  });
});
