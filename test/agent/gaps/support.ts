import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Gap } from '../../../agent/gaps/gap';
import type { Batch } from '../../../agent/tail/database-tail';
import { AuditFileWriter, type Row } from '../sqlaudit/support/sqlaudit-writer';
import { FILES_2022 } from '../support/agent-world';
import { auditFileName } from '../support/audit-files';
import { eventsOfBatch, startTail } from '../support/tail-harness';

export const writer = AuditFileWriter.from(readFileSync(FILES_2022[0] ?? ''));

/** Time of the n-th record; they are a second apart. */
export const timeOf = (n: number): string =>
  `${new Date(Date.UTC(2025, 3, 16) + n * 1000).toISOString().slice(0, -1)}0000Z`;
export const row = (n: number): Row => ({
  session_id: 51,
  transaction_id: n,
  action_id: 'SL',
  event_time: timeOf(n),
  object_id: n,
  statement: `SELECT ${n}`,
});
export const guidOf = (file: number): string => `5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e${10 + file}`;

/** A folder of one server audit, and an agent's tail of it that a test can start, let publish and stop. */
export class AuditFolder {
  readonly data = mkdtempSync(join(tmpdir(), 'audit-gaps-'));
  readonly folder = mkdtempSync(join(tmpdir(), 'audit-gaps-'));
  /** The statement of each event that was delivered, over all runs. */
  readonly delivered: string[] = [];
  gaps: readonly Gap[] = [];
  /** Whether agents of several hosts read the folder. */
  isShared = false;

  remove(): void {
    for (const each of [this.data, this.folder]) rmSync(each, { recursive: true });
  }

  /** Where the tail keeps its copies. */
  get spool(): string {
    return join(this.data, 'checkpoint.json.spool');
  }

  path(file: number): string {
    return join(this.folder, auditFileName(file));
  }

  /** Writes a file with a block for each record, by default counted from 1. Like SQL Server's, it never appears empty. */
  write(file: number, records: readonly number[], sequences?: readonly number[]): void {
    const blocks = records.map((n, i) => writer.block([row(n)], { sequence: sequences?.[i] ?? i + 1 }));
    const content = Buffer.concat([writer.prologue(guidOf(file)), ...blocks]);
    writeFileSync(this.path(file), content, { flag: this.has(file) ? 'r+' : 'w' });
    truncateSync(this.path(file), content.length);
  }

  has(file: number): boolean {
    return existsSync(this.path(file));
  }

  delete(file: number): void {
    rmSync(this.path(file));
  }

  /** @param folder other than that of the audit if the configuration has changed */
  start(once: boolean, eventsMax = 2, folder = this.folder) {
    return startTail(folder, join(this.data, 'checkpoint.json'), once, eventsMax, this.isShared);
  }

  /** Publishes what is there. @param batchesMax the agent is stopped after this number of batches */
  async once(batchesMax = Number.POSITIVE_INFINITY): Promise<void> {
    const { tail, bookmarks, gaps } = await this.start(true);
    let batches = 0;
    for await (const batch of tail.batches(new AbortController().signal)) {
      this.take(batch);
      await bookmarks.save(batch.snapshot);
      if (++batches >= batchesMax) break;
    }
    this.gaps = gaps.pending(1_000);
  }

  /** Publishes until a condition holds. */
  async followUntil(isEnough: () => boolean | Promise<boolean>): Promise<void> {
    const { tail, bookmarks, gaps } = await this.start(false);
    const stop = new AbortController();
    const polling = setInterval(async () => {
      this.gaps = gaps.pending(1_000);
      if (await isEnough()) stop.abort();
    }, 5);
    for await (const batch of tail.batches(stop.signal)) {
      this.take(batch);
      await bookmarks.save(batch.snapshot);
    }
    clearInterval(polling);
    this.gaps = gaps.pending(1_000);
  }

  private take(batch: Batch): void {
    this.delivered.push(...eventsOfBatch(batch).map(({ statement }) => statement ?? ''));
  }
}
