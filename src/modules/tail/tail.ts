import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { LeavePlace, WaitingPlaces } from '../../caller/rate-limit/waiting-places';
import { Pauses } from '../../deadline';
import { DomainError, isUnavailable, NoTurn } from '../../errors';
import { msOfTime } from '../../event/event-time';
import { matchSteps } from '../../event/expression/matches';
import { hasMark } from '../../event/marks';
import { type AuditEventFilter, isAll, toAuditEventFilter } from '../../event/query';
import { LIMITS } from '../../limits';
import type { ArrivalLimits, ArrivalReader, Arrivals } from '../../store/log/arrivals/arrival-reader';
import type { NewArrivals } from '../../store/log/arrivals/new-arrivals';
import type { EpochState } from '../../store/log/epoch/epoch';
import { type TenantSet, tenantSet } from '../../tenant-set';
import {
  areWhole,
  type CursorSeal,
  filterHash,
  type GivenFilters,
  markOf,
  ofEarlierLog,
  type TailPlace,
} from './cursor';
import { BEGINNING, NOW } from './parameters';
import { readApart } from './read-apart';
import { SharedReads } from './shared-reads';
import { type TailItem, Walk } from './walk';

export interface TailRequest {
  /** The tenants that the caller may see now. */
  readonly tenants: TenantSet;
  /** Tenants of the caller that are disabled now: none of their events is read, and the cursor keeps its places in them. */
  readonly disabled?: readonly number[];
  /** The holder for whom bounds are counted. */
  readonly holder: string;
  /** The holder of the place at which the call waits; by default `holder`. */
  readonly waiter?: string;
  readonly filters: GivenFilters;
  readonly limit: number;
  /** Whether items may be JSON texts of the native form. */
  readonly asTexts: boolean;
  /** Null if `from` is given. */
  readonly cursor: string | null;
  readonly from: string | null;
  readonly waitSeconds: number;
  readonly withSources: boolean;
  /** Ends the waiting. */
  readonly gone: AbortSignal;
  /** Waits without holding the caller's other resources, and then checks that the caller may still have the events. */
  readonly whileWaiting: <T>(wait: () => Promise<T>) => Promise<T>;
}

export interface TailPage {
  /** With marks in place of large statements. */
  readonly items: readonly TailItem[];
  readonly nextCursor: string;
  /** The cursor of the place where the call began: that of an answer that leaves all events to a later call. */
  readonly startCursor: string;
  /** Whether the reader is at the end of every log. */
  readonly caughtUp: boolean;
  /** The number of passed positions whose event is gone. */
  readonly removed: number;
  /**
   * Read before the logs. At the end of the logs, the completeness that they state therefore holds for the reader too.
   */
  readonly sources: readonly object[] | null;
}

/** The answer of a call that leaves all events to a later one. */
export const laterPage = ({ startCursor, sources }: TailPage): TailPage => ({
  items: [],
  startCursor,
  nextCursor: startCursor,
  sources,
  caughtUp: false,
  removed: 0,
});

/** Lists the completeness of the tenants' sources, one object for each source. */
export type ListSources = (tenants: TenantSet) => Promise<readonly object[]>;

interface TailMeans {
  readonly reader: ArrivalReader;
  readonly news: Pick<NewArrivals, 'wait'>;
  readonly seal: CursorSeal;
  readonly epoch: {
    readonly state: EpochState;
    noticeSetBack(known: string, found: string): Promise<void>;
  };
  readonly fairShare: Pick<FairShare, 'run'>;
  readonly waitingPlaces: Pick<WaitingPlaces, 'take'>;
  readonly listSources: ListSources;
  /** Milliseconds of a monotonic clock. */
  readonly clockMs?: () => number;
}

/** Reads events in the order of arrival for callers. */
export class Tail {
  readonly #clockMs: () => number;
  /** What calls read that waited for the same. */
  readonly #shared = new SharedReads<readonly Arrivals<TailItem>[]>();
  readonly #sharedMarks = new SharedReads<ReadonlyMap<number, string>>();

  constructor(private readonly parts: TailMeans) {
    this.#clockMs = parts.clockMs ?? (() => performance.now());
  }

  /** @throws DomainError `invalid_parameter`, `cursor_of_earlier_log`, `forbidden`, `rate_limited`, `service_unavailable` */
  async read(request: TailRequest): Promise<TailPage> {
    const until = this.#clockMs() + request.waitSeconds * 1_000;
    const place =
      request.cursor === null ? await this.#begin(request) : await this.#goOn(request, request.cursor);
    const { read, kept } = apart(place, request.disabled ?? []);
    const listed = () => (request.withSources ? this.#sources(read) : null);
    let sources = await listed();
    let walk = await this.#walk(request, new Walk(read));
    if (walk.isWithout && this.#clockMs() < until) {
      const leave = await this.#takePlace(request.waiter ?? request.holder, until);
      try {
        while (walk.isWithout && this.#clockMs() < until && !request.gone.aborted) {
          await this.#mark(walk);
          const known = walk.positions;
          const leftMs = until - this.#clockMs();
          try {
            const news = await request.whileWaiting(() => this.parts.news.wait(known, leftMs, request.gone));
            // Also after the wait has ended, because the notification may be late, or may have failed.
            sources = await listed();
            walk = await this.#walk(request, walk, news);
          } catch (error) {
            // Many calls woke at once: there is no room to go on, or the database is too busy. The next call begins here.
            if (!isUnavailable(error)) throw error;
            walk.caughtUp = false;
            break;
          }
        }
      } finally {
        leave();
      }
    }
    const { items, caughtUp, removed } = walk;
    const { seal } = this.parts;
    await this.#mark(walk);
    const startCursor = request.cursor ?? seal.seal(place);
    const nextCursor = seal.seal(await this.#withKept(walk.place, kept));
    return { items, caughtUp, removed, sources, startCursor, nextCursor };
  }

  /** @param kept places in the logs that were not read */
  async #withKept(place: TailPlace, kept: ReadonlyMap<number, number>): Promise<TailPlace> {
    if (kept.size === 0) return place;
    const positions = new Map([...place.positions, ...kept].sort(([a], [b]) => a - b));
    return { ...place, positions, mark: await this.#markAt(positions) };
  }

  #sources({ positions }: TailPlace): Promise<readonly object[]> {
    return this.parts.listSources(tenantSet([...positions.keys()]));
  }

  async #begin({ from, filters, ...request }: TailRequest): Promise<TailPlace> {
    const tenants = allOf(request);
    const { epoch } = this.parts.epoch.state;
    const positions = new Map<number, number>(tenants.map((tenantId) => [tenantId, 0]));
    if (from === NOW)
      for (const [tenantId, size] of await this.parts.reader.sizes(tenants)) positions.set(tenantId, size);
    else if (from !== BEGINNING) {
      // Rounded down, so that events of the same millisecond are included.
      const at = new Date(msOfTime(from ?? ''));
      for (const tenantId of tenants)
        positions.set(tenantId, await this.parts.reader.positionAt(tenantId, at));
    }
    const mark = await this.#markAt(positions);
    return { positions, turn: 0, filter: filterHash(filters), epoch, mark };
  }

  async #goOn({ filters, ...request }: TailRequest, cursor: string): Promise<TailPlace> {
    const tenants = allOf(request);
    const place = this.parts.seal.open(cursor);
    const lost = [...place.positions.keys()].filter((tenantId) => !tenants.includes(tenantId));
    if (lost.length > 0)
      throw new DomainError('forbidden', {
        public:
          'The cursor names a tenant that this API key is not authorized for any more. Begin anew with from.',
      });
    if (!place.filter.equals(filterHash(filters)))
      throw new DomainError('invalid_parameter', {
        public:
          'cursor was given for other filters: repeat those it was given for, or begin anew with from for these ones.',
      });
    return this.#compared(place);
  }

  /**
   * Calls that come to the same place at once share one statement.
   * @returns null: the database does not answer now, or lacks an entry. The events that were read are worth more than the
   * mark
   */
  async #markAt(positions: ReadonlyMap<number, number>): Promise<string | null> {
    const key = JSON.stringify([...positions]);
    try {
      const marks = await this.#sharedMarks.run(key, () => this.parts.reader.marks(positions));
      return areWhole(positions, marks) ? markOf(marks) : null;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return null;
    }
  }

  async #mark(walk: Walk): Promise<void> {
    walk.mark ??= await this.#markAt(walk.positions);
  }

  /** @throws DomainError `cursor_of_earlier_log` if other entries stand before the positions than when it was marked */
  async #compared<T extends Pick<TailPlace, 'positions' | 'mark' | 'epoch'>>(place: T): Promise<T> {
    if (place.mark === null) return place;
    const marks = await this.parts.reader.marks(place.positions);
    // An entry without a hash is no other entry: the log is shorter, which is noticed by its size, or damaged.
    if (markOf(marks) === place.mark || !areWhole(place.positions, marks)) return place;
    return this.#refuseSetBack(
      place.epoch,
      'the entry before the place of a reader is not the one that it was',
    );
  }

  async #takePlace(holder: string, until: number): Promise<LeavePlace> {
    const leave = await this.parts.waitingPlaces.take(holder, until - this.#clockMs() + LAST_READ_MS);
    if (leave) return leave;
    throw new DomainError('rate_limited', {
      public: `${LIMITS.tailWaitingPerKey} calls of this key wait for new events already, as many as may. Ask without wait, or with fewer calls at once.`,
      retryAfterSeconds: 1,
    });
  }

  /** A cursor that was given under this epoch does not fit the log: the database was set back since. */
  async #refuseSetBack(known: string, found: string): Promise<never> {
    const { epoch } = this.parts;
    await epoch.noticeSetBack(known, found);
    throw ofEarlierLog(epoch.state);
  }

  /**
   * Reads until there are enough events, enough work was done, or the end is reached. If no turn comes in time, it ends
   * where it is.
   * @param news the numbers of entries that ended the wait of this call, and of others that wait at the same place
   */
  async #walk(
    { tenants, holder, filters, limit, asTexts, gone }: TailRequest,
    walk: Walk,
    news: ReadonlyMap<number, number> | null = null,
  ): Promise<Walk> {
    const filter = toAuditEventFilter(filters);
    const asker = { holder, tenants };
    const endMs = this.#clockMs() + LIMITS.tailWorkMs;
    const isOver = (ms: number) => gone.aborted || this.#clockMs() >= ms;
    const { reader } = this.parts;
    const pauses = new Pauses();
    const matches = isEmpty(filter)
      ? null
      : async (item: TailItem) =>
          'event' in item &&
          (hasMark(item.event.statement)
            ? await reader.passes(Number(item.event.tenantId), item.event.recordId, filter)
            : await pauses.between(matchSteps(filter, item.event)));
    const areTexts = asTexts && !matches;
    const readOn = (limits: ArrivalLimits) =>
      readApart<TailItem>(
        (places) => (areTexts ? reader.readTexts(places, limits) : reader.readEach(places, limits)),
        walk.places(),
        () => isOver(endMs),
      );
    const sizes = news ?? (await reader.sizes([...walk.positions.keys()]));
    if (walk.isBeyond(sizes))
      await this.#refuseSetBack(walk.epoch, 'a cursor of a reader is further than the log is long');
    walk.caughtUp = walk.isAtEnd(sizes);
    // At least once: the time of the first look says nothing about the amount of events.
    for (let isFirst = true; !walk.caughtUp && walk.mayGoOn(limit); isFirst = false) {
      if (!isFirst && isOver(endMs)) break;
      const left = limit - walk.items.length;
      const isShared = isFirst && news !== null;
      const limits = {
        events: matches || isShared ? Math.max(left, READ_AT_LEAST) : left,
        positions: isShared ? LIMITS.tailPositionsMax : LIMITS.tailPositionsMax - walk.passed,
        bytes: isShared ? LIMITS.tailReadBytes : LIMITS.tailReadBytes - walk.bytes,
        hasMarks: true,
      };
      const inTurn = <T>(work: () => Promise<T>) => this.parts.fairShare.run(asker, work);
      const takeAll = async (read: readonly Arrivals<TailItem>[]) => {
        const matchedMs = this.#clockMs() + LIMITS.tailWorkMs;
        const isEnough = () => isOver(matchedMs);
        for (const arrivals of read) await walk.take(arrivals, { limit, matches, isEnough });
        walk.caughtUp =
          read.length === walk.positions.size &&
          read.every(({ tenantId, size }) => walk.positions.get(tenantId) === size);
      };
      try {
        if (isShared) {
          const key = JSON.stringify([areTexts, walk.places(), walk.mark, limits]);
          const { place } = walk;
          const read = await this.#shared.run(key, () =>
            inTurn(async () => {
              await this.#compared(place);
              return readOn(limits);
            }),
          );
          await (matches ? inTurn(() => takeAll(read)) : takeAll(read));
        } else {
          // A turn also covers the filtering, which may take longer than the reading.
          await inTurn(async () => takeAll(await readOn(limits)));
        }
      } catch (error) {
        // The events read before are answered. The next call would begin here, and fail in the same way.
        if (!(error instanceof NoTurn) && (isFirst || !isUnavailable(error))) throw error;
        break;
      }
    }
    return walk;
  }
}

/** The tenants that a cursor of the caller may name. */
const allOf = ({ tenants, disabled = [] }: Pick<TailRequest, 'tenants' | 'disabled'>): TenantSet =>
  tenantSet([...tenants, ...disabled]);

/**
 * Parts the logs that are read from those of disabled tenants.
 * @throws DomainError `forbidden` if all are of disabled tenants
 */
function apart(
  place: TailPlace,
  disabled: readonly number[],
): { readonly read: TailPlace; readonly kept: ReadonlyMap<number, number> } {
  const isKept = ([tenantId]: readonly [number, number]) => disabled.includes(tenantId);
  const kept = new Map([...place.positions].filter(isKept));
  if (kept.size === 0) return { read: place, kept };
  const positions = new Map([...place.positions].filter((one) => !isKept(one)));
  if (positions.size === 0)
    throw new DomainError('forbidden', {
      public:
        'Every tenant of the cursor is disabled. Keep the cursor: it goes on when an operator enables one.',
    });
  // The mark is of all places: it was compared when the cursor was opened, and the next cursor gets another one.
  return { read: { ...place, positions, mark: null }, kept };
}

/** The time that a call which waited may take for its last read. Its place is kept for this long in addition. */
const LAST_READ_MS = 5_000;

/** With a filter, most events may not match, so more events are read at once than are answered. */
const READ_AT_LEAST = 1_000;

const isEmpty = (filter: AuditEventFilter) => isAll(filter) && filter.from === null && filter.to === null;
