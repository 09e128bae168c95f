import { hoursOfWeek, weekOfMs } from '../../src/store/rows/partitions';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const SEALED = '2026-01-06T00:00:00Z';
const [FIRST_HOUR, END_HOUR] = hoursOfWeek(weekOfMs(Date.parse(SEALED)));

describe.each(ENGINES)('the counts, words and columns of a sealed week on %s', (engine) => {
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

  const inWeek = 'hour >= $2::int AND hour < $3::int';
  const ask = async (sql: string) => {
    const rows = await store.query<{ row: string }>(
      `SELECT q::text AS row FROM (${sql}) q ORDER BY 1`,
      ...[store.tenantId, FIRST_HOUR, END_HOUR],
    );
    return rows.map(({ row }) => row);
  };
  /** All that is counted and indexed, in the week and beside it. */
  const state = async (isInside: boolean) => {
    const inside = isInside ? '' : 'NOT';
    const bucket = (grain: number, hours: number) =>
      `(grain = ${grain} AND ${inside} (bucket * ${hours} >= $2::int AND bucket * ${hours} < $3::int))`;
    return {
      counts: await ask(
        `SELECT grain, a, d, p, bucket, n, ok FROM audit_count WHERE tenant_id = $1::int AND n <> 0 AND (${bucket(1, 1)} OR ${bucket(2, 24)})`,
      ),
      words: await ask(
        `SELECT word, hour, n FROM audit_word WHERE tenant_id = $1::int AND ${inside} (${inWeek})`,
      ),
      columns: await ask(
        `SELECT hour, n, singles, times, action_id FROM audit_segment WHERE tenant_id = $1::int AND ${inside} (${inWeek})`,
      ),
    };
  };

  it('go but for the numbers of events, and are there again after a restore, with what came late', async () => {
    const made = (times: readonly string[]) =>
      store.checked(
        times.map((eventTime, i) => ({
          eventTime,
          databaseName: `d${i % 2}`,
          serverInstanceName: `s${i % 3}`,
          succeeded: i % 2 === 0,
        })),
      );
    const days = [5, 6, 6, 7, 11, 12, 13];
    await store.insert(made(days.map((day) => `2026-01-${String(day).padStart(2, '0')}T08:00:00Z`)));
    await trial.settle();
    const [inside, beside] = [await state(true), await state(false)];
    expect(inside.columns.length).toBeGreaterThan(2);

    expect(await trial.seal(SEALED)).toMatchObject({ outcome: 'sealed', events: 5 });
    const sealed = await state(true);
    expect(sealed).toMatchObject({ words: [], columns: [] });
    // For each hour and day its number, and for each day that of the events that are counted by instance.
    expect(sealed.counts.map((row) => row.replace(/\d+,\d+,\d+\)$/, ''))).toEqual([
      ...Array.from({ length: 4 }, () => '(1,0,0,0,'),
      ...Array.from({ length: 4 }, () => '(2,-1,0,0,'),
      ...Array.from({ length: 4 }, () => '(2,0,0,0,'),
    ]);
    expect(inside.counts).toEqual(expect.arrayContaining(sealed.counts));
    expect(await state(false)).toEqual(beside);

    const late = made(['2026-01-06T08:00:00Z', '2026-01-08T09:00:00Z']);
    await store.insert(late);
    expect(await trial.restore(SEALED)).toBe(5);
    await trial.settle();
    const restored = await state(true);
    expect(await state(false)).toEqual(beside);

    // As if nothing had been sealed.
    const other = await store.forNewTenant();
    const plain = await store.query<{ n: number }>(
      `INSERT INTO audit_delta (tenant_id, hour, action_id, database_name, server_principal_name, server_instance_name, n, ok)
       SELECT ${other.tenantId}, (('x' || translate(left(record_id::text, 13), '-', ''))::bit(48)::bigint / 3600000)::int,
         action_id, database_name, server_principal_name, server_instance_name, 1, CASE WHEN succeeded THEN 1 ELSE 0 END
       FROM audit_event WHERE tenant_id = $1::int RETURNING n`,
      store.tenantId,
    );
    expect(plain).toHaveLength(9);
    await trial.settle();
    const sums = (tenantId: number) =>
      store.query(
        `SELECT grain, a < -1 AS instance, a = -1 AS all_instances, a = 0 AS no_action, d = 0 AS no_database, bucket,
           sum(n)::int AS n, sum(ok)::int AS ok, count(*)::int AS rows
         FROM audit_count WHERE tenant_id = $1::int AND n <> 0 GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6`,
        tenantId,
      );
    expect(await sums(store.tenantId)).toEqual(await sums(other.tenantId));
    expect(restored.columns.length).toBeGreaterThan(inside.columns.length);
    expect(restored.words.length).toBeGreaterThan(0);
  });
});
