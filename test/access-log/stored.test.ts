import fc from 'fast-check';
import {
  type AccessEntry,
  type AccessFilter,
  entryOf,
  ownAttempt,
  parametersText,
  storableName,
} from '../../src/caller/access-log';
import { PostgresAccessLogStore } from '../../src/caller/access-log.store';
import { PostgresTenantStore } from '../../src/caller/tenant.store';
import { LIMITS } from '../../src/limits';
import { AN_ATTEMPT } from '../support/attempt';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';

const ANY = {
  fromMs: null,
  toMs: null,
  keyId: null,
  tenantId: null,
  operation: null,
  outcome: null,
  search: null,
};
const DAY_MS = 86_400_000;
const T0 = Date.parse('2026-01-05T08:00:00Z');

describe.each(ENGINES)('the store of the access log on %s', (engine) => {
  let store: Store;
  let log: PostgresAccessLogStore;
  beforeAll(async () => {
    store = await Store.open(engine);
    log = new PostgresAccessLogStore(store.database);
  });
  afterAll(() => store.close());

  let operations = 0;
  /** @returns a name of an operation that no other test uses */
  const operation = () => `operation${++operations}`;
  const anEntry = (name: string, at: number, change: Partial<AccessEntry> = {}): AccessEntry => ({
    ...entryOf(ownAttempt(name, new Date(at)), { outcome: 'ok', rows: 1 }),
    ...change,
  });

  const newest = async (filter: AccessFilter) => (await log.newest(filter, 9, null)).entries;

  it('returns entries exactly as they were given, whatever their texts', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 5 }), async (texts) => {
        const name = operation();
        const entries = texts.map(([a, b], i) =>
          anEntry(name, T0 + i, {
            keyId: storableName(a),
            keyName: storableName(b),
            userName: storableName(a + b),
            parameters: parametersText({ [a]: b, b: [a] }),
            tenantIds: [i + 1_000, 7_000],
            rows: null,
            subject: storableName(b),
            outcome: 'forbidden',
            requestId: 'r',
            address: '::1',
          }),
        );
        await log.append(entries);
        expect(await newest({ ...ANY, operation: name })).toEqual(entries.reverse());
      }),
      { numRuns: 15 },
    );
  });

  it('finds entries by a text of their parameters, in any letter case, and by their subject', async () => {
    const name = operation();
    const given = [
      { parameters: parametersText({ filter: 'objectName:"Pay roll" AND principalName:CORP\\svc' }) },
      { parameters: parametersText({ recordId: '01a20d6d-7d28-8000-8b8d-8e7dbb0a8e1b' }) },
      { parameters: '{}', subject: '4711' },
      { parameters: parametersText({ page: 47 }), subject: '47110' },
    ];
    await log.append(given.map((change, i) => anEntry(name, T0 + i, change)));
    const found = async (search: string) =>
      (await newest({ ...ANY, operation: name, search })).map(({ at }) => at.getTime() - T0);
    expect(await found('"pay ROLL"')).toEqual([0]);
    expect(await found('CORP\\svc')).toEqual([0]);
    expect(await found('01A20D6D-7d28-8000-8b8d-8e7dbb0a8e1b')).toEqual([1]);
    expect(await found('4711')).toEqual([2]);
    expect(await found('%')).toEqual([]);
    expect(await found('e')).toEqual([3, 1, 0]);
  });

  it('looks at a bounded number of entries for a text, and goes on from there', async () => {
    const name = operation();
    const read = (i: number) => parametersText({ search: i % 4 === 0 ? 'salary' : 'other' });
    await log.append(Array.from({ length: 9 }, (_, i) => anEntry(name, T0 + i, { parameters: read(i) })));
    const bound = jest.replaceProperty(LIMITS, 'accessLogSearchedMax', 3 as never);
    try {
      const pages: (readonly number[])[] = [];
      let after: string | null = null;
      do {
        const { entries, lookedTo } = await log.newest(
          { ...ANY, operation: name, search: 'SALARY' },
          2,
          after,
        );
        pages.push(entries.map(({ at }) => at.getTime() - T0));
        after = lookedTo;
      } while (after !== null);
      expect(pages).toEqual([[8], [4], [0], []]);
    } finally {
      bound.restore();
    }
  });

  it('stores an entry once, however often it is given', async () => {
    const name = operation();
    const [a, b] = [anEntry(name, T0), anEntry(name, T0)];
    await Promise.all([log.append([a]), log.append([a, b]), log.append([b, a])]);
    expect(await newest({ ...ANY, operation: name })).toHaveLength(2);
  });

  it('refuses every change of an entry', async () => {
    const name = operation();
    await log.append([anEntry(name, T0)]);
    for (const sql of [`UPDATE access_log SET rows = 9`, `UPDATE access_log SET key_name = 'x' WHERE false`])
      await expect(store.query(sql.replace('rows', 'row_count'))).rejects.toThrow('cannot be changed');
    expect(await newest({ ...ANY, operation: name })).toMatchObject([{ rows: 1, keyName: null }]);
  });

  it('removes the oldest entries before a time, a bounded number at once, and records the removal', async () => {
    const name = operation();
    const ages = [800, 700, 600, 500, 1];
    await log.append(ages.map((days) => anEntry(name, T0 - days * DAY_MS)));
    const left = async () =>
      (await newest({ ...ANY, operation: name })).map((e) => (T0 - e.at.getTime()) / DAY_MS);
    const before = T0 - 500 * DAY_MS;
    expect(await log.removeBefore(before, 2)).toBe(2);
    expect(await left()).toEqual([1, 500, 600]);
    expect(await log.removeBefore(before, 2)).toBe(1);
    expect(await log.removeBefore(before, 2)).toBe(0);
    expect(await left()).toEqual([1, 500]);
    const said = await newest({ ...ANY, operation: 'accessLogRetention' });
    expect(said.map(({ principalKind, rows }) => [principalKind, rows])).toEqual([
      ['service', 1],
      ['service', 2],
    ]);
    expect(JSON.parse(said[0]?.parameters ?? '')).toEqual({ before: new Date(before).toISOString() });
  });

  it('commits an entry together with its change, or neither of them', async () => {
    const tenants = new PostgresTenantStore(store.database.service);
    const before = await tenants.list();
    const attempt = { ...AN_ATTEMPT, operation: operation(), at: new Date(T0) };
    await store.query('ALTER TABLE access_log RENAME TO access_log_away');
    try {
      await expect(tenants.create('Unseen', null, attempt)).rejects.toThrow();
    } finally {
      await store.query('ALTER TABLE access_log_away RENAME TO access_log');
    }
    expect(await tenants.list()).toEqual(before);
    const { tenantId } = await tenants.create('Seen', null, attempt);
    expect(await newest({ ...ANY, tenantId })).toMatchObject([{ subject: String(tenantId), rows: 1 }]);
  });
});
