import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { LeavePlace, WaitingPlaces } from '../../caller/rate-limit/waiting-places';
import { type TenantSet, tenantSet } from '../../caller/tenant-set';
import { Pauses } from '../../deadline';
import { DomainError, isUnavailable } from '../../errors';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';
import { matchSteps } from '../../event/expression/matches';
import { type AuditEventFilter, isAll, toAuditEventFilter } from '../../event/query';
import { LIMITS } from '../../limits';
import type {
  ArrivalLimits,
  ArrivalReader,
  Arrivals,
  ArrivedEvent,
  ArrivedText,
} from '../../trail/arrivals/arrival-reader';
import type { NewArrivals } from '../../trail/arrivals/new-arrivals';
import { type CursorSeal, filterHash, type GivenFilters, type TailPlace } from './cursor';
import { BEGINNING, NOW } from './parameters';

/** An event, or its JSON text if texts were asked for and the event is not needed for the filter. */
type TailItem = ArrivedEvent | ArrivedText;

export interface TailRequest {
  /** The tenants that the caller may see now. */
  readonly tenants: TenantSet;
  /** The holder for whom bounds are counted. */
  readonly holder: string;
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
  readonly items: readonly TailItem[];
  readonly nextCursor: string;
  /** Whether the reader is at the end of every log. */
  readonly caughtUp: boolean;
  /** The number of passed positions whose event is gone. */
  readonly removed: number;
  /**
   * Read before the logs. At the end of the logs, the completeness that they state therefore holds for the reader too.
   */
  readonly sources: readonly object[] | null;
}

/** Lists the completeness of the tenants' sources, one object for each source. */
export type ListSources = (tenants: TenantSet) => Promise<readonly object[]>;

interface TailMeans {
  readonly reader: ArrivalReader;
  readonly news: Pick<NewArrivals, 'wait'>;
  readonly seal: CursorSeal;
  readonly fairShare: Pick<FairShare, 'run'>;
  readonly waitingPlaces: Pick<WaitingPlaces, 'take'>;
  readonly listSources: ListSources;
  /** Milliseconds of a monotonic clock. */
  readonly clockMs?: () => number;
}

/** Reads events in the order of arrival for callers. */
export class Tail {
  readonly #clockMs: () => number;

  constructor(private readonly parts: TailMeans) {
    this.#clockMs = parts.clockMs ?? (() => performance.now());
  }

  /** @throws DomainError `invalid_parameter`, `forbidden`, `rate_limited`, `service_unavailable` */
  async read(request: TailRequest): Promise<TailPage> {
    const until = this.#clockMs() + request.waitSeconds * 1_000;
    const place = request.cursor === null ? await this.#begin(request) : this.#goOn(request, request.cursor);
    const listed = () => (request.withSources ? this.#sources(place) : null);
    let sources = await listed();
    let walk = await this.#walk(request, new Walk(place));
    if (walk.isWithout && this.#clockMs() < until) {
      const leave = await this.#takePlace(request.holder, until);
      try {
        while (walk.isWithout && this.#clockMs() < until && !request.gone.aborted) {
          const known = walk.positions;
          const leftMs = until - this.#clockMs();
          await request.whileWaiting(() => this.parts.news.wait(known, leftMs, request.gone));
          // Also after the wait has ended, because the notification may be late, or may have failed.
          sources = await listed();
          walk = await this.#walk(request, walk);
        }
      } finally {
        leave();
      }
    }
    const { items, caughtUp, removed } = walk;
    return { items, caughtUp, removed, sources, nextCursor: this.parts.seal.seal(walk.place) };
  }

  #sources({ positions }: TailPlace): Promise<readonly object[]> {
    return this.parts.listSources(tenantSet([...positions.keys()]));
  }

  async #begin({ tenants, from, filters }: TailRequest): Promise<TailPlace> {
    const positions = new Map<number, number>(tenants.map((tenantId) => [tenantId, 0]));
    if (from === NOW)
      for (const [tenantId, size] of await this.parts.reader.sizes(tenants)) positions.set(tenantId, size);
    else if (from !== BEGINNING) {
      // Rounded down, so that events of the same millisecond are included.
      const at = new Date(Number((parseTicks(from ?? '') ?? 0n) / TICKS_PER_MS));
      for (const tenantId of tenants)
        positions.set(tenantId, await this.parts.reader.positionAt(tenantId, at));
    }
    return { positions, turn: 0, filter: filterHash(filters) };
  }

  #goOn({ tenants, filters }: TailRequest, cursor: string): TailPlace {
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
    return place;
  }

  async #takePlace(holder: string, until: number): Promise<LeavePlace> {
    const leave = await this.parts.waitingPlaces.take(holder, until - this.#clockMs() + LAST_READ_MS);
    if (leave) return leave;
    throw new DomainError('rate_limited', {
      public: `${LIMITS.tailWaitingPerKey} calls of this key wait for new events already, as many as may. Ask without wait, or with fewer calls at once.`,
      retryAfterSeconds: 1,
    });
  }

  /** Reads until there are enough events, enough work was done, or the end is reached. */
  async #walk({ tenants, holder, filters, limit, asTexts, gone }: TailRequest, walk: Walk): Promise<Walk> {
    const filter = toAuditEventFilter(filters);
    const asker = { holder, tenants };
    const endMs = this.#clockMs() + LIMITS.tailWorkMs;
    const isOver = (ms: number) => gone.aborted || this.#clockMs() >= ms;
    const { reader } = this.parts;
    const pauses = new Pauses();
    const matches = isEmpty(filter)
      ? null
      : async (item: TailItem) => 'event' in item && (await pauses.between(matchSteps(filter, item.event)));
    const readOn = (limits: ArrivalLimits): Promise<readonly Arrivals<TailItem>[]> =>
      asTexts && !matches ? reader.readTexts(walk.places(), limits) : reader.readEach(walk.places(), limits);
    walk.caughtUp = walk.isAtEnd(await this.parts.reader.sizes([...walk.positions.keys()]));
    // At least once: the time of the first look says nothing about the amount of events.
    for (let isFirst = true; !walk.caughtUp && walk.mayGoOn(limit); isFirst = false) {
      if (!isFirst && isOver(endMs)) break;
      const left = limit - walk.items.length;
      const limits = {
        events: matches ? Math.max(left, READ_AT_LEAST) : left,
        positions: LIMITS.tailPositionsMax - walk.passed,
        bytes: LIMITS.tailReadBytes - walk.bytes,
      };
      // A turn also covers the filtering, which may take longer than the reading.
      const turn = this.parts.fairShare.run(asker, async () => {
        const read = await readOn(limits);
        const matchedMs = this.#clockMs() + LIMITS.tailWorkMs;
        const isEnough = () => isOver(matchedMs);
        for (const arrivals of read) await walk.take(arrivals, { limit, matches, isEnough });
        walk.caughtUp = read.every(({ tenantId, size }) => walk.positions.get(tenantId) === size);
      });
      try {
        await turn;
      } catch (error) {
        // The events read before are answered. The next call would begin here, and fail in the same way.
        if (isFirst || !isUnavailable(error)) throw error;
        break;
      }
    }
    return walk;
  }
}

/** The time that a call which waited may take for its last read. Its place is kept for this long in addition. */
const LAST_READ_MS = 5_000;

/** With a filter, most events may not match, so more events are read at once than are answered. */
const READ_AT_LEAST = 1_000;

/** The state of one call: the events read so far and the positions. */
class Walk {
  readonly items: TailItem[] = [];
  readonly positions: Map<number, number>;
  readonly #filter: Buffer;
  #turn: number;
  caughtUp = false;
  removed = 0;
  passed = 0;
  bytes = 0;

  constructor({ positions, turn, filter }: TailPlace) {
    this.positions = new Map(positions);
    this.#turn = turn;
    this.#filter = filter;
  }

  /** Whether it found nothing and is at the end. */
  get isWithout(): boolean {
    return this.items.length === 0 && this.caughtUp;
  }

  get place(): TailPlace {
    return { positions: this.positions, turn: this.#turn, filter: this.#filter };
  }

  /** If a log was set back with its database to a time before the cursor, reading continues at its current end. */
  isAtEnd(sizes: ReadonlyMap<number, number>): boolean {
    for (const [tenantId, position] of this.positions)
      this.positions.set(tenantId, Math.min(position, sizes.get(tenantId) ?? 0));
    return [...this.positions].every(([tenantId, position]) => position === sizes.get(tenantId));
  }

  mayGoOn(limit: number): boolean {
    return (
      this.items.length < limit && this.passed < LIMITS.tailPositionsMax && this.bytes < LIMITS.tailReadBytes
    );
  }

  /** The positions to read, beginning with the tenant whose turn it is. */
  places(): { tenantId: number; from: number }[] {
    const all = [...this.positions].map(([tenantId, from]) => ({ tenantId, from }));
    const first = Math.max(
      0,
      all.findIndex(({ tenantId }) => tenantId >= this.#turn),
    );
    return [...all.slice(first), ...all.slice(0, first)];
  }

  /** Takes the matching events of a span, as far as there is room. The next call reads the rest. */
  async take(
    arrivals: Arrivals<TailItem>,
    {
      limit,
      matches,
      isEnough,
    }: {
      readonly limit: number;
      readonly matches: ((item: TailItem) => Promise<boolean>) | null;
      /** Whether to stop comparing for now. */
      readonly isEnough: () => boolean;
    },
  ): Promise<void> {
    const { tenantId, from, items, skipped, bytes } = arrivals;
    let [next, events] = [arrivals.next, 0];
    for (const item of items) {
      // At least one event, since the reader could otherwise never pass it.
      if (this.items.length === limit || (matches && events > 0 && isEnough())) {
        next = item.position;
        break;
      }
      events++;
      if (!matches || (await matches(item))) this.items.push(item);
    }
    this.positions.set(tenantId, next);
    this.removed += next - from - events;
    this.passed += next - from - skipped;
    this.bytes += bytes;
    if (next > from) this.#turn = tenantId + 1;
  }
}

const isEmpty = (filter: AuditEventFilter) => isAll(filter) && filter.from === null && filter.to === null;
