import { type OwnerDoor, type Planning, Prisma, type ServiceDoor, type Step } from '../../database/clients';
import { DomainError, isUnavailable } from '../../errors';
import { HOUR_MS } from '../../event/event-time';
import type { NumberField } from '../../event/fields';
import { MARK } from '../../event/marks';
import type { AuditEventFilter } from '../../event/query';
import { msOfRecordId } from '../../event/record-id';
import { LIMITS } from '../../limits';
import type { TenantSet } from '../../tenant-set';
import type { Ask } from '../columns/ask';
import type { ColumnField, GroupField } from '../columns/column-fields';
import type { RowText } from '../log/arrivals/row-text';
import { tellOfFiles } from '../plan';
import type { Row } from '../rows/event-rows';
import { floorOfWeek, weekOfMs } from '../rows/partitions';
import type { ArchivedTenants } from './archived-tenants';
import type { FileCache, ListedFile } from './file-cache';
import { KnownCounts } from './known-counts';
import type {
  ArchiveWorker,
  FileReader,
  SizedId,
  Stretch,
  TallyQuestion,
  TallyRow,
  TenantFiles,
} from './questions';
import { restoreWeek } from './restore-week';
import type { InTransaction } from './seal-week';

/** The sealed events of tenants, as readers ask for them. */
export class Archive {
  readonly #counts = new KnownCounts();

  constructor(
    readonly tenants: ArchivedTenants,
    private readonly cache: FileCache,
    private readonly reader: ArchiveWorker,
    /** How long a request waits for files to be on local disk. Meanwhile it keeps one of the connections for requests. */
    private readonly waitMs: number = LIMITS.archiveWaitMs,
  ) {}

  /** Brings a sealed week back into rows. @returns the number of its events; null: it is not sealed */
  restore(owner: OwnerDoor, tenantId: number, week: number, also?: InTransaction): Promise<number | null> {
    return restoreWeek({ owner, writer: this.reader, cache: this.cache }, tenantId, week, also);
  }

  /** Removes this instance's copies of files that no week has any more, and what it knows of files. @returns whether none is left */
  async forgetUnlisted(owner: OwnerDoor): Promise<boolean> {
    this.#counts.clear();
    const rows = await owner.models.$queryRawUnsafe<{ sha256: string }[]>(ALL_LISTED);
    return this.cache.keepOnly(new Set(rows.map(({ sha256 }) => sha256)));
  }

  /** Opens the sealed weeks of a snapshot. @param ask reads in the snapshot, for a request or in the background */
  in(ask: Ask, login: (ServiceDoor | OwnerDoor)['login']): SealedWeeks {
    const waitMs = login === 'service' ? this.waitMs : null;
    return new SealedWeeks(ask, this.cache, this.reader, this.#counts, waitMs);
  }
}

/** The file of a week of one tenant cannot be read now. What lies in rows, or in files of others, can be. */
export class UnreadWeek extends DomainError {
  constructor(
    readonly tenantId: number,
    { code, message, internal, retryAfterSeconds = 1, cause }: DomainError,
  ) {
    super(code, { public: message, internal, retryAfterSeconds, cause });
  }
}

/** The sealed weeks that a snapshot sees. */
export class SealedWeeks {
  readonly #lists = new Map<number, Promise<readonly ListedFile[]>>();

  constructor(
    private readonly ask: Ask,
    private readonly cache: FileCache,
    private readonly reader: FileReader,
    readonly counts: KnownCounts,
    private readonly waitMs: number | null,
  ) {}

  /** Ids of events of some stretches that pass a filter, in order. */
  ids(
    tenantId: number,
    filter: AuditEventFilter,
    stretches: readonly Stretch[],
    how: {
      readonly value: { readonly field: ColumnField; readonly text: string } | null;
      readonly descending: boolean;
      readonly limit: number;
    },
  ): Promise<readonly string[]> {
    return this.#ofStretches(tenantId, stretches, (files, touched) =>
      this.reader.ids({ files, filter, stretches: touched, ...how }),
    );
  }

  groups(
    tenantId: number,
    filter: AuditEventFilter,
    stretches: readonly Stretch[],
    by: {
      readonly windowMs: number | null;
      readonly fields: readonly GroupField[];
      readonly hasTimes?: boolean;
      readonly sumOf?: NumberField | null;
    },
  ): Promise<readonly Row[]> {
    return this.#ofStretches(tenantId, stretches, (files, touched) =>
      this.reader.groups({ files, filter, stretches: touched, ...by }),
    );
  }

  tally(
    tenantId: number,
    filter: AuditEventFilter,
    stretches: readonly Stretch[],
    by: Pick<TallyQuestion, 'windowMs' | 'fields' | 'ofValues'>,
  ): Promise<readonly TallyRow[]> {
    return this.#ofStretches(tenantId, stretches, (files, touched) =>
      this.reader.tally({ files, filter, stretches: touched, ...by }),
    );
  }

  /** Whether rows of a stretch lie beside the files. */
  async hasRows(tenantId: number, { from, to }: Stretch): Promise<boolean> {
    return (await this.ask(lateStatement(tenantId, [from], [to]), 'once')).length > 0;
  }

  /** Those of some hours that have rows, as far as the weeks know: a sealed week has none but what came late. */
  async hoursWithRows(tenantId: number, hours: readonly number[]): Promise<readonly number[]> {
    const files = await this.list(tenantId);
    if (files.length === 0) return hours;
    const floors = files.map(({ week }) => floorOfWeek(week));
    const ends = files.map(({ week }) => floorOfWeek(week + 1));
    // One stretch takes a tenth of the time of many.
    const whole = { from: floors[0] as string, to: ends.at(-1) as string };
    const late = (await this.hasRows(tenantId, whole))
      ? await this.ask<{ lo: string }>(lateStatement(tenantId, floors, ends), 'once')
      : [];
    const isLate = new Set(late.map(({ lo }) => lo));
    const without = new Set(files.filter((_, i) => !isLate.has(floors[i] as string)).map(({ week }) => week));
    return hours.filter((hour) => !without.has(weekOfMs(hour * HOUR_MS)));
  }

  listRows(tenantId: number, ids: readonly string[]): Promise<readonly Row[]> {
    return this.#ofIds(tenantId, ids, (files, some) => this.reader.listRows(files, some));
  }

  sizes(tenantId: number, ids: readonly string[]): Promise<readonly SizedId[]> {
    return this.#ofIds(tenantId, ids, (files, some) => this.reader.sizes(files, some));
  }

  /** Whole rows, with marks in place of large statements. */
  wholeRows(tenantId: number, ids: readonly string[]): Promise<readonly Row[]> {
    return this.#ofIds(tenantId, ids, (files, some) => this.reader.wholeRows(files, some, MARK));
  }

  /** The statement of a record in its stored form; null: it lies in no file. */
  async statement(tenantId: number, recordId: string): Promise<string | null> {
    const [row] = await this.#ofIds(tenantId, [recordId], (files, some) =>
      this.reader.wholeRows(files, some, null),
    );
    return row ? String(row.statement) : null;
  }

  texts(tenantId: number, ids: readonly string[], hasMarks: boolean): Promise<readonly RowText[]> {
    return this.#ofIds(tenantId, ids, (files, some) =>
      this.reader.texts(files, some, hasMarks ? MARK : null),
    );
  }

  /** Those of some records whose event lies in a file. */
  async known(tenantId: number, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(await this.#ofIds(tenantId, ids, (files, some) => this.reader.known(files, some)));
  }

  /** The id with which the first sealed week ends that has ids of a stretch; null: none has. */
  async endOfFirstWeek(tenantId: number, { from, to }: Stretch): Promise<string | null> {
    const files = await this.list(tenantId);
    const first = files.find(({ week }) => floorOfWeek(week) < to && floorOfWeek(week + 1) > from);
    return first ? floorOfWeek(first.week + 1) : null;
  }

  /** Whether the tenant has events in files. */
  async hasAny(tenantId: number): Promise<boolean> {
    return (await this.list(tenantId)).length > 0;
  }

  async #ofStretches<T>(
    tenantId: number,
    stretches: readonly Stretch[],
    work: (files: TenantFiles, stretches: readonly Stretch[]) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const files = await this.list(tenantId);
    const inWeek = ({ week }: ListedFile) => {
      const [floor, end] = [floorOfWeek(week), floorOfWeek(week + 1)];
      return ({ from, to }: Stretch) => from < end && to > floor;
    };
    const wanted = files.filter((file) => stretches.some(inWeek(file)));
    const touched = stretches.filter((stretch) => wanted.some((file) => inWeek(file)(stretch)));
    return wanted.length === 0 ? [] : this.#using(tenantId, wanted, (of) => work(of, touched));
  }

  async #ofIds<T>(
    tenantId: number,
    ids: readonly string[],
    work: (files: TenantFiles, ids: readonly string[]) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    if (ids.length === 0) return [];
    const files = await this.list(tenantId);
    const weeks = new Set(files.map(({ week }) => week));
    const weekOf = (id: string) => weekOfMs(msOfRecordId(id));
    const some = ids.filter((id) => weeks.has(weekOf(id)));
    if (some.length === 0) return [];
    const touched = new Set(some.map(weekOf));
    const wanted = files.filter(({ week }) => touched.has(week));
    return this.#using(tenantId, wanted, (of) => work(of, some));
  }

  #using<T>(
    tenantId: number,
    files: readonly ListedFile[],
    work: (files: TenantFiles) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    return this.cache
      .using(files, this.ask, (paths) => work({ tenantId, paths }), this.waitMs)
      .catch((error: unknown) => {
        throw isUnavailable(error) ? new UnreadWeek(tenantId, error as DomainError) : error;
      });
  }

  /** The files of a tenant in the order of their weeks. */
  list(tenantId: number): Promise<readonly ListedFile[]> {
    const known = this.#lists.get(tenantId);
    if (known) return known;
    const list = this.ask<ListedFile>(listStatement(tenantId), 'once');
    this.#lists.set(tenantId, list);
    return list;
  }
}

const ALL_LISTED = 'SELECT w.sha256 FROM audit_sealed_week w';

/** The files of a tenant in the order of their weeks. */
const listStatement = (tenantId: number): Prisma.Sql => Prisma.sql`
  SELECT w.tenant_id AS "tenantId", w.week, w.sha256 FROM audit_sealed_week w
  WHERE w.tenant_id = ${tenantId}::int ORDER BY w.week`;

/** The beginnings of those stretches that have rows. */
const lateStatement = (
  tenantId: number,
  from: readonly string[],
  to: readonly string[],
): Prisma.Sql => Prisma.sql`
  SELECT s.lo::text AS lo FROM unnest(${[...from]}::uuid[], ${[...to]}::uuid[]) AS s(lo, hi)
  WHERE EXISTS (SELECT FROM audit_event e
    WHERE e.tenant_id = ${tenantId}::int AND e.record_id >= s.lo AND e.record_id < s.hi)`;

/** Reads by either door in one snapshot. */
export function snapshotOf<T>(
  door: ServiceDoor | OwnerDoor,
  tenants: TenantSet,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const asked = (step: Step) =>
    work(<R extends object>({ text, values }: Prisma.Sql, planning?: Planning) =>
      step<R>(text, values, planning),
    );
  return door.login === 'service' ? door.snapshot(tenants, asked) : door.steps(asked);
}

const archives = new WeakMap<ServiceDoor | OwnerDoor, Archive>();

/** Gives the readers behind a door the files beside its rows. */
export function openArchive(archive: Archive, ...doors: readonly (ServiceDoor | OwnerDoor)[]): void {
  for (const door of doors) {
    archives.set(door, archive);
    tellOfFiles(door, archive.tenants);
  }
}

/** Null: no week of the database is sealed, as far as this instance knows how to read files. */
export const archiveOf = (door: ServiceDoor | OwnerDoor): Archive | null => archives.get(door) ?? null;

/** The sealed weeks that a snapshot sees; null: there is no archive. */
export const sealedIn = (door: ServiceDoor | OwnerDoor, ask: Ask): SealedWeeks | null =>
  archiveOf(door)?.in(ask, door.login) ?? null;
