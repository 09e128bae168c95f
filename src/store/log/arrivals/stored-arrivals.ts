import { askingBy, type OwnerDoor, type Prisma, type ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { Pauses } from '../../../deadline';
import { liftedOf } from '../../../event/lifted';
import type { AuditEventFilter } from '../../../event/query';
import { ID_BYTES, nextId, ticksOfRecordId } from '../../../event/record-id';
import { oneTenant, tenantSet } from '../../../tenant-set';
import { type SealedWeeks, sealedIn, snapshotOf } from '../../archive/archive';
import { byTier } from '../../plan';
import type { Row } from '../../rows/event-rows';
import { fromStoredJsonText } from '../../rows/stored-text';
import { HASH_BYTES } from '../evidence/merkle';
import { isOfNoEvent } from '../evidence/own-entry';
import { TILE_WIDTH } from '../evidence/tiles';
import {
  eventsStatement,
  headsStatement,
  type MarkPlace,
  markStatement,
  marksOfSeveralStatement,
  minuteStatement,
  passesStatement,
  sizesStatement,
  type TileSpan,
  tilesOfSeveralStatement,
  tilesStatement,
  type Wanted,
} from './arrival.statements';
import type {
  ArrivalLimits,
  ArrivalPlace,
  ArrivalReader,
  Arrivals,
  ArrivedEvent,
  ArrivedText,
  ReadLimits,
} from './arrival-reader';
import { arrivalTimes } from './arrival-runs';
import { ArrivedAgain } from './arrived-again';
import type { GoneSeal, SealedPosition } from './gone-seal';
import {
  type ArrivedRow,
  additionalOf,
  fieldsMapper,
  type RowText,
  storedAdditional,
  valuesOf,
} from './row-text';

const MINUTE_MS = 60_000;
/** The largest minute of the column, in the year 6053. A reader may ask for a later time. */
const MINUTE_MAX = 2 ** 31 - 1;
/** Positions looked up by one statement: few enough for lookups by index and for sorting in memory. */
const POSITIONS_AT_ONCE = 1_024;
const POSITIONS_AT_LEAST = 32;
const TILES_AT_ONCE = 256;

/** A position of the log with its entry. */
interface Entry {
  readonly position: number;
  /** In hex, without dashes. */
  readonly id: string;
  readonly receivedMs: number | null;
  readonly isOfEvent: boolean;
}

/** Makes an item from an entry and the text of its event's row. */
type Make<T> = (entry: Entry, row: RowText) => T;

interface Stretch extends ArrivalPlace {
  readonly size: number;
  /** Positions to read. */
  readonly count: number;
}

/** Reads the evidence log, and the events it names. */
export class PostgresArrivalReader implements ArrivalReader {
  readonly #again: ArrivedAgain;

  readonly #ask: ServiceDoor['ask'];

  constructor(
    private readonly door: ServiceDoor | OwnerDoor,
    nowMs: () => number = Date.now,
    /** Null: it goes through the removed beginning of a log. */
    private readonly goneSeal: GoneSeal | null = null,
  ) {
    this.#ask = askingBy(door);
    this.#again = new ArrivedAgain(this.#ask, nowMs);
  }

  async sizes(tenants: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#rows(sizesStatement(tenants), tenants);
    const found = new Map(rows.map(({ tenant_id, size }) => [Number(tenant_id), Number(size)]));
    return new Map(tenants.map((tenantId) => [tenantId, found.get(tenantId) ?? 0]));
  }

  async marks(positions: ReadonlyMap<number, number>): Promise<ReadonlyMap<number, string>> {
    const places = [...positions].filter(([, position]) => position > 0).map(markPlace);
    const [only] = places;
    if (!only) return new Map();
    const tenants = places.map(({ tenantId }) => tenantId);
    const rows = this.door.isDistributed
      ? (await inTurn(places, (place) => this.#rows(markStatement(place), [place.tenantId]))).flat()
      : await this.#rows(
          places.length === 1 ? markStatement(only) : marksOfSeveralStatement(places),
          tenants,
        );
    const found = rows.map(({ tenant_id, mark }) => [Number(tenant_id), String(mark)] as const);
    return new Map(found.filter(([, mark]) => mark.length === 2 * HASH_BYTES));
  }

  async read(tenantId: number, from: number, limits: ArrivalLimits): Promise<Arrivals> {
    const [arrivals] = await this.readEach([{ tenantId, from }], limits);
    return arrivals as Arrivals;
  }

  async readRows(tenantId: number, from: number, limits: ArrivalLimits): Promise<Arrivals<ArrivedRow>> {
    const [arrivals] = await this.#readEach([{ tenantId, from }], limits, toArrivedRow);
    return arrivals as Arrivals<ArrivedRow>;
  }

  readEach(places: readonly ArrivalPlace[], limits: ArrivalLimits): Promise<readonly Arrivals[]> {
    return this.#readEach(places, limits, toArrived);
  }

  readTexts(
    places: readonly ArrivalPlace[],
    limits: ArrivalLimits,
  ): Promise<readonly Arrivals<ArrivedText>[]> {
    return this.#readEach(places, limits, toArrivedText);
  }

  async #readEach<T>(
    places: readonly ArrivalPlace[],
    limits: ArrivalLimits,
    make: Make<T>,
  ): Promise<readonly Arrivals<T>[]> {
    const heads = await this.#heads(places.map(({ tenantId }) => tenantId));
    const sized = places.map(({ tenantId, from }) => {
      const { size, gone } = heads.get(tenantId) ?? { size: 0, gone: 0 };
      const end = Math.min(limits.end ?? size, size);
      const first = Math.min(from, size);
      return { tenantId, size, first, from: limits.isWhole ? first : Math.max(first, Math.min(gone, end)) };
    });
    const behind = sized
      .filter(({ from, size }) => from < Math.min(size, limits.end ?? size))
      .slice(0, limits.events);
    const read = new Map<number, Arrivals<T>>();
    for (const arrivals of await this.#readBehind(behind, limits, make))
      read.set(arrivals.tenantId, arrivals);
    return sized.map(({ first, ...place }) => {
      const arrivals = read.get(place.tenantId) ?? nothingFrom(place);
      const skipped = place.from - first;
      return { ...arrivals, from: first, removed: arrivals.removed + skipped, skipped };
    });
  }

  async #heads(
    tenants: readonly number[],
  ): Promise<ReadonlyMap<number, { readonly size: number; readonly gone: number }>> {
    const rows = await this.#rows(headsStatement(tenants), tenants);
    return new Map(
      rows.map(({ tenant_id, size, ...row }) => [
        Number(tenant_id),
        { size: Number(size), gone: this.goneSeal?.open(Number(tenant_id), sealedOf(row)) ?? 0 },
      ]),
    );
  }

  #readBehind<T>(
    behind: readonly (ArrivalPlace & { readonly size: number })[],
    limits: ArrivalLimits,
    make: Make<T>,
  ): Promise<readonly Arrivals<T>[]> {
    const share = (all: number) => Math.max(1, Math.floor(all / Math.max(1, behind.length)));
    const shares = {
      positions: share(limits.positions),
      events: share(limits.events),
      bytes: share(limits.bytes),
      ...(limits.end !== undefined && { end: limits.end }),
      actions: limits.actions,
      hasMarks: limits.hasMarks,
    };
    if (behind.length === 1 || this.door.isDistributed)
      return inTurn(behind, (place) => this.#readOne(place, shares, make));
    // No more positions than events, so that no tenant takes the share of another one.
    const most = Math.min(shares.positions, shares.events);
    const endOf = (size: number) => Math.min(size, limits.end ?? size);
    const stretches = behind.map((place) => ({
      ...place,
      count: Math.min(most, endOf(place.size) - place.from),
    }));
    return this.#stretches(stretches, limits, make);
  }

  /** Reads one tenant's log, past positions without events. */
  async #readOne<T>(
    { tenantId, from, size }: ArrivalPlace & { readonly size: number },
    limits: ArrivalLimits,
    make: Make<T>,
  ): Promise<Arrivals<T>> {
    const [items, others]: [T[], number[]] = [[], []];
    let [at, bytes, removed] = [from, 0, 0];
    const end = Math.min(size, limits.end ?? size, from + limits.positions);
    while (at < end && items.length < limits.events && bytes <= limits.bytes) {
      const events = limits.events - items.length;
      const count = Math.min(POSITIONS_AT_ONCE, end - at, Math.max(POSITIONS_AT_LEAST, events));
      const { actions, hasMarks } = limits;
      const room = { events, bytes: limits.bytes - bytes, actions, hasMarks };
      const [read] = await this.#stretches([{ tenantId, from: at, size, count }], room, make);
      if (!read) break;
      for (const item of read.items) items.push(item);
      for (const position of read.others) others.push(position);
      bytes += read.bytes;
      removed += read.removed;
      at = read.next;
      if (read.isCut) break;
    }
    return { tenantId, from, next: at, size, items, removed, others, skipped: 0, bytes };
  }

  /** Reads stretches of a few hundred positions each, all with two statements. */
  async #stretches<T>(stretches: readonly Stretch[], limits: ReadLimits, make: Make<T>) {
    const tenants = stretches.map(({ tenantId }) => tenantId);
    const all = await this.#entries(stretches);
    const entries = all.map((ofOne) => ofOne.filter(({ isOfEvent }) => isOfEvent));
    const wanted = {
      ids: entries.flatMap((ofOne) => ofOne.map(({ id }) => id)),
      tenants: entries.flatMap((ofOne, i) => ofOne.map(() => tenants[i] as number)),
    };
    const { rows, isCut } =
      wanted.ids.length === 0 ? { rows: [], isCut: false } : await this.#events(tenants, wanted, limits);
    const cutAt = isCut ? Number(rows.at(-1)?.n) + 1 : wanted.ids.length;
    const byNumber = new Map(rows.map((row) => [Number(row.n), row]));
    const bytesOf = (row: Row) => Number(row.size);
    const pauses = new Pauses();
    let first = 0;
    return inTurn([...stretches.keys()], async (i) => {
      const { tenantId, from, size, count } = stretches[i] as Stretch;
      const ofOne = entries[i] ?? [];
      const firstNumber = first;
      first += ofOne.length;
      const last = ofOne[cutAt - firstNumber];
      const next = cutAt <= firstNumber && isCut ? from : last ? last.position : from + count;
      const found = ofOne.flatMap((entry, at) => {
        const row = byNumber.get(firstNumber + at);
        return row ? [{ entry, row }] : [];
      });
      const again = await this.#again.superseded(
        tenantId,
        found.map(({ entry, row }) => ({ position: entry.position, recordId: String(row.record_id) })),
      );
      const items: T[] = [];
      for (const { entry, row } of found) {
        if (again.has(entry.position)) continue;
        items.push(make(entry, { recordId: String(row.record_id), text: String(row.text) }));
        if (pauses.isDue) await pauses.take();
      }
      // Neither erasures nor what they erased was removed by retention.
      const others = (all[i] ?? [])
        .filter((entry) => !entry.isOfEvent && entry.position < next)
        .map(({ position }) => position);
      const bytes = found.reduce((sum, { row }) => sum + bytesOf(row), 0);
      return {
        tenantId,
        from,
        next,
        size,
        items,
        removed: next - from - items.length - others.length,
        others,
        skipped: 0,
        bytes,
        isCut,
      };
    });
  }

  /** The rows of wanted events, in order. An event that was cut off is not gone: the stretch ends before it. */
  async #events(tenants: readonly number[], wanted: Wanted, limits: ReadLimits): Promise<FoundEvents> {
    const ofTenants = tenantSet(tenants);
    const statement = eventsStatement(wanted, limits, this.door.each(ofTenants));
    const lowest = wanted.ids.toSorted()[0] ?? '';
    return byTier(
      this.door,
      { tenants, range: { from: ticksOfRecordId(withDashes(lowest)) } },
      async () => foundIn(await this.#rows(statement, tenants)),
      () =>
        guarded(() =>
          snapshotOf(this.door, ofTenants, async (ask) => {
            const found = foundIn(await ask(statement));
            return withFiles(found, wanted, limits, sealedIn(this.door, ask));
          }),
        ),
    );
  }

  /** The entries of each stretch. The positions of a missing tile are left out. */
  async #entries(stretches: readonly Stretch[]): Promise<readonly Entry[][]> {
    const spans = stretches.map(({ tenantId, from, count }) => ({
      tenantId,
      first: Math.floor(from / TILE_WIDTH),
      end: Math.floor((from + count - 1) / TILE_WIDTH) + 1,
    }));
    const [only] = spans;
    const tenants = spans.map(({ tenantId }) => tenantId);
    const statement = spans.length === 1 ? tilesStatement(only as TileSpan) : tilesOfSeveralStatement(spans);
    const rows = await this.#rows(statement, tenants);
    return stretches.map(({ tenantId, from, count }) =>
      rows
        .filter(({ tenant_id }) => Number(tenant_id) === tenantId)
        .flatMap((tile) => entriesOf(tile, from, from + count)),
    );
  }

  async positionAt(tenantId: number, receivedAt: Date): Promise<number> {
    const size = (await this.sizes([tenantId])).get(tenantId) ?? 0;
    const wantedMs = receivedAt.getTime();
    const minute = Math.min(Math.floor(wantedMs / MINUTE_MS), MINUTE_MAX);
    const [row] = await this.#rows(minuteStatement(tenantId, minute), [tenantId]);
    const from = Number(row?.position ?? 0);
    for (let first = Math.floor(from / TILE_WIDTH); first * TILE_WIDTH < size; first += TILES_AT_ONCE) {
      const rows = await this.#rows(tilesStatement({ tenantId, first, end: first + TILES_AT_ONCE }), [
        tenantId,
      ]);
      for (const { tile, record_ids, arrivals } of rows) {
        const count = (record_ids as Uint8Array).length / ID_BYTES;
        const times = arrivalTimes(arrivals as Uint8Array | null, count);
        const start = Number(tile) * TILE_WIDTH;
        const at = times.findIndex((ms, i) => start + i >= from && (ms === null || ms >= wantedMs));
        if (at >= 0) return Math.min(size, start + at);
      }
    }
    return size;
  }

  async passes(tenantId: number, recordId: string, filter: AuditEventFilter): Promise<boolean> {
    const statement = passesStatement(tenantId, recordId, filter);
    const from = ticksOfRecordId(recordId);
    return byTier(
      this.door,
      { tenants: [tenantId], range: { from } },
      async () => (await this.#rows(statement, [tenantId])).length > 0,
      () =>
        guarded(() =>
          snapshotOf(this.door, oneTenant(tenantId), async (ask) => {
            if ((await ask(statement)).length > 0) return true;
            const stretches = [{ from: recordId, to: nextId(recordId) }];
            const how = { value: null, descending: false, limit: 1 };
            const found = await sealedIn(this.door, ask)?.ids(tenantId, filter, stretches, how);
            return found !== undefined && found.length > 0;
          }),
        ),
    );
  }

  async #rows(statement: Prisma.Sql, tenants: readonly number[]): Promise<readonly Row[]> {
    return tenants.length === 0 ? [] : guarded(() => this.#ask(statement, tenantSet(tenants)));
  }
}

interface FoundEvents {
  readonly rows: readonly Row[];
  readonly isCut: boolean;
}

const foundIn = (rows: readonly Row[]): FoundEvents => ({
  rows,
  isCut: rows.length < Number(rows[0]?.matched ?? 0),
});

const withDashes = (id: string) =>
  id.includes('-') ? id : id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Adds the events that lie in files, within the same limits. */
async function withFiles(
  { rows, isCut }: FoundEvents,
  { ids, tenants }: Wanted,
  { events, bytes, hasMarks }: ReadLimits,
  sealed: SealedWeeks | null,
): Promise<FoundEvents> {
  const end = isCut ? Number(rows.at(-1)?.n) + 1 : ids.length;
  const found = new Map(rows.map((row) => [Number(row.n), row]));
  const missing = new Map<number, Map<string, number>>();
  for (let n = 0; n < end; n++) {
    if (found.has(n)) continue;
    const tenantId = tenants[n] as number;
    const ofOne = missing.get(tenantId) ?? new Map<string, number>();
    missing.set(tenantId, ofOne.set(withDashes(ids[n] as string), n));
  }
  for (const [tenantId, numbers] of missing)
    for (const { recordId, size } of (await sealed?.sizes(tenantId, [...numbers.keys()])) ?? []) {
      const n = numbers.get(recordId) as number;
      found.set(n, { n, record_id: recordId, size });
    }
  const all = [...found].sort(([a], [b]) => a - b).map(([, row]) => row);
  const kept: Row[] = [];
  let before = 0;
  for (const row of all) {
    if (kept.length >= events || before > bytes) break;
    kept.push(row);
    before += Number(row.size);
  }
  const texts = new Map<number, string>();
  for (const [tenantId, numbers] of missing) {
    const wanted = kept.filter(({ n, text }) => text === undefined && tenants[Number(n)] === tenantId);
    const ids = wanted.map(({ record_id }) => String(record_id));
    for (const { recordId, text } of (await sealed?.texts(tenantId, ids, hasMarks === true)) ?? [])
      texts.set(numbers.get(recordId) as number, text);
  }
  const withTexts = kept.map((row) => ({ ...row, text: row.text ?? texts.get(Number(row.n)) }));
  return { rows: withTexts, isCut: isCut || kept.length < all.length };
}

const markPlace = ([tenantId, position]: readonly [number, number]): MarkPlace => ({
  tenantId,
  tile: Math.floor((position - 1) / TILE_WIDTH),
  byte: ((position - 1) % TILE_WIDTH) * HASH_BYTES + 1,
});

const nothingFrom = (place: ArrivalPlace & { readonly size: number }): Arrivals<never> => ({
  ...place,
  next: place.from,
  items: [],
  removed: 0,
  others: [],
  skipped: 0,
  bytes: 0,
});

const sealedOf = ({ gone, gone_key, gone_mac }: Row): SealedPosition => ({
  position: Number(gone),
  keyId: gone_key as string | null,
  mac: gone_mac as Uint8Array | null,
});

const ID_CHARS = 2 * ID_BYTES;

/** The entries of a tile from one position to before another. */
function entriesOf({ tile, record_ids, arrivals }: Row, from: number, end: number): Entry[] {
  const bytes = record_ids as Uint8Array;
  const ids = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  const count = Math.floor(bytes.length / ID_BYTES);
  const start = Number(tile) * TILE_WIDTH;
  const times = arrivalTimes(arrivals as Uint8Array | null, count);
  const entries: Entry[] = [];
  const last = Math.min(end, start + count);
  for (let position = Math.max(from, start); position < last; position++) {
    const at = position - start;
    const id = ids.slice(at * ID_CHARS, (at + 1) * ID_CHARS);
    const isOfEvent = !isOfNoEvent(bytes, at * ID_BYTES);
    entries.push({ position, id, receivedMs: times[at] ?? null, isOfEvent });
  }
  return entries;
}

const toFields = fieldsMapper();

const toArrived: Make<ArrivedEvent> = ({ position, receivedMs }, row) => {
  const values = valuesOf(row);
  const event = Object.assign(toFields(values), { additional: additionalOf(values) });
  return { position, event, receivedAt: timeOfArrival(receivedMs) };
};

const toArrivedRow: Make<ArrivedRow> = ({ position }, { recordId, text }) => ({ position, recordId, text });

/** The same item as `toFeedItem` of `formats/feed-item.ts` makes. Stored JSON without escapes is not written anew. */
const toArrivedText: Make<ArrivedText> = ({ position, receivedMs }, row) => {
  const values = valuesOf(row);
  const event = toFields(values);
  const fields = JSON.stringify(event);
  const lifted = liftedOf({ actionId: event.actionId, additional: additionalOf(values) });
  const receivedAt = timeOfArrival(receivedMs);
  const beside = JSON.stringify(Object.assign(lifted, { receivedAt, position: String(position) }));
  const additional = fromStoredJsonText(storedAdditional(values));
  return { position, json: `${fields.slice(0, -1)},"additional":${additional},${beside.slice(1)}` };
};

const lastArrival = { ms: Number.NaN, text: '' };

/** Keeps the last text, because all events of a batch have the same time. */
function timeOfArrival(ms: number | null): string | null {
  if (ms === null) return null;
  if (ms !== lastArrival.ms) {
    lastArrival.text = new Date(ms).toISOString();
    lastArrival.ms = ms;
  }
  return lastArrival.text;
}

/** Does the work for one after the other. */
async function inTurn<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const one of all) results.push(await work(one));
  return results;
}
