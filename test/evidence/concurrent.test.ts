import fc from 'fast-check';
import { pino } from 'pino';
import type { OwnerDoor } from '../../src/database/clients';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { Sequencer } from '../../src/modules/evidence/sequencer';
import { checkCheckpoints } from '../../src/modules/evidence/verify/checkpoints';
import { leafHashOf } from '../../src/store/log/evidence/entry';
import { tenantSet } from '../../src/tenant-set';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { seeingSteps } from '../support/recorded-statements';
import { Store } from '../support/store';
import { LogTrial, Memory } from './support';

const hexOf = (recordId: string) => recordId.replaceAll('-', '');
const log = pino({ level: 'silent' });

/** An owner's door whose statements fail now and then, also in the middle of a transaction. */
function failing(owner: OwnerDoor, isDue: () => boolean): OwnerDoor {
  const failNow = () => {
    if (isDue()) throw new Error('killed');
  };
  const models = new Proxy(owner.models, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        const result = await call(...args);
        if (String(name).includes('Raw')) failNow();
        return result;
      };
    },
  });
  return { ...seeingSteps(owner, failNow), models };
}

describe.each(ENGINES)('the evidence log under concurrency on %s', (engine) => {
  let base: Store;
  beforeAll(async () => {
    base = await Store.open(engine);
  });
  afterAll(() => base.close());

  it('has each accepted event once when writers and sequencers work at the same time and fail', async () => {
    const store = await base.forNewTenant();
    const trial = new LogTrial(store);
    // Transactions on one connection would wait for each other, so only PostgreSQL gets more instances.
    const others =
      engine === 'postgresql'
        ? await Promise.all([1, 2].map(() => Store.on(base.place, store.tenantId)))
        : [];
    const memory = new Memory();
    let calls = 0;
    const sequencers = [store, ...others].map(
      ({ database }) =>
        new Sequencer(
          failing(database.owner, () => ++calls % 7 === 0),
          { own: TEST_CHECKPOINT_KEY, others: [], former: [] },
          memory,
          log,
          0,
        ),
    );
    const events = store.checked(
      Array.from({ length: 1_200 }, (_, i) => ({
        eventTime: `2026-01-0${5 + (i % 4)}T0${i % 10}:00:00.0000000Z`,
      })),
    );
    const batches = Array.from({ length: 24 }, (_, i) => events.slice(i * 50, i * 50 + 50 + (i % 3) * 40));
    let isWriting = true;
    const taking = sequencers.map(async (sequencer) => {
      while (isWriting || calls <= 50) await sequencer.run().catch(() => {});
    });
    const writers = [store, ...others];
    const receipts: number[] = [];
    const writing = writers.map(async ({ writer }, w) => {
      for (const batch of batches.filter((_, i) => i % writers.length === w || i % 5 === 0))
        receipts.push(await writer.insert(store.tenantId, batch));
    });
    await Promise.all(writing).finally(() => {
      isWriting = false;
    });
    await Promise.all(taking);
    await trial.run();
    for (const other of others) await other.disconnect();
    const entries = (await trial.entries()).map(([id]) => id);
    expect(receipts.reduce((sum, n) => sum + n, 0)).toBe(1_200);
    expect(calls).toBeGreaterThan(50);
    expect(entries.toSorted()).toEqual(events.map(({ recordId }) => hexOf(recordId)).toSorted());
    expect(trial.problem).toBeNull();
    const { recordIds, leafHashes } = await trial.log.entries(store.tenantId, 0);
    const checkpoints = (await trial.log.checkpoints(store.tenantId, 0)).map(({ note }) => note);
    expect(checkpoints.length).toBeGreaterThan(0);
    const about = {
      waitingEvents: 0,
      refusedEvents: 0,
      problem: null,
      removals: [],
      erasures: [],
      sealed: { fileEntries: [], files: [] },
      holes: [],
      proofs: [],
      timeStamps: [],
      before: null,
    };
    const { publicKey } = trial.log;
    const copy = {
      ...about,
      tenantId: String(store.tenantId),
      publicKey,
      checkpoints,
      recordIds,
      leafHashes,
    };
    expect(checkCheckpoints(copy, [publicKey], [])).toMatchObject({ problems: [], spoilt: [] });
  });

  it('has one hash for an event as it was sent, stored and read again, whatever its texts', async () => {
    const store = await base.forNewTenant();
    const trial = new LogTrial(store);
    const reader = new PostgresAuditEventReader(store.database.service);
    const text = fc
      .array(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 8 }),
          fc.constantFrom('\ud83d', '\ude00', '\0', '\ufeff', '\u{10F801}'),
        ),
        { maxLength: 3 },
      )
      .map((parts) => parts.join(''));
    const value = fc.oneof(
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
    );
    const names = text.filter(
      (name) => !['file', 'fileGuid', 'blockOffset', 'index', 'parts'].includes(name),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            statement: text,
            hostName: text,
            additional: fc.dictionary(names, value, { maxKeys: 4 }),
          }),
          { minLength: 1, maxLength: 20 },
        ),
        async (changes) => {
          const events = store.checked(changes.map((change) => anEvent(change)));
          await store.insert(events);
          await trial.run();
          const logged = new Map(await trial.entries());
          for (const { recordId } of events) {
            const found = await reader.find(tenantSet([store.tenantId]), recordId);
            expect(found && leafHashOf(found)).toBe(logged.get(hexOf(recordId)));
          }
        },
      ),
      { numRuns: 15 },
    );
  });
});
