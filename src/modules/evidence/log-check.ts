import { ID_BYTES, idBytes, idText } from '../../event/record-id';
import { LIMITS } from '../../limits';
import type { ArrivalReader } from '../../store/log/arrivals/arrival-reader';
import type { GoneSeal } from '../../store/log/arrivals/gone-seal';
import { leafHashOf } from '../../store/log/evidence/entry';
import { parseErasure } from '../../store/log/evidence/erasure-entry';
import { fileEntryLeaf, parseFileEntry } from '../../store/log/evidence/file-entry';
import { HASH_BYTES, rootOf, rootOfHashes } from '../../store/log/evidence/merkle';
import { signerOf } from '../../store/log/evidence/signed-note';
import { MissingNode, nodesOf, TILE_WIDTH, type Tile, tilesFor } from '../../store/log/evidence/tiles';
import { tenantSet } from '../../tenant-set';
import { parseNote } from './checkpoint';
import type { EvidenceStore, LogState } from './evidence.store';
import type { LogHead, LogKeys } from './log-head';
import { isBroken } from './log-watch';
import { erasuresIn } from './verify/erasures';
import { Removals } from './verify/removals';
import { checkFiles, fileEntriesIn, type StatedFiles } from './verify/sealed-files';

/** The result of comparing a span of a tenant's log with the stored events. */
export interface LogCheck {
  readonly from: number;
  /** Where the next span begins; equal to `signed` at the end. */
  readonly next: number;
  /** The number of entries that the newest checkpoint signs. */
  readonly signed: number;
  /** The number of events that were accepted, and that no checkpoint covers yet. */
  readonly unsigned: number;
  /** The entries of the span whose event is stored as it was accepted, and those of files. */
  readonly sound: number;
  /** The entries whose event retention removed. */
  readonly removed: number;
  /** The entries whose event was erased, and those of the erasures themselves. */
  readonly erased: number;
  /**
   * The number of events of the tenant that retention removed in all. At most this many entries may lack their event.
   */
  readonly removedByRetention: number;
  readonly altered: readonly string[];
  readonly missing: readonly string[];
  /** The number of altered or missing records. Only the first of them are named. */
  readonly wrong: number;
  /** Problems of the log itself, in sentences. */
  readonly problems: readonly string[];
}

type Store = Pick<
  EvidenceStore,
  | 'states'
  | 'leafTiles'
  | 'tiles'
  | 'tilesAround'
  | 'removals'
  | 'erasures'
  | 'sealedFiles'
  | 'hasEvents'
  | 'goneBeginning'
>;

/** What this instance knows of the logs, beside what the database says. */
interface LogGuard {
  /** Why this instance does not append to the tenant's log; null: it does. */
  problemOf(tenantId: number): string | null;
  /**
   * The end of the log, proven to be sealed and to go on from the checkpoint that this instance remembers.
   * @throws BrokenLog, MissingNode
   */
  examine(tenantId: number): Promise<LogHead | null>;
}

/** @returns what is wrong with something of the tenant, in sentences */
export type ProblemsOf = (tenantId: number) => Promise<readonly string[]>;

/** A root that the hashes of a log must lead to, and what states it. */
interface Root {
  readonly size: number;
  readonly root: Buffer;
  readonly of: string;
}

/** The end of a log as it was sealed, what the database says beside it, and what is wrong with them. */
interface Ends {
  readonly head: LogHead | null;
  readonly state: LogState | undefined;
  readonly problems: readonly string[];
}

/**
 * Verifies a log span by span: its end against its seal, the remembered checkpoint and the newest one stored; each entry
 * against its event, each tile against the level above and, in the last span, the upper levels against the roots.
 */
export class LogChecker {
  /** What else is looked at, together with the last span. */
  readonly also: ProblemsOf[] = [];

  constructor(
    private readonly store: Store,
    private readonly arrivals: Pick<ArrivalReader, 'read'>,
    private readonly keys: LogKeys,
    private readonly guard: LogGuard,
    private readonly goneSeal: Pick<GoneSeal, 'open'>,
  ) {}

  async check(tenantId: number, from: number): Promise<LogCheck> {
    const { head, state, problems: ofEnds } = await this.#ends(tenantId);
    const noted = state?.checkpoint ? parseNote(state.checkpoint) : null;
    const signed = head?.signedSize ?? Math.min(noted?.size ?? 0, state?.size ?? 0);
    const stretch = await this.#stretch(tenantId, Math.min(from, signed), signed);
    const problems = [...ofEnds, ...stretch.problems];
    if (head && stretch.next === signed) {
      problems.push(...(await this.#upperLevels(tenantId, signed)));
      const roots: Root[] = noted?.size === signed ? [{ ...noted, of: `checkpoint ${noted.number}` }] : [];
      if (roots.length === 0 || head.size > signed) roots.push({ ...head, of: 'its sealed end' });
      for (const root of roots) problems.push(...(await this.#root(tenantId, root)));
    }
    if (stretch.next === signed)
      for (const problemsOf of this.also) problems.push(...(await problemsOf(tenantId)));
    const unsigned = Math.max(0, (head?.size ?? 0) - signed) + (state?.waitingEvents ?? 0);
    return { ...stretch, signed, unsigned, problems };
  }

  async #ends(tenantId: number): Promise<Ends> {
    const problem = this.guard.problemOf(tenantId);
    const problems = problem === null ? [] : [`The service does not append to the log: ${problem}.`];
    try {
      for (let tries = 1; ; tries++) {
        const before = await this.guard.examine(tenantId);
        const [state] = await this.store.states(tenantSet([tenantId]));
        const head = await this.guard.examine(tenantId);
        // Another checkpoint was signed meanwhile.
        if (before?.checkpoints !== head?.checkpoints && tries < TRIES_MAX) continue;
        const found = head ? this.#newest(head, state) : await this.#withoutLog(tenantId, state);
        return { head, state, problems: [...problems, ...found] };
      }
    } catch (error) {
      if (!isBroken(error)) throw error;
      const [state] = await this.store.states(tenantSet([tenantId]));
      const text = `This instance refuses the log: ${error.message}.`;
      return {
        head: null,
        state,
        problems: [...problems.filter((one) => !one.includes(error.message)), text],
      };
    }
  }

  /** Compares the newest checkpoint that is stored with what the log's sealed end says of it. */
  #newest(head: LogHead, state: LogState | undefined): string[] {
    const note = state?.checkpoint ?? null;
    if (head.checkpoints === 0 && note === null) return [];
    const noted = note === null ? null : parseNote(note);
    if (!noted) return [`The newest checkpoint is not there, or is none; the log has ${head.checkpoints}.`];
    const isOfHead =
      noted.tenantId === state?.tenantId &&
      noted.number === head.checkpoints &&
      noted.size === head.signedSize &&
      noted.time === head.signedAt.toISOString();
    if (!isOfHead)
      return [
        `The newest checkpoint that is stored is number ${noted.number} with ${noted.size} entries; the log was signed ${head.checkpoints} times, at last with ${head.signedSize}.`,
      ];
    const { own, others, former } = this.keys;
    const signer = signerOf(
      note ?? '',
      [own, ...others].map(({ verifierKey }) => verifierKey),
    );
    // Of a lost key, nobody here can check the signature.
    return signer && (signer.isTrusted || former.includes(signer.keyId))
      ? []
      : ['The newest checkpoint is not signed by the key of this service.'];
  }

  async #withoutLog(tenantId: number, state: LogState | undefined): Promise<string[]> {
    if (state?.checkpoint) return ['There is no log, and there are checkpoints of it.'];
    if ((state?.waitingEvents ?? 0) > 0 || state?.backfilling) return [];
    return (await this.store.hasEvents(tenantId))
      ? ['Events are stored, and there is no log: it was taken away.']
      : [];
  }

  async #stretch(
    tenantId: number,
    from: number,
    signed: number,
  ): Promise<Omit<LogCheck, 'signed' | 'unsigned'>> {
    const read = await this.arrivals.read(tenantId, from, { ...LIMITS.evidenceCheckStep, isWhole: true });
    const next = Math.min(Math.max(read.next, from + 1), signed);
    const removals = new Removals(await this.store.removals(tenantId), '');
    const first = Math.floor(from / TILE_WIDTH);
    const tiles = await this.store.leafTiles(tenantId, first, Math.ceil(next / TILE_WIDTH) - first);
    const found = new Map(read.items.map(({ position, event }) => [position, event]));
    const byNumber = new Map(tiles.map((tile) => [tile.tile, tile]));
    const [altered, missing, gone]: [string[], string[], number[]] = [[], [], []];
    let [sound, removed, erased] = [0, 0, 0];
    const isErased = await this.#erasedIn(tenantId, signed);
    const sealed = await this.store.sealedFiles(tenantId);
    const isOfFile = fileLeaves(sealed.fileEntries);
    for (let position = from; position < next; position++) {
      const entry = entryAt(byNumber, position);
      const event = found.get(position);
      if (!entry) gone.push(position);
      else if (event && leafHashOf(event) === entry.hash) sound++;
      else if (event) altered.push(entry.recordId);
      else if (isOfFile(entry)) sound++;
      else if (isErased(position)) erased++;
      else if (removals.explain(entry.recordId)) removed++;
      else missing.push(entry.recordId);
    }
    const problems = gone.length === 0 ? [] : [goneText(gone)];
    if (next === signed) problems.push(...(await this.#problemsOfFiles(tenantId, sealed, signed)));
    const passed = this.goneSeal.open(tenantId, await this.store.goneBeginning(tenantId));
    if (read.items.some(({ position }) => position < passed))
      problems.push(`Readers pass the first ${passed} entries as removed, and events of these are there.`);
    problems.push(...(await this.#wholeTiles(tenantId, tiles, { from, next })));
    const shown = (ids: readonly string[]) => ids.slice(0, LIMITS.evidenceCheckRecordsShown);
    const wrong = altered.length + missing.length;
    return {
      from,
      next,
      sound,
      removed,
      erased,
      removedByRetention: removals.events,
      altered: shown(altered),
      missing: shown(missing),
      wrong,
      problems,
    };
  }

  /** In what the list of files differs from what the log says of them. */
  async #problemsOfFiles(tenantId: number, stated: StatedFiles, signed: number): Promise<string[]> {
    const ids = stated.fileEntries.flatMap((text) => parseFileEntry(text)?.entryId ?? []);
    const places = await this.#placesOf(tenantId, ids);
    const found = fileEntriesIn(String(tenantId), stated.fileEntries, signed, (id) => places.get(id) ?? []);
    return checkFiles(stated, found).problems.map((text) => `${text[0]?.toUpperCase()}${text.slice(1)}.`);
  }

  /** The indexes and leaf hashes of the service's own entries, by their ids. */
  async #placesOf(tenantId: number, ids: readonly string[]) {
    const places = new Map<string, { place: number; hash: Buffer }[]>();
    for (const id of ids) {
      const tiles = await this.store.tilesAround(tenantId, id);
      places.set(id, placesIn(tiles, idBytes(id)));
    }
    return places;
  }

  /** @returns whether an entry is without an event because of an erasure that the log has an entry for */
  async #erasedIn(tenantId: number, signed: number): Promise<(position: number) => boolean> {
    const texts = await this.store.erasures(tenantId);
    const ids = texts.flatMap((text) => parseErasure(text)?.erasureId ?? []);
    const places = await this.#placesOf(tenantId, ids);
    const found = erasuresIn(String(tenantId), texts, signed, (id) => places.get(id) ?? []);
    const own = new Set(found.map(({ place }) => place));
    const ranges = found.flatMap(({ erasure }) => erasure.entries);
    return (position) => own.has(position) || ranges.some(([from, to]) => position >= from && position < to);
  }

  /** Checks the complete tiles that end in the span against the level above. */
  async #wholeTiles(
    tenantId: number,
    tiles: readonly Tile[],
    { from, next }: { from: number; next: number },
  ) {
    const ended = tiles.filter(
      ({ tile }) => (tile + 1) * TILE_WIDTH > from && (tile + 1) * TILE_WIDTH <= next,
    );
    const wanted = [...new Set(ended.map(({ tile }) => Math.floor(tile / TILE_WIDTH)))];
    const above = await this.store.tiles(
      tenantId,
      wanted.map((tile) => ({ level: 1, tile })),
    );
    return unlike(ended, above);
  }

  async #upperLevels(tenantId: number, size: number): Promise<string[]> {
    const problems: string[] = [];
    for (let level = 1; wholeAt(level, size) > 0; level++) {
      const below = await this.#tiles(tenantId, level, wholeAt(level, size));
      const above = await this.#tiles(tenantId, level + 1, Math.ceil(wholeAt(level, size) / TILE_WIDTH));
      const lost = wholeAt(level, size) - below.length;
      if (lost > 0) problems.push(`${lost} tiles of level ${level} of the log are not there any more.`);
      problems.push(...unlike(below, above));
    }
    return problems;
  }

  /** Whether the hashes of the log lead to this root. */
  async #root(tenantId: number, { size, root, of }: Root): Promise<string[]> {
    const compute = (node: Parameters<typeof rootOf>[1]) => rootOf(size, node);
    try {
      const tiles = await this.store.tiles(tenantId, tilesFor(compute));
      return compute(nodesOf(tiles)).equals(root) ? [] : [`The log is not the one that ${of} signs.`];
    } catch (error) {
      if (!(error instanceof MissingNode)) throw error;
      return [`The log was changed in the database: ${error.message}.`];
    }
  }

  /** @returns the first tiles of a level, as far as they exist */
  async #tiles(tenantId: number, level: number, count: number): Promise<readonly Tile[]> {
    const tiles: Tile[] = [];
    for (let at = 0; at < count; at += TILES_AT_ONCE) {
      const width = Math.min(TILES_AT_ONCE, count - at);
      const ids = Array.from({ length: width }, (_, i) => ({ level, tile: at + i }));
      tiles.push(...(await this.store.tiles(tenantId, ids)));
    }
    return tiles;
  }
}

/** Whether an entry is that of one of some files. */
function fileLeaves(texts: readonly string[]): (entry: { recordId: string; hash: string }) => boolean {
  const leaves = new Map<string, string>();
  for (const text of texts) {
    const entry = parseFileEntry(text);
    if (entry) leaves.set(entry.entryId, fileEntryLeaf(text).toString('hex'));
  }
  return ({ recordId, hash }) => leaves.get(recordId) === hash;
}

const TILES_AT_ONCE = 256;
const TRIES_MAX = 3;
/** The number of complete tiles of a level. */
const wholeAt = (level: number, size: number) => Math.floor(size / TILE_WIDTH ** (level + 1));

/** @returns a sentence for each complete tile whose hash differs from the level above or is missing there */
function unlike(tiles: readonly Tile[], above: readonly Tile[]): string[] {
  const byNumber = new Map(above.map((tile) => [tile.tile, tile.hashes]));
  return tiles.flatMap(({ level, tile, hashes }) => {
    const at = (tile % TILE_WIDTH) * HASH_BYTES;
    const stated = byNumber.get(Math.floor(tile / TILE_WIDTH))?.subarray(at, at + HASH_BYTES);
    const isSound = hashes.length === TILE_WIDTH * HASH_BYTES && stated?.equals(rootOfHashes(hashes));
    return isSound ? [] : [`Tile ${tile} of level ${level} of the log is not what the level above states.`];
  });
}

function entryAt(tiles: ReadonlyMap<number, Tile>, position: number) {
  const tile = tiles.get(Math.floor(position / TILE_WIDTH));
  const at = position % TILE_WIDTH;
  if (!tile || tile.hashes.length < (at + 1) * HASH_BYTES || tile.recordIds.length < (at + 1) * ID_BYTES)
    return null;
  return {
    recordId: idText(tile.recordIds.subarray(at * ID_BYTES, (at + 1) * ID_BYTES)),
    hash: tile.hashes.toString('hex', at * HASH_BYTES, (at + 1) * HASH_BYTES),
  };
}

/** The entries of tiles under an id, with their leaf hashes. */
function placesIn(tiles: readonly Tile[], id: Buffer): { place: number; hash: Buffer }[] {
  return tiles.flatMap(({ tile, recordIds, hashes }) =>
    Array.from({ length: Math.min(recordIds.length / ID_BYTES, hashes.length / HASH_BYTES) }, (_, at) => at)
      .filter((at) => id.compare(recordIds, at * ID_BYTES, (at + 1) * ID_BYTES) === 0)
      .map((at) => ({
        place: tile * TILE_WIDTH + at,
        hash: hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
      })),
  );
}

const goneText = (positions: readonly number[]) =>
  `${positions.length} entries of the log are not there any more, the first at ${positions[0]}.`;
