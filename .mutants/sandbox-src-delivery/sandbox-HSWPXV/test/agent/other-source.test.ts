import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditSource, FoundFile, Identity, Listing } from '../../agent/source/audit-source';
import { identityOf } from '../../agent/source/identity';
import { parseAuditFileName } from '../../agent/sqlaudit/audit-file-name';
import type { OpenBytes } from '../../agent/sqlaudit/bytes';
import { guidOf, row, timeOf, writer } from './gaps/support';
import { MemorySource } from './sqlaudit/support/memory-source';
import { auditFileName } from './support/audit-files';
import { eventsOfBatch, startTailOf } from './support/tail-harness';

/** A source whose audit files are in memory, not in a file system. */
class Shelf implements AuditSource {
  readonly title = 'the shelf';
  private readonly files = new Map<string, Buffer>();

  put(file: number, ...records: readonly number[]): void {
    const blocks = records.map((n) => [row(n)]);
    this.files.set(`shelf:${auditFileName(file)}`, writer.file(guidOf(file), blocks));
  }

  remove(file: number): void {
    this.files.delete(`shelf:${auditFileName(file)}`);
  }

  async list(): Promise<Listing> {
    const files = [...this.files].map(([path, bytes]): FoundFile => {
      const name = path.replace('shelf:', '');
      const told = parseAuditFileName(name);
      const facts = { audit: told?.audit ?? null, created: told?.created ?? 0n, isSpooled: false };
      return {
        path,
        name,
        size: bytes.length,
        mtimeMs: 0,
        inode: path,
        version: `${bytes.length}`,
        ...facts,
      };
    });
    return { kind: 'listed', files, skipped: [] };
  }

  async open(path: string): Promise<OpenBytes> {
    const bytes = this.files.get(path);
    if (!bytes) throw Object.assign(new Error(`${path} is not there`), { code: 'ENOENT' });
    return Object.assign(new MemorySource(bytes), { close: async () => {} });
  }

  async identify(path: string): Promise<Identity> {
    return identityOf(await this.open(path));
  }
}

it('a source that is not a local folder is followed like one: files grow, roll over, and leave a gap if they go too early', async () => {
  const data = mkdtempSync(join(tmpdir(), 'audit-source-'));
  const shelf = new Shelf();
  shelf.put(0, 1, 2);
  const { tail, bookmarks, gaps } = await startTailOf(shelf, join(data, 'checkpoint.json'), false);
  const steps = [
    () => shelf.put(0, 1, 2, 3),
    () => shelf.put(1, 4),
    () => {
      shelf.remove(1);
      shelf.put(2, 5);
    },
  ];
  const stop = new AbortController();
  const statements: string[] = [];
  for await (const batch of tail.batches(stop.signal)) {
    statements.push(...eventsOfBatch(batch).map(({ statement }) => statement ?? ''));
    await bookmarks.save(batch.snapshot);
    if (batch.events.length > 0) steps.shift()?.();
    if (gaps.count > 0 && statements.length === 5) stop.abort();
  }
  expect(statements).toEqual([1, 2, 3, 4, 5].map((n) => `SELECT ${n}`));
  expect(gaps.pending(9)).toMatchObject([
    { reason: 'FILE_DELETED', fileGuid: guidOf(1), afterTime: timeOf(4), beforeTime: timeOf(5) },
  ]);
  rmSync(data, { recursive: true });
});
