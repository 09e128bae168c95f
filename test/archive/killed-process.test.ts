import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { ProcessWorker } from '../../src/store/archive/open-worker';
import { oneTenant } from '../../src/tenant-set';
import { compiledService } from '../support/child-service';
import { describeOnPostgres } from '../support/engines';
import { NO_FILTER } from '../support/filters';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const WEEK = '2026-02-03T00:00:00Z';
const SILENCE_MS = 55_000;
const NEWEST = { filter: NO_FILTER, sort: 'recordId', descending: true, page: 1, pageSize: 10 } as const;

describeOnPostgres('a process of files that is killed', () => {
  let base: Store;
  let trial: ArchiveTrial;
  let worker: ProcessWorker;
  beforeAll(async () => {
    base = await Store.open('postgresql');
    trial = await ArchiveTrial.open(base);
    const program = path.join(await compiledService(), 'src/store/archive/worker-process.js');
    worker = new ProcessWorker({ memoryMb: 96, threads: 1, folder: trial.folder }, SILENCE_MS, program);
  }, 60_000);
  afterAll(async () => {
    await worker.close();
    await trial.close();
    await base.close();
  });

  async function aWeek() {
    const store = await base.forNewTenant();
    await store.insert(store.checked([1, 2, 3].map((i) => ({ eventTime: `2026-02-0${i + 2}T08:00:00Z` }))));
    await trial.settle();
    return store;
  }
  /** The worker, whose process ends while it does one kind of work. */
  const killedAt = (method: 'write' | 'leaves' | 'rowsAfter' | 'ids') =>
    new Proxy(worker, {
      get: (of, name) => {
        const value = Reflect.get(of, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          const answer = value.apply(of, given);
          if (name === method) killIt();
          return answer;
        };
      },
    });

  it.each(['write', 'leaves'] as const)(
    'at %s leaves the week in rows, which is sealed then',
    async (method) => {
      const store = await aWeek();
      const seal = (by: ProcessWorker) => {
        Object.assign(trial, { worker: by });
        return trial.seal(WEEK, store.tenantId);
      };
      await expect(seal(killedAt(method))).rejects.toMatchObject({ code: 'service_unavailable' });
      expect(await store.count()).toBe(3);
      expect(await seal(worker)).toMatchObject({ outcome: 'sealed', events: 3 });
      expect(await store.count()).toBe(0);

      Object.assign(trial, { worker: killedAt('rowsAfter') });
      await expect(trial.restore(WEEK, store.tenantId)).rejects.toMatchObject({
        code: 'service_unavailable',
      });
      expect(await store.count()).toBe(0);
      Object.assign(trial, { worker });
      expect(await trial.restore(WEEK, store.tenantId)).toBe(3);
      expect(await store.count()).toBe(3);
    },
  );

  it('at a question fails that one, and the next is answered', async () => {
    const store = await aWeek();
    Object.assign(trial, { worker });
    await trial.seal(WEEK, store.tenantId);
    const reader = new PostgresAuditEventReader(store.database.service);
    const ask = () => reader.page(oneTenant(store.tenantId), NEWEST);
    trial.openWith(killedAt('ids'));
    await expect(ask()).rejects.toMatchObject({ code: 'service_unavailable' });
    trial.openWith(worker);
    expect((await ask()).totalCount).toBe(3);
  });
});

/** Kills the children of this process that make and read files. */
function killIt(): void {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  for (const pid of children.trim().split(' '))
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker-process.js'))
      process.kill(Number(pid), 'SIGKILL');
}
