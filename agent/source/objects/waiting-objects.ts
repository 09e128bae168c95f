import { type Bookmark, isAtEnd } from '../../bookmarks/bookmark';
import { type ObjectName, objectNameOf } from './object-name';
import type { StoredObject } from './object-store';

/** The bookmarks: how far each file is acknowledged. */
export interface Acknowledged {
  of(fileGuid: string): Bookmark | null;
  all(): Iterable<readonly [fileGuid: string, bookmark: Bookmark]>;
}

export interface KnownObject {
  object: StoredObject;
  readonly name: ObjectName;
  readonly path: string;
  /** The file in it; null while that is unknown. */
  fileGuid: string | null;
  /** Whether the tail knows it: it stays in the listing until it is acknowledged or gone. */
  isHanded: boolean;
}

/** The objects of a store that are not acknowledged to their end, and of each series the newest one. */
export class WaitingObjects {
  private readonly byKey = new Map<string, KnownObject>();
  private newest = new Map<string, KnownObject>();
  private readonly guidOfPath = new Map<string, string>();
  /** The newest file of each series that the bookmarks name, by FILETIME. */
  private readonly newestOf = new Map<string, bigint>();

  constructor(
    private readonly base: string,
    private readonly bookmarks: Acknowledged,
  ) {}

  get all(): readonly KnownObject[] {
    return [...this.byKey.values()].sort(byCreation);
  }

  /** @param limit FILETIME: a later time in a name is that of a wrong clock */
  readBookmarks(limit: bigint): void {
    this.guidOfPath.clear();
    this.newestOf.clear();
    for (const [fileGuid, { path }] of this.bookmarks.all()) {
      if (!path?.startsWith(this.base)) continue;
      this.guidOfPath.set(path, fileGuid);
      const name = objectNameOf(path.slice(this.base.length));
      if (name === null || name.created === null || name.created > limit) continue;
      const known = this.newestOf.get(name.series);
      if (known === undefined || known < name.created) this.newestOf.set(name.series, name.created);
    }
  }

  /** FILETIME of the newest file of the series that the bookmarks name; null: none. */
  newestBookmarked(series: string): bigint | null {
    return this.newestOf.get(series) ?? null;
  }

  at(key: string): KnownObject | null {
    const known = this.byKey.get(key);
    if (known) return known;
    for (const one of this.newest.values()) if (one.object.key === key) return one;
    return null;
  }

  saw(object: StoredObject, name: ObjectName): KnownObject {
    const path = this.base + object.key;
    const before = this.byKey.get(object.key);
    const known = before ?? {
      object,
      name,
      path,
      fileGuid: this.guidOfPath.get(path) ?? null,
      isHanded: this.guidOfPath.has(path),
    };
    known.object = object;
    const newest = this.newest.get(name.series);
    if (newest === undefined || byCreation(newest, known) <= 0) this.newest.set(name.series, known);
    if (!this.isAcknowledged(known)) this.byKey.set(object.key, known);
    return known;
  }

  forgetNewest(): void {
    this.newest = new Map();
  }

  delete(key: string): void {
    this.byKey.delete(key);
    for (const [series, one] of this.newest) if (one.object.key === key) this.newest.delete(series);
  }

  /** Whether a newer object of the series is known. */
  isFollowed({ name, object }: KnownObject): boolean {
    const newest = this.newest.get(name.series);
    return newest !== undefined && newest.object.key !== object.key;
  }

  /** Forgets objects that are acknowledged to their end. @returns their keys */
  forgetAcknowledged(): readonly string[] {
    const done = [...this.byKey].flatMap(([key, known]) => (this.isAcknowledged(known) ? [key] : []));
    for (const key of done) this.byKey.delete(key);
    return done;
  }

  /**
   * The objects that the tail works on now: those that it has begun, and the oldest of each series; of a series without
   * any, the newest.
   */
  next(perSeries: number): readonly KnownObject[] {
    const counts = new Map<string, number>();
    const picked: KnownObject[] = [];
    for (const known of this.all) {
      const count = counts.get(known.name.series) ?? 0;
      counts.set(known.name.series, count + 1);
      if (known.isHanded || count < perSeries) picked.push(known);
    }
    for (const [series, known] of this.newest) if (!counts.has(series)) picked.push(known);
    return picked.sort(byCreation);
  }

  /** Bytes of a file whose end is acknowledged; null: unknown. */
  acknowledgedSize({ fileGuid }: KnownObject): number | null {
    return (fileGuid === null ? null : this.bookmarks.of(fileGuid)?.endSize) ?? null;
  }

  isAcknowledged({ fileGuid, name, object, path }: KnownObject): boolean {
    const bookmark = fileGuid === null ? null : this.bookmarks.of(fileGuid);
    if (bookmark === null || bookmark.mayGrow !== undefined) return false;
    // What is uploaded again under the same key may hold more, or be another file, at the same size.
    if (bookmark.path === path && bookmark.version !== object.version) return false;
    // The size of an archive says nothing about the size of the file in it.
    return isAtEnd(name.isZip ? bookmark : { ...bookmark, size: object.size });
  }
}

function byCreation(a: KnownObject, b: KnownObject): number {
  const [one, other] = [
    a.name.created ?? BigInt(a.object.mtimeMs),
    b.name.created ?? BigInt(b.object.mtimeMs),
  ];
  if (one !== other) return one < other ? -1 : 1;
  return a.object.key < b.object.key ? -1 : a.object.key > b.object.key ? 1 : 0;
}
