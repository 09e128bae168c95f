import { type Logger, pino } from 'pino';
import { type Checkpoint, parseNote } from '../../src/modules/evidence/checkpoint';
import type { CheckpointMemory } from '../../src/modules/evidence/checkpoint-memory';
import { PostgresEvidenceStore } from '../../src/modules/evidence/evidence.store';
import { EvidenceLog } from '../../src/modules/evidence/evidence-log';
import { LogEnds } from '../../src/modules/evidence/log-ends';
import type { LogKeys } from '../../src/modules/evidence/log-head';
import { Sequencer } from '../../src/modules/evidence/sequencer';
import type { CheckpointKey } from '../../src/store/log/evidence/note-key';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import type { EngineName } from '../support/engines';
import { Store } from '../support/store';

export class Memory implements CheckpointMemory {
  readonly notes = new Map<number, string>();
  /** The checkpoints as they were last read or remembered. */
  readonly #known = new Map<number, Checkpoint | null>();
  /** The text of the noted ends. */
  noted: string | null = null;
  readonly ends = new LogEnds({
    file: {
      read: async () => this.noted,
      write: async (text) => {
        this.noted = text;
      },
    },
    epoch: () => this.currentEpoch,
    log: { warn: () => {} },
  });
  constructor(private readonly isNew = false) {}
  async begin() {
    await this.ends.begin();
    return this.isNew;
  }
  async tenants() {
    return new Set(this.notes.keys());
  }
  /** The epoch in which the next checkpoints are remembered. */
  currentEpoch = '';
  readonly #epochs = new Map<number, string>();
  async epochOf(tenantId: number) {
    return this.#epochs.get(tenantId) ?? '';
  }
  async last(tenantId: number) {
    const known = this.#known.get(tenantId);
    if (known) return known;
    const checkpoint = parseNote(this.notes.get(tenantId) ?? '');
    this.#known.set(tenantId, checkpoint);
    return checkpoint;
  }
  async reread(tenantId: number) {
    const before = this.#known.get(tenantId);
    this.#known.delete(tenantId);
    return before?.time !== (await this.last(tenantId))?.time;
  }
  async remember(tenantId: number, note: string) {
    this.notes.set(tenantId, note);
    this.#epochs.set(tenantId, this.currentEpoch);
    this.#known.set(tenantId, parseNote(note));
  }
}

/** A round takes in thousands of events, so no test needs this many rounds. */
const ROUNDS_MAX = 500;

/** The store and the log of `useLog`: a new tenant for each test. */
export interface LogPlace {
  store: Store;
  trial: LogTrial;
}

/** Gives each test of a describe block the evidence log of a new tenant, on one database. */
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
  readonly keys: LogKeys;
  readonly sequencer: Sequencer;
  readonly log: EvidenceLog;

  constructor(
    readonly store: Store,
    key: CheckpointKey = TEST_CHECKPOINT_KEY,
    { others = [], former = [] }: Partial<LogKeys> = {},
    readonly memory: CheckpointMemory = new Memory(),
    checkpointMs = 0,
    now: () => Date = () => new Date(),
    log: Logger = pino({ level: 'silent' }),
  ) {
    const { service } = store.database;
    this.keys = { own: key, others, former };
    this.sequencer = new Sequencer(store.database.owner, this.keys, memory, log, checkpointMs, now);
    this.log = new EvidenceLog(new PostgresEvidenceStore(service), key.verifierKey, (tenantId) =>
      this.sequencer.problemOf(tenantId),
    );
  }

  /** Runs rounds until no event waits that could be taken in. */
  async run(): Promise<void> {
    for (let round = 1; (await this.sequencer.run()) > 0; round++)
      if (round === ROUNDS_MAX) throw new Error('the log has events left after all its rounds');
  }

  /** The record ids and leaf hashes in hexadecimal, in the order of the log. */
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

  get problem(): string | null {
    return this.sequencer.problemOf(this.store.tenantId);
  }
}

/** Removes everything that the database has of a tenant's log. */
export async function takeAway(store: Store): Promise<void> {
  for (const table of LOG_TABLES)
    await store.query(`DELETE FROM ${table} WHERE tenant_id = $1`, store.tenantId);
}

/** Saves what the database has of a tenant's log. @returns a function that puts it back in place of the later state */
export async function savedLog(store: Store): Promise<() => Promise<void>> {
  const saved: [string, string][] = [];
  for (const table of LOG_TABLES) {
    const [found] = await store.query<{ rows: string }>(
      `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM ${table} t WHERE tenant_id = $1`,
      store.tenantId,
    );
    saved.push([table, found?.rows ?? '[]']);
  }
  return async () => {
    await takeAway(store);
    for (const [table, rows] of saved)
      await store.query(
        `INSERT INTO ${table} SELECT * FROM json_populate_recordset(null::${table}, $1::json)`,
        rows,
      );
  };
}

const LOG_TABLES = ['head', 'tile', 'place', 'checkpoint'].map((name) => `audit_log_${name}`);
