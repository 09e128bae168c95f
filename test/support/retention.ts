import { pino } from 'pino';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { Indexer } from '../../src/modules/search/indexer';
import { applyRetention } from '../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../src/modules/tenants/retention/retention.store';
import type { RetentionStore } from '../../src/modules/tenants/retention/retention-store';
import { Folder } from '../../src/store/counts/fold';
import { tenantSet } from '../../src/tenant-set';
import { AT_ONCE } from './at-once';
import { AN_ATTEMPT } from './attempt';
import { NO_FILTER } from './filters';
import type { Store } from './store';

/** Retention and the parts that must agree with it, on the store of a test. */
export class RetentionTrial {
  readonly retention: PostgresRetentionStore;
  readonly folder: Folder;
  readonly indexer: Indexer;
  readonly reader: PostgresAuditEventReader;
  readonly logLines: string[] = [];

  constructor(readonly store: Store) {
    const { service, migrator } = store.database;
    this.retention = new PostgresRetentionStore(service, migrator);
    this.folder = new Folder(migrator);
    this.indexer = new Indexer(store.database.owner, AT_ONCE);
    this.reader = new PostgresAuditEventReader(store.database.service);
  }

  /** Runs retention at a given time. @param store replaces the real one */
  async runAt(time: string, store: RetentionStore = this.retention): Promise<void> {
    const log = pino({ level: 'warn' }, { write: (line: string) => void this.logLines.push(line) });
    await applyRetention({ store, nowMs: () => Date.parse(time), log });
  }

  async keep(days: number | null): Promise<void> {
    await this.retention.setDays(this.store.tenantId, days, AN_ATTEMPT);
  }

  async weeks(): Promise<string[]> {
    return (await this.retention.weeks()).map(({ name }) => name);
  }

  /** The number of events that the API reports. */
  async total(word?: string): Promise<number> {
    const page = await this.reader.page(tenantSet([this.store.tenantId]), {
      filter: { ...NO_FILTER, search: word ? [{ kind: 'word', text: word }] : [] },
      sort: 'recordId',
      descending: true,
      page: 1,
      pageSize: 10,
    });
    return page.totalCount;
  }
}
