import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FileBytes } from '../../../agent/sqlaudit/bytes';
import { blockOffsets } from '../sqlaudit/support/blocks';
import { auditFileName } from '../support/audit-files';
import { AuditFolder, guidOf, row, timeOf, writer } from './support';

const LONG_AGO = 1_700_000_000;

describe('a gap is noted', () => {
  let audit: AuditFolder;
  beforeEach(() => {
    audit = new AuditFolder();
  });
  afterEach(() => audit.remove());

  it('if a file was removed while the agent was down, before it was read to its end', async () => {
    audit.write(0, [1, 2, 3, 4]);
    await audit.once(1);
    audit.delete(0);
    audit.write(1, [5, 6]);
    await audit.once();
    expect(audit.delivered).toEqual(['SELECT 1', 'SELECT 2', 'SELECT 5', 'SELECT 6']);
    expect(audit.gaps).toEqual([
      expect.objectContaining({
        reason: 'FILE_DELETED',
        fileName: auditFileName(0),
        fileGuid: guidOf(0),
        afterTime: timeOf(2),
        beforeTime: timeOf(5),
        detail: expect.stringContaining('was removed before it was read to its end'),
      }),
    ]);
  });

  it('if a file was removed before it was read to its end, although the audit continues in a known file', async () => {
    audit.write(0, [1, 2, 3, 4]);
    audit.write(1, [5]);
    await audit.once(1);
    audit.delete(0);
    await audit.once();
    expect(audit.gaps).toMatchObject([
      { reason: 'FILE_DELETED', fileGuid: guidOf(0), afterTime: timeOf(2), beforeTime: timeOf(5) },
    ]);
  });

  it('if the newest file was removed while the agent was down, since more may have been written to it', async () => {
    audit.write(0, [1, 2]);
    await audit.once();
    audit.delete(0);
    audit.write(1, [5]);
    await audit.once();
    expect(audit.gaps).toMatchObject([
      { reason: 'FILE_DELETED', afterTime: timeOf(2), beforeTime: timeOf(5), fileGuid: guidOf(0) },
    ]);
    expect(audit.gaps[0]?.detail).toContain('while it could still be written');
  });

  it('if a file is removed while the agent runs, before it was read', async () => {
    audit.write(0, [1, 2]);
    await audit.once();
    audit.write(0, [1, 2, 3]);
    audit.delete(0);
    audit.write(1, [4]);
    await audit.followUntil(() => audit.gaps.length > 0);
    expect(audit.gaps).toMatchObject([{ reason: 'FILE_DELETED', afterTime: timeOf(2) }]);
  });

  it('if a file was found by an agent that was killed, and is gone before any of it was published', async () => {
    audit.write(0, [1]);
    await audit.once();
    audit.write(1, [2]);
    const { tail } = await audit.start(true);
    // The service does not acknowledge the batch.
    for await (const _ of tail.batches(new AbortController().signal)) break;
    audit.delete(1);
    audit.write(2, [3]);
    await audit.once();
    expect(audit.gaps).toMatchObject([
      { reason: 'FILE_DELETED', fileGuid: guidOf(1), afterTime: null, beforeTime: timeOf(3) },
    ]);
  });

  it('if the newest file was renamed while the agent was down, since rollover may have removed later ones', async () => {
    audit.write(0, [1]);
    await audit.once();
    audit.write(0, [1, 2]);
    renameSync(audit.path(0), join(audit.folder, 'kept.sqlaudit'));
    audit.write(2, [5]);
    for (let runs = 0; runs < 2; runs++) {
      await audit.once();
      expect(audit.delivered).toEqual(['SELECT 1', 'SELECT 2', 'SELECT 5']);
      expect(audit.gaps).toMatchObject([
        { reason: 'FILE_DELETED', fileGuid: guidOf(0), afterTime: timeOf(2), beforeTime: timeOf(5) },
      ]);
      expect(audit.gaps[0]?.detail).toContain('files that were begun after it may have been removed');
    }
  });

  it('of later files after a renamed one that several hosts share: whoever publishes that file does not fill it', async () => {
    audit.isShared = true;
    audit.write(0, [1]);
    await audit.once();
    renameSync(audit.path(0), join(audit.folder, 'kept.sqlaudit'));
    audit.write(2, [5]);
    for (let runs = 0; runs < 2; runs++) {
      await audit.once();
      expect(audit.gaps).toMatchObject([
        { reason: 'FILE_DELETED', fileName: 'kept.sqlaudit', fileGuid: null, afterTime: timeOf(1) },
      ]);
      expect(audit.gaps[0]).toMatchObject({ beforeTime: timeOf(5) });
    }
  });

  describe('and ends with the first record after it, although that came later,', () => {
    const gap = { reason: 'FILE_DELETED', fileGuid: guidOf(0), afterTime: timeOf(2) };
    beforeEach(() => audit.write(0, [1, 2]));

    it('by an agent that follows', async () => {
      let step = 0;
      await audit.followUntil(() => {
        if (step === 0 && audit.delivered.length === 2) {
          step = 1;
          audit.delete(0);
        }
        if (step === 1 && audit.gaps.length === 1) {
          step = 2;
          expect(audit.gaps).toMatchObject([{ ...gap, beforeTime: null }]);
          audit.write(1, [5, 6]);
        }
        return audit.delivered.length === 4;
      });
      expect(audit.gaps).toMatchObject([{ ...gap, beforeTime: timeOf(5) }]);
    });

    it('by a later run, although the service was told of it before', async () => {
      await audit.once();
      audit.delete(0);
      await audit.once();
      expect(audit.gaps).toMatchObject([{ ...gap, beforeTime: null }]);
      const acknowledge = async () => {
        const { gaps } = await audit.start(true);
        await gaps.acknowledge(gaps.pending(9));
      };
      await acknowledge();
      audit.write(1, [5]);
      await audit.once();
      expect(audit.gaps).toMatchObject([{ ...gap, beforeTime: timeOf(5) }]);
      await acknowledge();
      audit.write(1, [5, 6]);
      audit.write(2, [7]);
      await audit.once();
      expect(audit.gaps).toEqual([]);
    });
  });

  describe('for files that are gone and are partly in the spool,', () => {
    const statements = [1, 2, 5].map((n) => `SELECT ${n}`);
    beforeEach(async () => {
      audit.write(0, [1]);
      audit.write(1, [2, 3, 4]);
      const { tail } = await audit.start(true);
      // They are found, and nothing is acknowledged.
      for await (const _ of tail.batches(new AbortController().signal)) break;
      const whole = join(audit.spool, guidOf(0), auditFileName(0));
      const partial = join(audit.spool, `${guidOf(1)}.part`, auditFileName(1));
      for (const copy of [whole, partial]) mkdirSync(dirname(copy), { recursive: true });
      renameSync(audit.path(0), whole);
      audit.write(1, [2]);
      renameSync(audit.path(1), partial);
      audit.write(2, [5]);
    });

    it.each([
      ['a single run', () => audit.once()],
      ['an agent that follows', () => audit.followUntil(() => audit.gaps.length > 0)],
    ])(
      'from the last record in the spool to the first record of the next file, by %s',
      async (_, publish) => {
        await publish();
        expect(audit.delivered).toEqual(statements);
        expect(audit.gaps).toMatchObject([
          { reason: 'FILE_DELETED', fileGuid: guidOf(1), afterTime: timeOf(2), beforeTime: timeOf(5) },
        ]);
      },
    );

    it('and a record of an earlier file never counts as the end of the gap', async () => {
      rmSync(join(audit.spool, `${guidOf(1)}.part`), { recursive: true });
      await audit.once();
      expect(audit.gaps).toMatchObject([{ fileGuid: guidOf(1), afterTime: null }]);
      expect(audit.gaps[0]?.beforeTime).not.toBe(timeOf(1));
    });
  });

  it('once, however often the agent starts again', async () => {
    audit.write(0, [1, 2, 3, 4]);
    await audit.once(1);
    audit.delete(0);
    await audit.once();
    const { gaps } = await audit.start(true);
    await gaps.acknowledge(gaps.pending(9));
    await audit.once();
    expect(audit.gaps).toEqual([]);
  });

  it('if sequence numbers show that blocks are missing: at the start, within, and across a restart', async () => {
    audit.write(0, [3, 4, 8], [3, 4, 8]);
    await audit.once();
    audit.write(0, [3, 4, 8, 11], [3, 4, 8, 11]);
    await audit.once();
    expect(audit.gaps.map(({ detail, afterTime, beforeTime }) => [detail, afterTime, beforeTime])).toEqual([
      ['event blocks 1 to 2 are missing', null, timeOf(3)],
      ['event blocks 5 to 7 are missing', timeOf(4), timeOf(8)],
      ['event blocks 9 to 10 are missing', timeOf(8), timeOf(11)],
    ]);
    expect(audit.gaps[0]).toMatchObject({ reason: 'BLOCKS_MISSING', fileGuid: guidOf(0) });
  });

  it('once for a damaged stretch that is skipped, with the blocks in it', async () => {
    audit.write(0, [1, 2, 3, 4]);
    const bytes = readFileSync(audit.path(0));
    const events = blockOffsets(bytes).filter((at) => at < bytes.length && bytes.readUInt16LE(at + 14) === 0);
    bytes.fill(0xee, (events[1] ?? 0) + 77, (events[1] ?? 0) + 100);
    bytes.writeUInt32LE(0, (events[1] ?? 0) + 28);
    writeFileSync(audit.path(0), bytes);
    utimesSync(audit.path(0), LONG_AGO, LONG_AGO);
    await audit.once();
    expect(audit.delivered).toEqual(['SELECT 1', 'SELECT 3', 'SELECT 4']);
    expect(audit.gaps).toMatchObject([
      {
        reason: 'UNREADABLE',
        afterTime: timeOf(1),
        beforeTime: timeOf(3),
        detail: `byte ${events[1]}: checksum of the block does not match; reading goes on at byte ${events[2]}`,
      },
    ]);
  });

  it.each([
    ['a single run', () => audit.once()],
    ['an agent that follows', () => audit.followUntil(() => audit.delivered.length === 4)],
  ])('once for zeros between two blocks, and the blocks after them are read, by %s', async (_, publish) => {
    audit.write(0, [1, 2, 3]);
    const bytes = readFileSync(audit.path(0));
    const second = blockOffsets(bytes).at(-3) ?? 0;
    const zeros = Buffer.alloc(2_048);
    writeFileSync(audit.path(0), Buffer.concat([bytes.subarray(0, second), zeros, bytes.subarray(second)]));
    audit.write(1, [4]);
    await publish();
    expect(audit.delivered.toSorted()).toEqual([1, 2, 3, 4].map((n) => `SELECT ${n}`));
    expect(audit.gaps).toMatchObject([
      { reason: 'UNREADABLE', detail: `byte ${second}: zeros up to the block at byte ${second + 2_048}` },
    ]);
  });

  it('if a file that SQL Server no longer writes ends within a block', async () => {
    audit.write(0, [1, 2]);
    const bytes = readFileSync(audit.path(0));
    writeFileSync(audit.path(0), bytes.subarray(0, bytes.length - 100));
    audit.write(1, [3]);
    await audit.followUntil(() => audit.gaps.length > 0);
    expect(audit.gaps).toMatchObject([{ reason: 'UNREADABLE', afterTime: timeOf(1) }]);
    expect(audit.gaps[0]?.detail).toMatch(/truncated, \d+ bytes of the last block are missing/);
  });

  it('if another file takes the name of a file that was not read to its end', async () => {
    audit.write(0, [1, 2, 3, 4]);
    await audit.once(1);
    const other = Buffer.concat([writer.prologue(guidOf(7)), writer.block([row(9)], { sequence: 1 })]);
    writeFileSync(audit.path(0), other);
    await audit.once();
    expect(audit.delivered.at(-1)).toBe('SELECT 9');
    expect(audit.gaps).toMatchObject([{ reason: 'FILE_DELETED', fileGuid: guidOf(0), afterTime: timeOf(2) }]);
  });

  it('if the header of an audit file is damaged, and if a file is removed before it could be read', async () => {
    audit.write(0, [1]);
    writeFileSync(audit.path(0), readFileSync(audit.path(0)).fill(0xee, 0, 4));
    writeFileSync(join(audit.folder, 'other.sqlaudit'), 'no audit file, and not named like one');
    audit.write(1, [2]);
    const { open } = FileBytes;
    const refusing = jest.spyOn(FileBytes, 'open').mockImplementation(async (path) => {
      if (path === audit.path(1)) throw Object.assign(new Error('access is denied'), { code: 'EACCES' });
      return open.call(FileBytes, path);
    });
    await audit.followUntil(() => {
      // The file was listed before this.
      if (audit.gaps.length === 1 && audit.has(1)) {
        audit.delete(1);
        audit.write(2, [3]);
      }
      return audit.gaps.length === 2;
    });
    refusing.mockRestore();
    const noted = audit.gaps.map(({ reason, fileName, fileGuid }) => ({ reason, fileName, fileGuid }));
    expect(noted).toEqual([
      { reason: 'UNREADABLE', fileName: auditFileName(0), fileGuid: null },
      { reason: 'FILE_DELETED', fileName: auditFileName(1), fileGuid: null },
    ]);
  });

  it('on disk before the batch behind it is delivered: the agent does not read past a gap that it cannot store', async () => {
    audit.write(0, [1, 4], [1, 4]);
    const { tail, gaps } = await audit.start(true);
    jest.spyOn(gaps, 'add').mockRejectedValue(new Error('no space left'));
    await expect(tail.batches(new AbortController().signal).next()).rejects.toThrow('no space left');
  });
});
