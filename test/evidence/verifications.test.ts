import type { LogCheck } from '../../src/modules/evidence/log-check';
import { Verifications } from '../../src/modules/evidence/verifications';
import { ONE_ENGINE } from '../support/engines';
import { Store } from '../support/store';
import { useLimits } from '../support/use-limits';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 4, 1);

describe.each(ONE_ENGINE)('the verifications of an evidence log on %s', (engine) => {
  useLimits({ verificationsKept: 3 });
  let store: Store;
  let verifications: Verifications;
  let nowMs = START_MS;
  beforeAll(async () => {
    store = await Store.open(engine);
    verifications = new Verifications(store.database.service, store.database.owner, () => nowMs);
  });
  afterAll(() => store.close());

  const check = (more: Pick<LogCheck, 'from' | 'next' | 'signed'> & Partial<LogCheck>): LogCheck => ({
    ...{ unsigned: 0, sound: 0, removed: 0, removedByRetention: 0, erased: 0, altered: [], missing: [] },
    ...{ wrong: 0, problems: [] },
    ...more,
  });
  /** Notes stretches, a minute after one another. */
  const note = async (tenantId: number, ...checks: Parameters<typeof check>[0][]) => {
    for (const one of checks) {
      nowMs += 60_000;
      await verifications.note(tenantId, check(one));
    }
  };
  const ended = async (tenantId: number, fromMs = 0) =>
    (await verifications.ended(tenantId, new Date(fromMs), new Date(nowMs))).map(
      ({ entries, wrong, problem }) => [entries, wrong, problem],
    );

  it('are walks from the first entry to the last, whose findings add up', async () => {
    const { tenantId } = await store.forNewTenant();
    await note(tenantId, { from: 0, next: 40, signed: 90, wrong: 1 });
    expect(await ended(tenantId)).toEqual([]);
    await note(tenantId, { from: 40, next: 80, signed: 90, problems: ['One. "é"', 'Two.'] });
    await note(tenantId, { from: 80, next: 95, signed: 95, wrong: 2, problems: ['Three.'] });
    expect(await ended(tenantId)).toEqual([[95, 3, 'One. "é"']]);
  });

  it('are none where a stretch is missing, whatever came before', async () => {
    const { tenantId } = await store.forNewTenant();
    await note(
      tenantId,
      ...[
        { from: 0, next: 40, signed: 90 },
        { from: 60, next: 90, signed: 90 },
      ],
    );
    expect(await ended(tenantId)).toEqual([]);
  });

  it('have not ended one entry before the end', async () => {
    const { tenantId } = await store.forNewTenant();
    await note(tenantId, { from: 0, next: 89, signed: 90 });
    expect(await ended(tenantId)).toEqual([]);
    await note(tenantId, { from: 89, next: 90, signed: 90 });
    expect(await ended(tenantId)).toEqual([[90, 0, null]]);
  });

  it('are told apart where two operators walk at once', async () => {
    const { tenantId } = await store.forNewTenant();
    await note(
      tenantId,
      ...[
        { from: 0, next: 40, signed: 90, wrong: 1 },
        { from: 0, next: 50, signed: 90, wrong: 1 },
        { from: 50, next: 90, signed: 90 },
        { from: 40, next: 90, signed: 90, wrong: 4 },
      ],
    );
    expect(await ended(tenantId)).toEqual([
      [90, 5, null],
      [90, 1, null],
    ]);
  });

  it('are of their tenant and their period, and only the newest are kept', async () => {
    const [{ tenantId }, other] = [await store.forNewTenant(), await store.forNewTenant()];
    await note(other.tenantId, { from: 0, next: 7, signed: 7 });
    for (const signed of [1, 2, 3, 4, 5]) {
      nowMs += DAY_MS;
      await note(tenantId, { from: 0, next: signed, signed });
    }
    expect(await ended(tenantId)).toEqual([
      [5, 0, null],
      [4, 0, null],
      [3, 0, null],
    ]);
    expect(await ended(tenantId, nowMs - DAY_MS)).toEqual([[5, 0, null]]);
    const { auditLogVerification: table } = store.database.owner.models;
    expect(await table.count({ where: { tenantId } })).toBe(3);
    expect(await ended(other.tenantId)).toEqual([[7, 0, null]]);
  });

  it('forget a walk that nobody went on with for a day', async () => {
    const { tenantId } = await store.forNewTenant();
    await note(tenantId, { from: 0, next: 40, signed: 90 });
    nowMs += DAY_MS;
    await note(tenantId, { from: 0, next: 10, signed: 90 }, { from: 40, next: 90, signed: 90 });
    expect(await ended(tenantId)).toEqual([]);
  });
});
