import { renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { AuditFolder, guidOf, row, writer } from './gaps/support';
import { auditFileName } from './support/audit-files';

/** The size that a file has from the beginning if its space is reserved. */
const RESERVED_BYTES = 200_000;
const RECORDS = [1, 2, 3, 4];
const numbered = (...numbers: number[]) => numbers.map((n) => `SELECT ${n}`);

describe('an audit file with copies beside it', () => {
  let audit: AuditFolder;
  beforeEach(() => {
    audit = new AuditFolder();
  });
  afterEach(() => audit.remove());

  /** Writes the first file of the audit, or a copy of it, with some of its records. */
  const write = (folder: AuditFolder, name: string, records: readonly number[], isReserved = true) => {
    const path = join(folder.folder, name);
    writeFileSync(
      path,
      writer.file(
        guidOf(0),
        records.map((n) => [row(n)]),
      ),
    );
    if (isReserved) truncateSync(path, RESERVED_BYTES);
  };

  it('is read whole, once and in order, whatever the copies hold and are called', async () => {
    const copy = fc.record({ length: fc.nat(RECORDS.length), name: fc.constantFrom('Copy of ', 'A', 'z') });
    const settings = fc.record({
      copies: fc.array(copy, { maxLength: 4 }),
      original: fc.constantFrom(auditFileName(0), 'M.sqlaudit'),
      isReserved: fc.boolean(),
      hasNext: fc.boolean(),
      batchesMax: fc.integer({ min: 1, max: 4 }),
    });
    const check = fc.asyncProperty(
      settings,
      async ({ copies, original, isReserved, hasNext, batchesMax }) => {
        const folder = new AuditFolder();
        try {
          for (const [i, { name, length }] of copies.entries())
            write(folder, `${name}${i}.sqlaudit`, RECORDS.slice(0, length), isReserved);
          write(folder, original, RECORDS, isReserved);
          if (hasNext) folder.write(1, [5]);
          // The first run ends after some batches and leaves its bookmarks.
          await folder.once(batchesMax);
          await folder.once();
          expect(folder.delivered.filter((statement) => statement !== 'SELECT 5')).toEqual(
            numbered(...RECORDS),
          );
          expect(folder.gaps).toEqual([]);
        } finally {
          folder.remove();
        }
      },
    );
    await fc.assert(check, { numRuns: 60 });
  });

  it.each([auditFileName(0), 'A copy of it.sqlaudit'])(
    'is followed in the file that grows, although the other one has the same size: %s',
    async (name) => {
      write(audit, 'A copy of it.sqlaudit', [1]);
      write(audit, auditFileName(0), [1]);
      await audit.followUntil(() => {
        const count = audit.delivered.length;
        if (count > 0 && count < RECORDS.length) write(audit, name, RECORDS.slice(0, count + 1));
        return count === RECORDS.length;
      });
      expect(audit.delivered).toEqual(numbered(...RECORDS));
    },
  );

  it('is read on when it returns with more records, although the shorter file was read to its end', async () => {
    write(audit, auditFileName(0), [1, 2]);
    audit.write(1, [5]);
    await audit.once();
    expect(audit.delivered).toEqual(numbered(1, 2, 5));
    let isBack = false;
    await audit.followUntil(() => {
      if (!isBack) {
        write(audit, 'its name for now', RECORDS);
        renameSync(join(audit.folder, 'its name for now'), join(audit.folder, 'the original.sqlaudit'));
        isBack = true;
      }
      return audit.delivered.length === 5;
    });
    expect(audit.delivered).toEqual(numbered(1, 2, 5, 3, 4));
    expect(audit.gaps).toEqual([]);
  });
});
