import { fromBase64, isSame, linesOf, piecesOf, textOf } from './bytes';
import { countAtLevel, FILES, type ProofLine, placesOfTile, TILE_PLACES } from './layout';
import { rootOfProof } from './multiproof';
import { type CheckpointText, type Crypto, pairHash } from './note';

const HASH_BYTES = 32;
const LINE_BYTES_MAX = 256 * 1024;
/** 256 to the power of this is more entries than a log has. */
const LEVELS_MAX = 6;

type Hash = Uint8Array;

/** A line of the proofs. */
interface Tile {
  readonly level: number;
  readonly tile: number;
  readonly places: readonly number[];
  /** At level 0: lines of events, and their leaf hashes. */
  readonly events: readonly number[];
  readonly leaves: readonly Hash[];
  readonly others: readonly Hash[];
  readonly stated: Hash;
  /** Above level 0; of each place. */
  children: readonly Tile[];
  /** From its leaves, or from the computed hashes of its children. Null: it cannot be computed. */
  computed: Hash | null;
}

/** What the proofs say of an event. */
export interface ProvenLeaf {
  /** Index of the entry in the log. */
  readonly index: number;
  readonly leaf: Hash;
  /** Whether the leaf leads to the root of the checkpoint. */
  readonly isProven: boolean;
}

/** The proofs of a package: the leaf hash of each event, and whether it leads to the root of a checkpoint. */
export class Proofs {
  /** What is wrong with the file, in words. */
  readonly problems: string[] = [];
  readonly #leaves = new Map<number, { readonly index: number; readonly leaf: Hash; tile: Tile }>();
  /** Tiles of level 0 that do not lead to the root, each with the hash that would. Null: nothing would. */
  readonly #broken = new Map<Tile, Hash | null>();

  private constructor(
    private readonly size: number,
    private readonly pair: (left: Hash, right: Hash) => Hash,
  ) {}

  static async read(
    lines: AsyncIterable<Uint8Array>,
    { size, root }: CheckpointText,
    crypto: Crypto,
  ): Promise<Proofs> {
    const proofs = new Proofs(size, pairHash(crypto));
    let [below, here, level, number] = [new Map<number, Tile>(), new Map<number, Tile>(), 0, 0];
    for await (const bytes of linesOf(lines, LINE_BYTES_MAX)) {
      number++;
      const tile = tileIn(bytes, size);
      if (!tile || tile.level < level || tile.level > level + 1) {
        proofs.#say(`line ${number} is no part of a proof`);
        continue;
      }
      if (tile.level > level) [below, here, level] = [here, new Map(), tile.level];
      proofs.#add(tile, below);
      here.set(tile.tile, tile);
    }
    const top = countAtLevel(size, level + 1) === 1 ? here.get(0) : undefined;
    if (top) proofs.#settle(top, root);
    const reached = new Set<Tile>();
    if (top) gather(top, reached);
    for (const { tile } of proofs.#leaves.values())
      if (!reached.has(tile)) {
        if (!proofs.#broken.has(tile)) proofs.#say(`nothing leads from ${proofs.#named(tile)} to the root`);
        proofs.#broken.set(tile, null);
      }
    return proofs;
  }

  leafOf(event: number): ProvenLeaf | undefined {
    const found = this.#leaves.get(event);
    return found && { index: found.index, leaf: found.leaf, isProven: !this.#broken.has(found.tile) };
  }

  /** The lines of all events that have a leaf. */
  get events(): Iterable<number> {
    return this.#leaves.keys();
  }

  /**
   * Whether the hash of an event, as it was computed of the event itself, leads to the root where the leaf of the file
   * does not. @param ownHash of each event of the same tile
   */
  isProvenBy(event: number, ownHash: (event: number) => Hash | undefined): boolean {
    const tile = this.#leaves.get(event)?.tile;
    const wanted = tile && this.#broken.get(tile);
    if (!tile || !wanted) return false;
    const own = tile.events.map(ownHash);
    if (own.some((hash) => !hash)) return false;
    const found = this.#root(tile, own as Hash[]);
    return found !== null && isSame(found, wanted);
  }

  /** The events whose tile does not lead to the root. */
  isBroken(event: number): boolean {
    const tile = this.#leaves.get(event)?.tile;
    return tile !== undefined && this.#broken.has(tile);
  }

  #add(tile: Tile, below: ReadonlyMap<number, Tile>): void {
    if (tile.level === 0) {
      tile.events.forEach((event, i) => {
        const index = tile.tile * TILE_PLACES + (tile.places[i] ?? 0);
        this.#leaves.set(event, { index, leaf: tile.leaves[i] as Hash, tile });
      });
      tile.computed = this.#root(tile, tile.leaves);
      return;
    }
    const children = tile.places.map((place) => below.get(tile.tile * TILE_PLACES + place));
    if (children.some((child) => !child)) {
      this.#say(`lines below ${this.#named(tile)} are missing`);
      return;
    }
    tile.children = children as Tile[];
    tile.computed = this.#root(
      tile,
      tile.children.map(({ computed, stated }) => computed ?? stated),
    );
  }

  /** Goes down from a hash that is known to be right. */
  #settle(tile: Tile, wanted: Hash): void {
    if (!isSame(tile.stated, wanted)) this.#say(`the hash of ${this.#named(tile)} is not that of the log`);
    if (tile.computed && isSame(tile.computed, wanted)) {
      for (const child of tile.children) this.#settle(child, child.computed ?? child.stated);
      return;
    }
    if (tile.level === 0) {
      this.#breaks(tile, wanted);
      return;
    }
    const stated = this.#root(
      tile,
      tile.children.map((child) => child.stated),
    );
    if (stated && isSame(stated, wanted))
      for (const child of tile.children) this.#settle(child, child.stated);
    else {
      const all = new Set<Tile>();
      gather(tile, all);
      this.#say(`the proof of ${this.#named(tile)} does not lead to the root`);
      for (const one of all) if (one.level === 0) this.#broken.set(one, null);
    }
  }

  #breaks(tile: Tile, wanted: Hash): void {
    this.#broken.set(tile, wanted);
    this.#say(`the proof of ${this.#named(tile)} does not lead to the root`);
  }

  #root(tile: Tile, hashes: readonly Hash[]): Hash | null {
    const count = placesOfTile(this.size, tile.level, tile.tile);
    return rootOfProof(count, tile.places, hashes, tile.others, this.pair);
  }

  #named({ level, tile }: Tile): string {
    const width = TILE_PLACES ** (level + 1);
    return `entries ${tile * width} to ${Math.min(this.size, (tile + 1) * width) - 1}`;
  }

  #say(text: string): void {
    this.problems.push(`${FILES.proofs}: ${text}`);
  }
}

function gather(tile: Tile, into: Set<Tile>): void {
  into.add(tile);
  for (const child of tile.children) gather(child, into);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** @returns null: the bytes are no line of proofs */
function tileIn(bytes: Uint8Array, size: number): Tile | null {
  try {
    const line = JSON.parse(textOf(bytes) ?? '') as Partial<Record<keyof ProofLine, unknown>>;
    const { level, tile, places, events = [], leaves = '', others, hash } = line;
    const [others32, leaves32, [stated] = []] = [others, leaves, hash].map((text) =>
      piecesOf(fromBase64(String(text)), HASH_BYTES),
    ) as [Hash[] | null, Hash[] | null, Hash[] | undefined];
    const isPlaced =
      isCount(level) && level < LEVELS_MAX && isCount(tile) && tile < countAtLevel(size, level + 1);
    if (!isPlaced || !Array.isArray(places) || !Array.isArray(events)) return null;
    if (!others32 || !leaves32 || !stated || ![...places, ...events].every(isCount)) return null;
    const wanted = level === 0 ? places.length : 0;
    if (events.length !== wanted || leaves32.length !== wanted) return null;
    return {
      level,
      tile,
      places,
      events,
      leaves: leaves32,
      others: others32,
      stated,
      children: [],
      computed: null,
    };
  } catch {
    return null;
  }
}
