import { PostgresEvidenceStore } from '../../src/modules/evidence/evidence.store';
import { LogChecker } from '../../src/modules/evidence/log-check';
import { GoneSeal } from '../../src/store/log/arrivals/gone-seal';
import { PostgresArrivalReader } from '../../src/store/log/arrivals/stored-arrivals';
import { parseFileEntry } from '../../src/store/log/evidence/file-entry';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const WEEK = '2026-01-05T00:00:00.000Z';
const LATE = '2026-01-09T08:00:00.0000000Z';

describe.each(ENGINES)('the evidence log on %s', (engine) => {
  let base: Store;
  let store: Store;
  let trial: ArchiveTrial;
  beforeAll(async () => {
    base = await Store.open(engine);
  });
  afterAll(() => base.close());
  beforeEach(async () => {
    store = await base.forNewTenant();
    trial = await ArchiveTrial.open(store);
    await insert('2026-01-06T08:00:00.0000000Z', '2026-01-07T08:00:00.0000000Z');
    expect(await trial.seal(WEEK)).toMatchObject({ outcome: 'sealed', events: 2 });
    await trial.log.run();
  });
  afterEach(() => trial.close());

  const insert = async (...times: readonly string[]) => {
    await store.insert(store.checked(times.map((eventTime) => ({ eventTime }))));
    await trial.settle();
  };
  const change = <R extends object = object>(statement: string, ...values: readonly unknown[]) =>
    store.query<R>(statement, store.tenantId, ...values);
  const entries = async () => {
    const rows = await change<{ entry: string }>(
      'SELECT entry FROM audit_sealed_entry WHERE tenant_id = $1::int ORDER BY entry_id',
    );
    return rows.map(({ entry }) => parseFileEntry(entry));
  };
  const checked = () => {
    const { service } = store.database;
    const { keys, sequencer } = trial.log;
    const goneSeal = new GoneSeal([TEST_CHECKPOINT_KEY]);
    const evidence = new PostgresEvidenceStore(service);
    const checker = new LogChecker(evidence, new PostgresArrivalReader(service), keys, sequencer, goneSeal);
    return checker.check(store.tenantId, 0);
  };

  it('says which file a week was put into, and is sound', async () => {
    const [file] = await change(
      `SELECT w.sha256, w.bytes::float8 AS bytes, w.events::float8 AS events, w.first_id::text AS "firstId",
         w.last_id::text AS "lastId" FROM audit_sealed_week w WHERE w.tenant_id = $1::int`,
    );
    expect(await entries()).toEqual([
      expect.objectContaining({
        tenantId: String(store.tenantId),
        file: { week: WEEK, layout: 1, ...file },
      }),
    ]);
    expect(await checked()).toMatchObject({ signed: 3, sound: 3, wrong: 0, removed: 0, problems: [] });
  });

  it('has a place for it that no reader takes for a removed event', async () => {
    const reader = new PostgresArrivalReader(store.database.service);
    const limits = { positions: 1_000, events: 1_000, bytes: 1_000_000 };
    expect(await reader.read(store.tenantId, 0, limits)).toMatchObject({ next: 3, removed: 0, others: [2] });
    const text = await reader.readTexts([{ tenantId: store.tenantId, from: 0 }], { ...limits, events: 1 });
    expect(text).toMatchObject([{ next: 1, removed: 0, others: [] }]);
  });

  it('says it again when late events are put into a new file, and after a restore the week needs none', async () => {
    await insert(LATE);
    expect(await trial.seal(WEEK)).toMatchObject({ outcome: 'sealed', events: 3 });
    await trial.log.run();
    expect((await entries()).map((entry) => entry?.file.events)).toEqual([2, 3]);
    expect(await checked()).toMatchObject({ sound: 5, wrong: 0, problems: [] });
    await trial.restore(WEEK);
    expect(await checked()).toMatchObject({ sound: 5, wrong: 0, problems: [] });
  });

  it('names a week whose file and list were changed together', async () => {
    const [before] = await change<{
      sha256: string;
      bytes: Uint8Array;
    }>(`SELECT w.sha256, p.bytes FROM audit_sealed_week w JOIN audit_sealed_piece p
      ON p.tenant_id = w.tenant_id AND p.sha256 = w.sha256 WHERE w.tenant_id = $1::int`);
    await insert(LATE);
    await trial.seal(WEEK);
    await trial.log.run();
    await change(
      'UPDATE audit_sealed_piece SET sha256 = $2::text, bytes = $3::bytea WHERE tenant_id = $1::int',
      before?.sha256,
      before?.bytes,
    );
    await change(
      'UPDATE audit_sealed_week SET sha256 = $2::text, bytes = $3::bigint WHERE tenant_id = $1::int',
      before?.sha256,
      before?.bytes.length,
    );
    const { problems } = await checked();
    expect(problems).toEqual([
      expect.stringMatching(
        /^The week 2026-01-05 has the file [0-9a-f]{64}, and the log says that it was put into [0-9a-f]{64}\.$/,
      ),
    ]);
  });

  it('names the entry of a file that the database has no text of any more, or another one', async () => {
    const [entry] = await entries();
    await change(
      `UPDATE audit_sealed_entry SET entry = replace(entry, '"file"', '"fale"') WHERE tenant_id = $1::int`,
    );
    expect(await checked()).toMatchObject({ sound: 2, missing: [entry?.entryId] });
    await change('DELETE FROM audit_sealed_entry WHERE tenant_id = $1::int');
    expect(await checked()).toMatchObject({ sound: 2, missing: [entry?.entryId] });
  });
});
