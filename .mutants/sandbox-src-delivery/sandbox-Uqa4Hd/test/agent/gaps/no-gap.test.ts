import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FileBytes } from '../../../agent/sqlaudit/bytes';
import { AuditFiles } from '../../../agent/tail/audit-files';
import { auditFileName } from '../support/audit-files';
import { until } from '../support/until';
import { AuditFolder, guidOf, writer } from './support';

describe('no gap is noted', () => {
  let audit: AuditFolder;
  beforeEach(() => {
    audit = new AuditFolder();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    audit.remove();
  });

  it('if a file was published to its end, and was removed when a newer one existed', async () => {
    audit.write(0, [1, 2, 3]);
    audit.write(1, [4]);
    await audit.once();
    audit.delete(0);
    await audit.once();
    expect(audit.gaps).toEqual([]);
  });

  it('if a file is published to its end and removed while the agent runs', async () => {
    audit.write(0, [1]);
    audit.write(1, [2]);
    await audit.followUntil(() => {
      const count = audit.delivered.length;
      if (count >= 2 && audit.has(0)) audit.delete(0);
      // Each record is read after a further look at the folder.
      if (count >= 2 && count < 6) audit.write(1, [2, 3, 4, 5, 6].slice(0, count));
      return count === 6;
    });
    expect(audit.gaps).toEqual([]);
  });

  it('if an empty file with reserved space is read again because of a copy, and both are removed', async () => {
    const copy = join(audit.folder, 'copy.sqlaudit');
    for (const path of [audit.path(0), copy]) {
      writeFileSync(path, writer.prologue(guidOf(0)));
      truncateSync(path, 200_000);
    }
    audit.write(1, [1]);
    await audit.once();
    audit.write(1, [1, 2]);
    const { tail, gaps } = await audit.start(false);
    const stop = new AbortController();
    await tail.batches(stop.signal).next();
    const looks = jest.spyOn(AuditFiles.prototype, 'look');
    const twoLooks = async () => {
      const before = looks.mock.calls.length;
      await tail.keeper.watchDuring(
        until('two looks', () => looks.mock.calls.length >= before + 2),
        stop.signal,
      );
    };
    await twoLooks();
    for (const path of [audit.path(0), copy]) rmSync(path);
    await twoLooks();
    expect(gaps.count).toBe(0);
  });

  it('if a copy in the spool is removed during a listing, since everything in it was published', async () => {
    audit.write(0, [1]);
    audit.write(1, [2]);
    await audit.once();
    const copy = join(audit.spool, guidOf(0), auditFileName(0));
    mkdirSync(dirname(copy), { recursive: true });
    renameSync(audit.path(0), copy);
    const { open } = FileBytes;
    const going = jest.spyOn(FileBytes, 'open').mockImplementation(async (path) => {
      if (path === copy) rmSync(dirname(copy), { recursive: true });
      return open.call(FileBytes, path);
    });
    audit.write(1, [2, 3]);
    // A file counts as lost after two listings without it.
    await audit.followUntil(() => {
      const count = audit.delivered.length;
      if (count > 2) rmSync(dirname(copy), { recursive: true, force: true });
      if (count < 6) audit.write(1, [2, 3, 4, 5, 6].slice(0, count));
      return count === 6;
    });
    going.mockRestore();
    expect(audit.gaps).toEqual([]);
  });

  it('if a file that was not the newest is renamed', async () => {
    audit.write(0, [1, 2, 3, 4]);
    audit.write(1, [5]);
    await audit.once(1);
    renameSync(audit.path(0), join(audit.folder, 'renamed.sqlaudit'));
    await audit.once();
    expect(audit.delivered).toHaveLength(5);
    expect(audit.gaps).toEqual([]);
  });

  it('if a file is renamed, or the configuration names other files now', async () => {
    audit.write(0, [1, 2, 3, 4]);
    await audit.once(1);
    renameSync(audit.path(0), join(audit.folder, 'renamed.sqlaudit'));
    await audit.once(1);
    const elsewhere = join(audit.folder, 'elsewhere');
    mkdirSync(elsewhere);
    const { tail, gaps } = await audit.start(true, 2, elsewhere);
    for await (const batch of tail.batches(new AbortController().signal))
      expect(batch.events).toHaveLength(0);
    expect(gaps.count).toBe(0);
  });

  it('for files that were gone before the agent first looked', async () => {
    audit.write(5, [9]);
    await audit.once();
    expect(audit.gaps).toEqual([]);
  });
});
