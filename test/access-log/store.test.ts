import { randomUUID } from 'node:crypto';
import { type AccessFilter, changeOf, ownAttempt, storableName } from '../../src/caller/access-log';
import { PostgresAccessLogStore } from '../../src/caller/access-log.store';
import { PostgresTenantStore } from '../../src/caller/tenant.store';
import { LIMITS } from '../../src/limits';
import { AN_ATTEMPT } from '../support/attempt';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const NOW = new Date('2026-02-03T04:05:06.007Z');
const ANY: AccessFilter = {
  ...{ fromMs: null, toMs: null, keyId: null, tenantId: null, operation: null, outcome: null, search: null },
};

describe('what is stored of callers', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());
  afterEach(() => jest.restoreAllMocks());

  it('is searched as far as a look goes, which says where it ended unless that is the beginning', async () => {
    const log = new PostgresAccessLogStore(store.database);
    const operation = `op ${randomUUID()}`;
    const entries = [1, 2, 3, 4, 5].map((i) =>
      changeOf(ownAttempt(operation, new Date(NOW.getTime() + i), { filter: `Seen ${i % 2}` }), {
        subject: `s${i}`,
      }),
    );
    await log.append(entries);
    await log.append(entries.slice(1));
    const [oldest, ...later] = entries.map(({ entryId }) => entryId);
    const found = async (search: string, limit = 9, after: string | null = null) => {
      const { entries: own, lookedTo } = await log.newest({ ...ANY, operation, search }, limit, after);
      return [own.map(({ subject }) => subject), lookedTo];
    };
    expect(await found('seen 1')).toEqual([['s5', 's3', 's1'], null]);
    expect(await found('s4')).toEqual([['s4'], null]);
    expect(await found('s')).toEqual([['s5', 's4', 's3', 's2', 's1'], null]);
    expect(await found('seen 1', 2)).toEqual([['s5', 's3'], null]);
    jest.replaceProperty(LIMITS, 'accessLogSearchedMax', 2 as never);
    expect(await found('seen 1')).toEqual([['s5'], later[2]]);
    expect(await found('nothing', 9, later[2])).toEqual([[], later[0]]);
    expect(await found('seen 1', 9, later[0])).toEqual([['s1'], null]);
    expect(await found('seen 1', 9, oldest)).toEqual([[], null]);
  });

  it('is a name that fits, of characters that a database stores', () => {
    const long = 'x'.repeat(LIMITS.nameCharsMax + 1);
    expect(storableName(long)).toBe(long.slice(1));
    expect(storableName('a\u0000b\ud800')).toBe('a\ufffdb\ufffd');
  });

  it('is since when a tenant is disabled, and why; that of the first time stays until it is enabled', async () => {
    const tenants = new PostgresTenantStore(store.database.service);
    const { tenantId } = await tenants.create('Acme', 30, AN_ATTEMPT);
    const disabled = (hours: number, reason: string) => {
      const at = new Date(NOW.getTime() + hours * 3_600_000);
      return tenants.setDisabled(tenantId, { at, reason }, AN_ATTEMPT);
    };
    expect(await disabled(0, 'unpaid')).toMatchObject({ disabledAt: NOW, disabledReason: 'unpaid' });
    expect(await disabled(5, 'left')).toMatchObject({ disabledAt: NOW, disabledReason: 'left' });
    expect(await tenants.disabled()).toContain(tenantId);
    expect(await tenants.disabled(store.tenantId)).toEqual([]);
    expect(await tenants.setDisabled(tenantId, null, AN_ATTEMPT)).toMatchObject({
      ...{ disabledAt: null, disabledReason: null, retentionDays: 30 },
    });
    expect(await tenants.disabled()).not.toContain(tenantId);
    expect(await tenants.setDisabled(999_999, null, AN_ATTEMPT)).toBeNull();
  });
});
