import { DAY_MS } from '../../src/event/event-time';
import { LIMITS } from '../../src/limits';
import { ManageArchive } from '../../src/modules/archive/manage-archive';
import { forgetWeeks } from '../../src/store/archive/forget-week';
import { AN_ATTEMPT } from '../support/attempt';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const END_MS = Date.parse('2026-01-12T00:00:00Z');
const WEEK = '2026-01-05T00:00:00.000Z';

describe('a week that an operator has sealed', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  it('is listed with the newest first, of its tenant alone', async () => {
    const [own, other] = [await store.forNewTenant(), await store.forNewTenant()];
    const put = (tenantId: number, week: number) =>
      store.query(
        `INSERT INTO audit_sealed_week (tenant_id, week, layout, sha256, bytes, events, first_id, last_id)
         VALUES ($1, $2, 1, $3, 5, 6, gen_random_uuid(), gen_random_uuid())`,
        ...[tenantId, week, `${tenantId}${week}`.padStart(64, '0')],
      );
    for (const week of [2_920, 2_922, 2_921]) await put(own.tenantId, week);
    await put(other.tenantId, 2_923);
    const manage = new ManageArchive(store.database.owner, {} as never, {} as never, Date.now);
    const weeks = (await manage.list(String(own.tenantId), 2)).map(({ tenantId, week }) => [tenantId, week]);
    expect(weeks).toEqual([
      [String(own.tenantId), '2026-01-05T00:00:00.000Z'],
      [String(own.tenantId), '2025-12-29T00:00:00.000Z'],
    ]);
    await store.query('DELETE FROM audit_sealed_week');
  });

  it('has been over for as many days as late events may take, by the clock that is behind', async () => {
    const asked: number[] = [];
    const seal = async (_: number, week: number) => {
      asked.push(week);
      return { outcome: 'sealed', events: 3 };
    };
    const { owner } = store.database;
    const outcomeAt = async (nowMs: number) => {
      const manage = new ManageArchive(owner, {} as never, { seal } as never, () => nowMs);
      const time = '2026-01-11T23:59:59.9999999Z';
      return manage.seal(String(store.tenantId), time, AN_ATTEMPT);
    };
    const due = END_MS + LIMITS.archiveAfterDaysMin * DAY_MS;
    expect(await outcomeAt(due - 1)).toMatchObject({
      ...{ tenantId: String(store.tenantId), week: WEEK, outcome: 'waits', events: 0 },
      because: 'the week has not been over for long enough',
    });
    expect(asked).toEqual([]);
    expect(await outcomeAt(due)).toMatchObject({ week: WEEK, outcome: 'sealed', events: 3, because: null });
    expect(asked).toHaveLength(1);
    // The call that moved nothing has its entry too; that of the other one is written by who seals.
    const entries = await store.query<{ rows: number }>(
      'SELECT row_count AS rows FROM access_log WHERE operation = $1 AND $2::int = ANY(tenant_ids) AND row_count = 0',
      ...[AN_ATTEMPT.operation, store.tenantId],
    );
    expect(entries).toHaveLength(1);
  });
});

it('the files of weeks are deleted with their entries, and those of the weeks beside them stay', async () => {
  const store = await Store.open(ANY_ENGINE);
  try {
    const [own, other] = [await store.forNewTenant(), await store.forNewTenant()];
    const hashOf = (tenantId: number, week: number) => `${tenantId}${week}`.padStart(64, '0');
    const put = async (tenantId: number, week: number) => {
      const sha256 = hashOf(tenantId, week);
      await store.query(
        `INSERT INTO audit_sealed_week (tenant_id, week, layout, sha256, bytes, events, first_id, last_id)
         VALUES ($1, $2, 1, $3, 1, 6, gen_random_uuid(), gen_random_uuid())`,
        ...[tenantId, week, sha256],
      );
      await store.query(
        `INSERT INTO audit_sealed_piece (tenant_id, sha256, part, bytes) VALUES ($1, $2, 0, '\\x00')`,
        ...[tenantId, sha256],
      );
    };
    for (const week of [2_919, 2_920, 2_921, 2_922]) await put(own.tenantId, week);
    await put(other.tenantId, 2_920);
    await store.database.owner.models.$transaction((tx) =>
      forgetWeeks(tx, own.tenantId, { from: 2_920, to: 2_922 }),
    );
    const left = [
      [own.tenantId, hashOf(own.tenantId, 2_919)],
      [own.tenantId, hashOf(own.tenantId, 2_922)],
      [other.tenantId, hashOf(other.tenantId, 2_920)],
    ];
    for (const table of ['audit_sealed_week', 'audit_sealed_piece']) {
      const rows = await store.query<{ tenant: number; sha256: string }>(
        `SELECT tenant_id AS tenant, sha256 FROM ${table} ORDER BY tenant_id, sha256`,
      );
      expect(rows.map(({ tenant, sha256 }) => [tenant, sha256])).toEqual(left);
    }
  } finally {
    await store.close();
  }
});
