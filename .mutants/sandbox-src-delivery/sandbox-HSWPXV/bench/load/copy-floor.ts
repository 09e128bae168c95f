import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../context';
import { withClient } from '../processes/databases';
import { type Effort, effortOf, familyMs, processMs } from '../processes/processor-time';
import { copyFromFile, copyToFile } from './copy';
import type { IngestArena } from './ingest-arena';

const TABLE = 'audit_event';

export interface CopyRound {
  /** In rows a second. */
  readonly rate: number;
  readonly effort: Effort<'postgres' | 'sender'>;
}

/**
 * The comparison for ingest: COPY of the rows that the service stored, into the same table with the same partitions
 * and indexes.
 */
export class CopyFloor {
  private constructor(
    private readonly bench: Bench,
    private readonly arena: IngestArena,
    /** Two files, each with half of the rows in the order of the table. */
    private readonly files: readonly string[],
    readonly bytesPerRow: number,
  ) {}

  static async open(bench: Bench, arena: IngestArena): Promise<CopyFloor> {
    const folder = bench.folder('copy');
    const url = await arena.filled('copy_source');
    const files = ['first', 'second'].map((name) => join(folder, `${name}.copy`));
    const bytesPerRow = await withClient(url, async (client) => {
      for (const [half, file] of files.entries()) {
        // In turn 64 pages of the table for each half, so that both halves go through the partitions in the same order.
        const rows = `SELECT * FROM ${TABLE} WHERE ((ctid::text::point)[0]::bigint / 64) % 2 = ${half}`;
        await copyToFile(client, `COPY (${rows}) TO STDOUT`, file);
      }
      const {
        rows: [size],
      } = await client.query(`SELECT avg(pg_column_size(e))::float8 AS bytes FROM ${TABLE} e`);
      return size.bytes;
    });
    await (await bench.databases()).drop('copy_source');
    return new CopyFloor(bench, arena, files, bytesPerRow);
  }

  /** Measures both halves one after the other on one connection, or side by side on two. */
  async measure(connections: 1 | 2): Promise<CopyRound> {
    const databases = await this.bench.databases();
    const url = await this.arena.database('ingest_round');
    await databases.settle();
    try {
      const copyHalf = (file: string) =>
        withClient(url, (client) => copyFromFile(client, `COPY ${TABLE} FROM STDIN`, file));
      const clocks = {
        postgres: () => familyMs(this.bench.postgresPid),
        sender: () => processMs(process.pid),
      };
      const { effort } = await effortOf(clocks, async () => {
        if (connections === 2) await Promise.all(this.files.map(copyHalf));
        else for (const file of this.files) await copyHalf(file);
      });
      await withClient(url, async (client) => {
        const {
          rows: [found],
        } = await client.query(`SELECT count(*)::int AS n FROM ${TABLE}`);
        if (found.n !== this.arena.events)
          throw new Error(`COPY stored ${found.n} of ${this.arena.events} rows`);
      });
      return { rate: (this.arena.events / effort.wall) * 1000, effort };
    } finally {
      await databases.drop('ingest_round');
    }
  }

  close(): void {
    for (const file of this.files) rmSync(file, { force: true });
  }
}
