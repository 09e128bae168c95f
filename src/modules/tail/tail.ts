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

/** Of a request for texts the text, where the event is not needed to tell whether it matches. */
type TailItem = ArrivedEvent | ArrivedText;

export interface TailRequest {
  /** Those the caller may see now. */
  readonly tenants: TenantSet;
  /** Who is held to bounds. */
  readonly holder: string;
  readonly filters: GivenFilters;
  readonly limit: number;
  /** Whether items may come as JSON of the service's own form. */
  readonly asTexts: boolean;
  /** Null: `from` is given. */
  readonly cursor: string | null;
  readonly from: string | null;
  readonly waitSeconds: number;
  readonly withSources: boolean;
  /** Ends waiting. */
  readonly gone: AbortSignal;
  /** Waits without what the caller holds meanwhile, and sees to it that it may still have what comes. */
  readonly whileWaiting: <T>(wait: () => Promise<T>) => Promise<T>;
}

export interface TailPage {
  readonly items: readonly TailItem[];
  readonly nextCursor: string;
  /** Whether the reader is at the end of every log. */
  readonly caughtUp: boolean;
  /** Positions passed whose event is gone. */
  readonly removed: number;
  /** As they were before the logs were read: at their ends, what they say holds of the reader too. */
  readonly sources: readonly object[] | null;
}

/** How far the sources of tenants are complete: an object for each. */
export type ListSources = (tenants: TenantSet) => Promise<readonly object[]>;

interface TailMeans {
  readonly reader: ArrivalReader;
  readonly news: Pick<NewArrivals, 'wait'>;
  readonly seal: CursorSeal;
  readonly fairShare: Pick<FairShare, 'run'>;
  readonly waitingPlaces: Pick<WaitingPlaces, 'take'>;
  readonly listSources: ListSources;
  /** Milliseconds of a clock that nobody sets. */
  readonly clockMs?: () => number;
}

/** Reads events in the order of arrival, on behalf of callers. */
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
          // Also after the time is over: whoever tells of news may have been late, or could not look.
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
      // Rounded down: what arrived within the millisecond is of it.
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

  /** Goes on until there are enough events, or enough work was done, or there is no more. */
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
    // Once at least: how long the first look took says nothing of what is there.
    for (let isFirst = true; !walk.caughtUp && walk.mayGoOn(limit); isFirst = false) {
      if (!isFirst && isOver(endMs)) break;
      const left = limit - walk.items.length;
      const limits = {
        events: matches ? Math.max(left, READ_AT_LEAST) : left,
        positions: LIMITS.tailPositionsMax - walk.passed,
        bytes: LIMITS.tailReadBytes - walk.bytes,
      };
      // A turn is for telling what matches as well: that may take longer than to read it.
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
        // What was read before is answered: a call that begins at the same place would fail in the same way.
        if (isFirst || !isUnavailable(error)) throw error;
        break;
      }
    }
    return walk;
  }
}

/** What a call that waited may take to read in the end: so much longer its place is kept for it. */
const LAST_READ_MS = 5_000;

/** With a filter most events may not match: they are read in larger pieces than are answered. */
const READ_AT_LEAST = 1_000;

/** What one call has read so far. */
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

  /** It found nothing, and there is no more. */
  get isWithout(): boolean {
    return this.items.length === 0 && this.caughtUp;
  }

  get place(): TailPlace {
    return { positions: this.positions, turn: this.#turn, filter: this.#filter };
  }

  /** A log that was set back, with its database, to a time before the cursor goes on from its end as it is now. */
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

  /** Beginning with the tenant whose turn it is. */
  places(): { tenantId: number; from: number }[] {
    const all = [...this.positions].map(([tenantId, from]) => ({ tenantId, from }));
    const first = Math.max(
      0,
      all.findIndex(({ tenantId }) => tenantId >= this.#turn),
    );
    return [...all.slice(first), ...all.slice(0, first)];
  }

  /** Of a stretch what matches, as far as there is room; the rest of it is read by the next call. */
  async take(
    arrivals: Arrivals<TailItem>,
    {
      limit,
      matches,
      isEnough,
    }: {
      readonly limit: number;
      readonly matches: ((item: TailItem) => Promise<boolean>) | null;
      /** Whether no more should be compared now. */
      readonly isEnough: () => boolean;
    },
  ): Promise<void> {
    const { tenantId, from, items, skipped, bytes } = arrivals;
    let [next, events] = [arrivals.next, 0];
    for (const item of items) {
      // One event at least: else a reader would stand before it for ever.
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
