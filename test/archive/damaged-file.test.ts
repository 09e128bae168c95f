import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Prisma } from '../../src/database/clients';
import { LIMITS } from '../../src/limits';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { sealedIn } from '../../src/store/archive/archive';
import { FileCache, type ListedFile } from '../../src/store/archive/file-cache';
import type { TenantFiles } from '../../src/store/archive/questions';
import { rowsByIds } from '../../src/store/archive/rows-by-id';
import type { Ask } from '../../src/store/columns/ask';
import { askBy } from '../../src/store/columns/counter';
import { PostgresArrivalReader } from '../../src/store/log/arrivals/stored-arrivals';
import { oneTenant, tenantSet } from '../../src/tenant-set';
import { ENGINES } from '../support/engines';
import { NO_FILTER } from '../support/filters';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const OLD = '2026-01-06T08:00:00.0000000Z';
const LATER = '2026-01-13T08:00:00.0000000Z';
const FLIPPED = `UPDATE audit_sealed_piece SET bytes = set_byte(bytes, 100, get_byte(bytes, 100) # 1)`;

describe.each(ENGINES)('a sealed week whose file is damaged, on %s', (engine) => {
  let base: Store;
  let trial: ArchiveTrial;
  beforeAll(async () => {
    base = await Store.open(engine);
    trial = await ArchiveTrial.open(base);
  });
  afterAll(async () => {
    await trial.close();
    await base.close();
  });

  async function sealed() {
    const store = await base.forNewTenant();
    const [old, later] = store.checked([{ eventTime: OLD }, { eventTime: LATER }]);
    if (!old || !later) throw new Error('two events were made');
    await store.insert([old, later]);
    await trial.settle();
    for (const time of [OLD, LATER]) {
      const { outcome } = await trial.seal(time, store.tenantId);
      expect(outcome).toBe('sealed');
    }
    const reader = new PostgresAuditEventReader(store.database.service);
    const find = ({ recordId }: { readonly recordId: string }) =>
      reader.find(oneTenant(store.tenantId), recordId);
    return { store, reader, find, old, later };
  }

  /** The piece of the file of the first week. */
  const ofFirstWeek = `WHERE tenant_id = $1::int AND sha256 = (
    SELECT w.sha256 FROM audit_sealed_week w WHERE w.tenant_id = $1::int ORDER BY w.week LIMIT 1)`;

  it.each([
    ['with another bit', FLIPPED],
    ['that is gone', 'DELETE FROM audit_sealed_piece'],
    ['that was cut', 'UPDATE audit_sealed_piece SET bytes = substring(bytes FROM 1 FOR 200)'],
  ])('is named where a piece %s is read, and the other week is answered', async (_what, change) => {
    const { store, find, old, later } = await sealed();
    await store.query(`${change} ${ofFirstWeek}`, store.tenantId);

    await expect(find(old)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('2026-01-05'),
    });
    expect(await find(later)).toMatchObject({ recordId: later.recordId });
  });

  it('is read again from the database when the copy on the local disk is gone', async () => {
    const { find, old } = await sealed();
    expect(await find(old)).toMatchObject({ recordId: old.recordId });
    await rm(path.join(trial.folder, 'cache'), { recursive: true });
    expect(await find(old)).toMatchObject({ recordId: old.recordId });
  });

  it('is fetched again where a start finds that the copy of an earlier run was changed', async () => {
    const { store, find, old } = await sealed();
    await find(old);
    const [file] = await store.query<ListedFile>(
      `SELECT w.tenant_id AS "tenantId", w.week, w.sha256 FROM audit_sealed_week w
       WHERE w.tenant_id = $1::int ORDER BY w.week LIMIT 1`,
      store.tenantId,
    );
    if (!file) throw new Error('a week was sealed');
    const copy = path.join(trial.folder, 'cache', `${file.sha256}.parquet`);
    const whole = await readFile(copy);
    await writeFile(copy, whole.subarray(1));
    const cache = new FileCache(path.dirname(copy), 1024 * 1024);
    const ask: Ask = <R extends object>({ text, values }: Prisma.Sql) =>
      store.database.owner.models.$queryRawUnsafe<R[]>(text, ...values);
    const read = await cache.using([file], ask, ([at = '']) => readFile(at));
    expect(read).toEqual(whole);
  });

  it('fails a read of the evidence log, which names its week', async () => {
    const { store } = await sealed();
    await store.query(`${FLIPPED} ${ofFirstWeek}`, store.tenantId);
    const arrivals = new PostgresArrivalReader(store.database.owner);
    await expect(
      arrivals.read(store.tenantId, 0, { positions: 9, events: 9, bytes: 10_000 }),
    ).rejects.toMatchObject({ code: 'service_unavailable', message: expect.stringContaining('2026-01-05') });
  });

  it('shows a tenant no event and no file of another one', async () => {
    const { old, store } = await sealed();
    const other = await sealed();
    const { service } = base.database;
    const reader = new PostgresAuditEventReader(service);
    const page = { filter: NO_FILTER, sort: 'recordId', descending: true, page: 1, pageSize: 10 } as const;
    expect(await reader.find(oneTenant(other.store.tenantId), old.recordId)).toBeNull();
    expect((await reader.page(oneTenant(other.store.tenantId), page)).totalCount).toBe(2);
    const seen = await service.snapshot(oneTenant(other.store.tenantId), async (step) =>
      sealedIn(service, askBy(step))?.hasAny(store.tenantId),
    );
    expect(seen).toBe(false);
  });

  it('refuses a question that counts by more values than memory holds, and names what to do', async () => {
    jest.replaceProperty(LIMITS, 'valuesOfFilesMax', 1 as never);
    const { store } = await sealed();
    const explorer = new PostgresAuditEventExplorer(store.database.service);
    const asked = { fields: ['actionId', 'hostName'], limit: 5, contains: null } as const;
    for (const search of [[], [{ kind: 'word', text: 'select' } as const]])
      await expect(
        explorer.facets(oneTenant(store.tenantId), { ...NO_FILTER, search }, asked),
      ).rejects.toMatchObject({
        code: 'invalid_parameter',
        message: expect.stringContaining('narrow the time range'),
      });
    jest.restoreAllMocks();
  });

  it('reaches the process of files in questions about its own tenant alone', async () => {
    const [one, other] = [await sealed(), await sealed()];
    const asked: { readonly tenantId: number; readonly paths: readonly string[] }[] = [];
    trial.openWith(
      new Proxy(trial.worker, {
        get: (of, name) => {
          const value = Reflect.get(of, name);
          if (typeof value !== 'function') return value;
          return (first: TenantFiles | { readonly files: TenantFiles }, ...more: unknown[]) => {
            asked.push('files' in first ? first.files : first);
            return value.call(of, first, ...more);
          };
        },
      }),
    );
    const { service } = base.database;
    const both = tenantSet([one, other].map(({ store }) => store.tenantId));
    const page = { filter: NO_FILTER, sort: 'recordId', descending: true, page: 1, pageSize: 10 } as const;
    expect((await new PostgresAuditEventReader(service).page(both, page)).totalCount).toBe(4);
    const ids = [one.old, one.later, other.old, other.later].map(({ recordId }) => recordId);
    expect(await rowsByIds(service, both, ids)).toHaveLength(4);
    trial.open();

    const files = await base.query<{ tenantId: number; sha256: string }>(
      'SELECT w.tenant_id AS "tenantId", w.sha256 FROM audit_sealed_week w',
    );
    const owners = new Map(files.map(({ tenantId, sha256 }) => [`${sha256}.parquet`, tenantId]));
    expect(new Set(asked.map(({ tenantId }) => tenantId))).toEqual(new Set(both));
    for (const { tenantId, paths } of asked)
      for (const file of paths) expect(owners.get(path.basename(file))).toBe(tenantId);
  });
});
