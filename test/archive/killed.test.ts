import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import type { OwnerDoor } from '../../src/database/clients';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { restoreWeek } from '../../src/store/archive/restore-week';
import { sealWeek } from '../../src/store/archive/seal-week';
import { parseFileEntry } from '../../src/store/log/evidence/file-entry';
import { weekOfMs } from '../../src/store/rows/partitions';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { casesOf, SEED } from '../support/share';
import { Store } from '../support/store';
import { until } from '../support/until';
import { ArchiveTrial } from './archive-trial';

const WEEK = weekOfMs(Date.parse('2026-02-03T00:00:00Z'));
const EVENTS = 40;
/** More statements than a seal or a restore of so few events has: some are not interrupted. */
const STEPS_MAX = 24;

describeOnPostgres('a seal or restore whose connections end at any of its statements', () => {
  let store: Store;
  let trial: ArchiveTrial;
  let ids: readonly string[];
  beforeAll(async () => {
    store = await Store.open('postgresql');
    trial = await ArchiveTrial.open(store);
    const events = Array.from({ length: EVENTS }, (_, i) => {
      const event = anEvent({ eventTime: `2026-02-0${2 + (i % 7)}T08:00:00Z`, blockOffset: i });
      const result = checkEvent(store.tenantId, event, Date.now());
      if ('rejection' in result) throw new Error(result.rejection.message);
      return result.event;
    });
    ids = events.map(({ recordId }) => recordId).sort();
    await store.insert(events);
    await trial.settle();
    await trial.tenants.announce(store.tenantId);
  }, 60_000);
  afterAll(async () => {
    await trial.close();
    await store.close();
  });

  it(`leaves each event in rows or in a file, and each file with its entry (TEST_SEED=${SEED})`, async () => {
    let cut = 0;
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('seal' as const, 'restore' as const),
        fc.integer({ min: 1, max: STEPS_MAX }),
        async (kind, at) => {
          // Each case begins with the state that its work changes.
          const isSealed = (await filesOf(store)).length > 0;
          if (isSealed !== (kind === 'restore'))
            await onLiveConnections(() => (isSealed ? restore(trial, null) : seal(trial, null)));
          try {
            outcomes.add(String(await (kind === 'seal' ? seal : restore)(trial, at)));
          } catch {
            cut += 1;
          }
          await expectAll(store, trial, ids);
        },
      ),
      { numRuns: casesOf(__filename), seed: SEED, endOnFailure: true },
    );
    expect(cut).toBeGreaterThan(0);
  }, 300_000);
});

/** Work on connections of which some have ended: each is known to have ended once it was used. */
const onLiveConnections = (work: () => Promise<unknown>) =>
  until(
    () =>
      work().then(
        () => true,
        (error: Error) => {
          if (!/closed the connection|terminating connection/i.test(error.message)) throw error;
          return false;
        },
      ),
    (isDone) => isDone,
  );

const seal = async ({ store, worker, cache, folder }: ArchiveTrial, at: number | null) =>
  (
    await sealWeek(
      { owner: ending(store, at), key: TEST_CHECKPOINT_KEY, writer: worker, cache, folder },
      store.tenantId,
      WEEK,
    )
  ).outcome;
const restore = ({ store, worker, cache }: ArchiveTrial, at: number | null) =>
  restoreWeek({ owner: ending(store, at), writer: worker, cache }, store.tenantId, WEEK);

/** A door whose connections all end before one of its statements. @param at the number of the statement; null: none */
function ending(store: Store, at: number | null): OwnerDoor {
  const { owner } = store.database;
  let count = 0;
  const step = async () => {
    count += 1;
    if (count === at)
      await store.query(`SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
        WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()`);
  };
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(of, name) {
        const value = Reflect.get(of, name);
        if (typeof value !== 'function') return value;
        if (name === '$transaction')
          return (work: (tx: object) => unknown, ...how: unknown[]) =>
            value.call(
              of,
              async (tx: object) => {
                const done = await work(counted(tx));
                // Before the commit.
                await step();
                return done;
              },
              ...how,
            );
        return async (...given: unknown[]) => {
          await step();
          return value.apply(of, given);
        };
      },
    });
  const models = counted(owner.models);
  return new Proxy(owner, {
    get: (of, name) => {
      if (name === 'models') return models;
      const value = Reflect.get(of, name);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
}

interface ListedFile {
  readonly sha256: string;
  readonly bytes: string;
  readonly events: string;
}

const filesOf = (store: Store) =>
  store.query<ListedFile>(
    'SELECT w.sha256, w.bytes::text, w.events::text FROM audit_sealed_week w WHERE w.tenant_id = $1::int',
    store.tenantId,
  );

/** Every event is there once, and every file is whole and listed. */
async function expectAll(store: Store, trial: ArchiveTrial, ids: readonly string[]): Promise<void> {
  const { tenantId } = store;
  const rows = await store.query<{ id: string }>(
    'SELECT e.record_id::text AS id FROM audit_event e WHERE e.tenant_id = $1::int',
    tenantId,
  );
  const pieces = await store.query<{ sha256: string; bytes: Uint8Array }>(
    'SELECT p.sha256, p.bytes FROM audit_sealed_piece p WHERE p.tenant_id = $1::int ORDER BY p.sha256, p.part',
    tenantId,
  );
  const files = await filesOf(store);
  expect([...new Set(pieces.map(({ sha256 }) => sha256))]).toEqual(files.map(({ sha256 }) => sha256).sort());
  const hash = createHash('sha256');
  for (const { bytes } of pieces) hash.update(bytes);
  expect(files).toHaveLength(files.length > 0 ? 1 : 0);
  const entries = await store.query<{ entry: string }>(
    'SELECT n.entry FROM audit_sealed_entry n WHERE n.tenant_id = $1::int ORDER BY n.entry_id DESC',
    tenantId,
  );
  // The log says of each file that the week got it, and of no other.
  if (files[0]) expect(parseFileEntry(entries[0]?.entry ?? '')?.file.sha256).toBe(files[0].sha256);
  const waiting = await store.query(
    `SELECT q.batch_id::text AS id FROM audit_log_queue q WHERE q.tenant_id = $1::int AND q.batch_id::text NOT IN (
       SELECT n.entry_id::text FROM audit_sealed_entry n WHERE n.tenant_id = $1::int)`,
    tenantId,
  );
  expect(waiting).toEqual([]);
  if (files[0]) expect(hash.digest('hex')).toBe(files[0].sha256);
  const paths = files[0]
    ? [
        await fileWith(
          trial,
          pieces.map(({ bytes }) => bytes),
        ),
      ]
    : [];
  const inFiles = await trial.worker.known({ tenantId, paths }, ids);
  expect([...rows.map(({ id }) => id), ...inFiles].sort()).toEqual(ids);
}

async function fileWith({ folder }: ArchiveTrial, pieces: readonly Uint8Array[]): Promise<string> {
  const file = path.join(folder, 'checked.parquet');
  await writeFile(file, Buffer.concat(pieces));
  return file;
}
