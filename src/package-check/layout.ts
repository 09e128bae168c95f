/** The files of an evidence package, and what stands in them. docs/evidence.md describes them for others. */
export const PACKAGE_VERSION = 1;

export const FILES = {
  manifest: 'manifest.json',
  note: 'manifest.note',
  key: 'public-key.txt',
  checkpoints: 'checkpoints.txt',
  proofs: 'proofs.ndjson',
  events: 'events.ndjson',
  gaps: 'gaps.json',
  /** Only where a checkpoint was stamped. */
  timeStamp: 'time-stamp.json',
  page: 'verify.html',
} as const;

/** The files whose hashes the manifest has, in the order of the package. The manifest and its note come last. */
export const LISTED_FILES = [
  FILES.page,
  FILES.events,
  FILES.key,
  FILES.checkpoints,
  FILES.proofs,
  FILES.gaps,
] as const;

export interface PackageManifest {
  readonly version: typeof PACKAGE_VERSION;
  readonly tenantId: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** The key or the person who asked. */
  readonly createdBy: string;
  /** What was asked: parameters by their names, as they were given. */
  readonly question: Readonly<Record<string, string>>;
  /** Lines of the file of events. */
  readonly events: number;
  /** Events that no checkpoint covered when the package was made: they have no proof. */
  readonly unproven: number;
  readonly log: {
    /** Entries of the newest checkpoint, to which the proofs lead; 0: there is none. */
    readonly size: number;
    /** Base64; null: there is no checkpoint. */
    readonly root: string | null;
  };
  readonly files: readonly PackageFile[];
}

export interface PackageFile {
  readonly name: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** Hashes of a tile: up to 256 neighbours of one level. Those of level 0 are leaves, those of a higher level are tiles. */
export const TILE_PLACES = 256;

/** A line of the file of proofs: the part of the tree below one tile. */
export interface ProofLine {
  readonly level: number;
  readonly tile: number;
  /** The hash of everything below the tile; Base64. */
  readonly hash: string;
  /** The places of the tile that lead to events, ascending, from 0. */
  readonly places: readonly number[];
  /** At level 0, for each place the line of its event, from 0. */
  readonly events?: readonly number[];
  /** At level 0, for each place its leaf hash, one after the other; Base64. */
  readonly leaves?: string;
  /** The hashes of the subtrees of the tile without such a place, from left to right; Base64. */
  readonly others: string;
}

/** How many hashes a level has. */
export const countAtLevel = (size: number, level: number): number => Math.ceil(size / TILE_PLACES ** level);
/** How many places a tile has. */
export const placesOfTile = (size: number, level: number, tile: number): number =>
  Math.min(TILE_PLACES, countAtLevel(size, level) - tile * TILE_PLACES);

/** The file of a time stamp: a checkpoint, what an authority said of it, and that the log of the package goes on from it. */
export interface StampFile {
  /** A signed note. */
  readonly checkpoint: string;
  /** A time-stamp token (RFC 3161); Base64. */
  readonly token: string;
  /** The consistency proof of RFC 9162 from this checkpoint to that of the package, each hash in Base64. */
  readonly consistency: readonly string[];
}

/** The text that the service signs of a manifest. */
export const manifestNoteBody = (
  sha256: string,
  { tenantId, createdAt }: Pick<PackageManifest, 'tenantId' | 'createdAt'>,
): string => `audit-activity/tenant-${tenantId}/package\nsha256 ${sha256}\ntime ${createdAt}\n`;
