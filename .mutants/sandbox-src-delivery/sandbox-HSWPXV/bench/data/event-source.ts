import { createHash } from 'node:crypto';
import type { Calendar } from './calendar';
import { Random, Weighted } from './random';
import { type TenantProfile, tenantProfile } from './tenants';

/** The version of the made data. Raise it when the data changes: then kept databases are built anew. */
export const DATA_VERSION = 1;
export const BATCH_EVENTS = 5_000;
const EVENTS_PER_FILE = 40_000;
const EVENTS_PER_BLOCK = 60;
const BLOCK_BYTES = 65_536;
/** How far events are out of their order in time, because several sessions write one file. */
const DISORDER = 6;
const HOME_DATABASE_SHARE = 0.6;
const FAILED_SHARE = 0.015;

/** Action codes with their share in percent, their class type, and the kind of statement they come with. */
const ACTIONS = [
  ['SL', 41, 'U', 'SL'],
  ['UP', 13, 'U', 'UP'],
  ['IN', 12, 'U', 'IN'],
  ['EX', 11, 'P', 'EX'],
  ['LGIS', 8, 'LX', null],
  ['LGO', 5, 'LX', null],
  ['DL', 4, 'U', 'DL'],
  ['VSST', 2, 'SR', null],
  ['LGIF', 1.2, 'LX', null],
  ['AL', 0.9, 'U', 'DDL'],
  ['RF', 0.6, 'U', 'SL'],
  ['CR', 0.5, 'U', 'DDL'],
  ['DR', 0.4, 'U', 'DDL'],
  ['G', 0.2, 'U', 'DDL'],
  ['R', 0.1, 'U', 'DDL'],
  ['APRL', 0.1, 'DU', 'DDL'],
] as const;
const BY_ACTION = new Weighted(ACTIONS.map(([, share]) => share));

/** The events of one tenant, in the order its agent sends them. Any batch can be made by itself. */
export class EventSource {
  readonly #profile: TenantProfile;

  constructor(
    tenant: number,
    readonly count: number,
    private readonly calendar: Calendar,
  ) {
    this.#profile = tenantProfile(tenant);
  }

  get batches(): number {
    return Math.ceil(this.count / BATCH_EVENTS);
  }

  sizeOf(batch: number): number {
    return Math.min(BATCH_EVENTS, this.count - batch * BATCH_EVENTS);
  }

  /** The batch's events as JSON, a list. */
  batch(batch: number): string {
    return `[${this.events(batch).join(',')}]`;
  }

  /** The batch's events, each as JSON. */
  events(batch: number): string[] {
    const random = new Random(this.#profile.index, batch, this.count);
    const first = batch * BATCH_EVENTS;
    return Array.from({ length: this.sizeOf(batch) }, (_, i) => this.#event(first + i, random));
  }

  #event(i: number, random: Random): string {
    const { logins, loginFrequency, databases, databaseFrequency, statements, index } = this.#profile;
    const quantile = Math.min((i + random.next() * DISORDER) / this.count, 0.999_999_999);
    const [action, , classType, kind] = ACTIONS[BY_ACTION.pick(random)] ?? ACTIONS[0];
    const login = logins[loginFrequency.pick(random)];
    if (!login) throw new Error('no login');
    const isAtHome = random.next() < HOME_DATABASE_SHARE;
    const database = databases[isAtHome ? login.database : databaseFrequency.pick(random)];
    const statement = kind === null ? null : statements.of(kind, random);
    const succeeded = action !== 'LGIF' && random.next() > FAILED_SHARE;
    const file = Math.floor(i / EVENTS_PER_FILE);
    const place = i % EVENTS_PER_FILE;
    const block = 512 + Math.floor(place / EVENTS_PER_BLOCK) * BLOCK_BYTES;
    const object = statement
      ? `"schemaName":"dbo","objectName":"${statement.table}"`
      : '"schemaName":null,"objectName":null';
    return `{"eventTime":"${this.calendar.timeAt(quantile)}","actionId":"${action}","succeeded":${succeeded},"serverInstanceName":"SQL${index}-${file % 2}","databaseName":"${database}",${object},${login.json},"sourceType":"DirectFile","statement":${statement ? `"${statement.text}"` : null},"file":"Audit_${index}_${file}.sqlaudit","fileGuid":"${fileGuid(index, this.count, file)}","blockOffset":${block},"index":${place % EVENTS_PER_BLOCK},"parts":1,"additional":{"sessionId":${50 + random.below(400)},"classType":"${classType}","transactionId":"${random.below(2e9)}"}}`;
  }
}

const guids = new Map<string, string>();
function fileGuid(tenant: number, count: number, file: number): string {
  const key = `${tenant} ${count} ${file}`;
  let guid = guids.get(key);
  if (guid === undefined) {
    const hex = createHash('sha256').update(key).digest('hex');
    guid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    guids.set(key, guid);
  }
  return guid;
}
