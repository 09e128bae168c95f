import fs, { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bookmarks } from '../../agent/bookmarks/bookmarks';
import { systemClock } from '../../agent/clock';
import { appendLines, replaceFile } from '../../agent/durable-file';
import { LineLog } from '../../agent/log';
import { SpooledCopy } from '../../agent/spool/spooled-copy';
import { MemorySource } from './sqlaudit/support/memory-source';

/** Records what is synced to disk, and fails to sync what the test names: a crash would then lose it. */
class Disk {
  readonly asked: string[] = [];
  /** Path of a file or folder that cannot be synced. */
  broken: string | null = null;

  constructor() {
    const { open, rename } = fs.promises;
    jest.spyOn(fs.promises, 'open').mockImplementation(async (path, ...rest) => {
      const handle = await open(path, ...rest);
      const { sync } = handle;
      handle.sync = async () => {
        if (String(path) === this.broken) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
        this.asked.push(`sync ${path}`);
        return sync.call(handle);
      };
      return handle;
    });
    jest.spyOn(fs.promises, 'rename').mockImplementation(async (from, to) => {
      this.asked.push(`rename ${from} ${to}`);
      return rename(from, to);
    });
  }
}

describe('on a disk that loses what was not synced', () => {
  let folder: string;
  let path: string;
  let disk: Disk;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-durable-'));
    path = join(folder, 'file');
    disk = new Disk();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  it('a file gets its name only after its text is synced, and the name is synced too', async () => {
    await replaceFile(path, 'new');
    expect(disk.asked).toEqual([`sync ${path}.new`, `rename ${path}.new ${path}`, `sync ${folder}`]);
  });

  it('the old bookmarks remain if the new ones cannot be synced, and nobody sees the new ones', async () => {
    const context = { database: 'X', log: new LineLog(() => {}), clock: systemClock };
    const bookmarks = await Bookmarks.load(path, context);
    const saved = (blockOffset: number) =>
      bookmarks.save({
        bookmarks: new Map([['x', { file: 'f', blockOffset, index: 0 }]]),
        present: new Set(),
      });
    await saved(512);
    const before = readFileSync(path, 'utf8');
    disk.broken = `${path}.new`;
    await expect(saved(1024)).rejects.toThrow('EIO');
    expect([bookmarks.of('x')?.blockOffset, readFileSync(path, 'utf8')]).toEqual([512, before]);
    // The text is synced, but its name may be lost: the new bookmarks do not count.
    disk.broken = folder;
    await expect(saved(2048)).rejects.toThrow('EIO');
    expect(bookmarks.of('x')?.blockOffset).toBe(512);
    disk.broken = null;
    await saved(4096);
    expect((await Bookmarks.load(path, context)).of('x')?.blockOffset).toBe(4096);
  });

  it('lines that were added to a file are synced before they count as written', async () => {
    disk.broken = path;
    await expect(appendLines(path, ['a'])).rejects.toThrow('EIO');
    disk.broken = null;
    disk.asked.length = 0;
    await appendLines(path, ['b']);
    expect(disk.asked).toEqual([`sync ${path}`, `sync ${folder}`]);
  });

  it('every byte of a copy in the spool that counts as copied is synced', async () => {
    const bytes = Buffer.alloc(3_000, 'x');
    const copy = SpooledCopy.begin(folder, 'guid', 'name');
    await copy.extend(new MemorySource(bytes), 1_000);
    expect([copy.length, disk.asked.includes(`sync ${copy.path}`)]).toEqual([1_000, true]);
    disk.broken = copy.path;
    await expect(copy.extend(new MemorySource(bytes), 3_000)).rejects.toThrow('EIO');
    expect([copy.length, readFileSync(copy.path).length]).toEqual([1_000, 1_000]);
    disk.broken = null;
    await copy.extend(new MemorySource(bytes), 3_000);
    expect([copy.length, readFileSync(copy.path).equals(bytes)]).toEqual([3_000, true]);
  });
});
