import { pino } from 'pino';
import { parseNote } from '../../src/evidence/checkpoint';
import type { CheckpointMemory } from '../../src/evidence/checkpoint-memory';
import { EvidenceLog } from '../../src/evidence/evidence-log';
import type { CheckpointKey } from '../../src/evidence/note-key';
import { PostgresEvidenceStore } from '../../src/postgres/evidence/evidence.store';
import { Sequencer } from '../../src/postgres/evidence/sequencer';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import type { EngineName } from '../support/engines';
import { Store } from '../support/store';

export class Memory implements CheckpointMemory {
  readonly notes = new Map<number, string>();
  async last(tenantId: number) {
    const note = this.notes.get(tenantId);
    return note === undefined ? null : parseNote(note);
  }
  async remember(tenantId: number, note: string) {
    this.notes.set(tenantId, note);
  }
}

/** What `useLog` gives: a tenant of its own for each test. */
export interface LogPlace {
  store: Store;
  trial: LogTrial;
}

/** The evidence log of a new tenant for each test of a describe block, on one database. */
export function useLog(engine: EngineName): LogPlace {
  const place = {} as LogPlace;
  let base: Store;
  beforeAll(async () => {
    base = await Store.open(engine);
  });
  beforeEach(async () => {
    place.store = await base.forNewTenant();
    place.trial = new LogTrial(place.store);
  });
  afterAll(() => base.close());
  return place;
}

/** The evidence log of a store, without a service. */
export class LogTrial {
  readonly memory = new Memory();
  readonly sequencer: Sequencer;
  readonly log: EvidenceLog;

  constructor(
    readonly store: Store,
    key: CheckpointKey = TEST_CHECKPOINT_KEY,
    former: readonly string[] = [],
  ) {
    const { migrator, ask } = store.database;
    const silent = pino({ level: 'silent' });
    this.sequencer = new Sequencer(migrator, { own: key, former }, this.memory, silent, 0);
    this.log = new EvidenceLog(
      new PostgresEvidenceStore(ask, 'lateral'),
      key.verifierKey,
      this.sequencer.problems,
    );
  }

  /** Until nothing waits that could be taken in. */
  async run(): Promise<void> {
    while ((await this.sequencer.run()) > 0);
  }

  /** Record ids and leaf hashes in hexadecimal, in the order of the log. */
  async entries(): Promise<[string, string][]> {
    const { tenantId } = this.store;
    const found: [string, string][] = [];
    for (;;) {
      const { count, recordIds, leafHashes } = await this.log.entries(tenantId, found.length);
      if (count === 0) return found;
      for (let i = 0; i < count; i++)
        found.push([
          recordIds.toString('hex', i * 16, i * 16 + 16),
          leafHashes.toString('hex', i * 32, i * 32 + 32),
        ]);
    }
  }

  get problem(): string | undefined {
    return this.sequencer.problems.get(this.store.tenantId);
  }
}
