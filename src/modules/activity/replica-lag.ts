import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { LIMITS } from '../../limits';
import { Gathered } from '../../observe/gathered';

/** Places in the write-ahead log, in bytes; null: the database does not tell. */
interface Places {
  /** How far the primary has written. */
  readonly written: () => Promise<bigint | null>;
  /** How far the replica has replayed. */
  readonly replayed: () => Promise<bigint | null>;
}

/**
 * How far a replica is behind: the seconds since the last moment of which it has replayed everything. By PostgreSQL's
 * own time of the last replay, a replica that is cut off looks like one with nothing to do.
 */
export class ReplicaLag {
  /** Places of the primary that the replica had not replayed, and the newest that it had, oldest first. */
  readonly #seen: { readonly atMs: number; readonly place: bigint }[] = [];
  readonly #lag: Gathered<number | null>;

  constructor(
    private readonly places: Places,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.#lag = new Gathered(() => this.measure(), LIMITS.metricsKeptMs);
  }

  static of(primary: ServiceDoor, replica: ServiceDoor): ReplicaLag {
    return new ReplicaLag({
      written: () =>
        placeOf(() => primary.models.$queryRaw`SELECT (pg_current_wal_lsn() - '0/0')::text AS place`),
      replayed: () =>
        placeOf(() => replica.models.$queryRaw`SELECT (pg_last_wal_replay_lsn() - '0/0')::text AS place`),
    });
  }

  /** Null: not known. The database is asked for the next time, so that no scrape waits. */
  get seconds(): number | null {
    void this.#lag.refresh();
    return this.#lag.value;
  }

  async measure(): Promise<number | null> {
    const written = await this.places.written();
    const atMs = this.nowMs();
    const replayed = await this.places.replayed();
    if (written === null || replayed === null) return null;
    // When there is no room, later places are left out: the oldest ones tell the lag.
    if (this.#seen.length < LIMITS.replicaPlacesMax) this.#seen.push({ atMs, place: written });
    while (this.#seen[1] && this.#seen[1].place <= replayed) this.#seen.shift();
    const [oldest] = this.#seen;
    if (!oldest || written <= replayed) return 0;
    return (atMs - oldest.atMs) / 1000;
  }
}

const placeOf = (ask: () => Promise<{ place: string | null }[]>) =>
  guarded(async () => {
    const [row] = await ask();
    return row?.place ? BigInt(row.place) : null;
  }, LIMITS.metricsDeadlineMs);
