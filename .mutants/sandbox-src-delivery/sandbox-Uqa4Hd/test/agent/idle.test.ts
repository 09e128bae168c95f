import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileBytes } from '../../agent/sqlaudit/bytes';
import { guidOf, row, writer } from './gaps/support';
import { auditFileName } from './support/audit-files';
import { startTail } from './support/tail-harness';

const FILES = 30;

/** Measures what the agent reads from disk during polls in which nothing happens. */
async function costOf(polls: number, newestHasReservedSpace: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'audit-idle-'));
  const data = mkdtempSync(join(tmpdir(), 'audit-idle-'));
  const path = (n: number) => join(folder, auditFileName(n));
  for (let n = 0; n < FILES; n++) {
    writeFileSync(path(n), writer.file(guidOf(n), [[row(n)]]));
  }
  if (newestHasReservedSpace) truncateSync(path(FILES - 1), 10_000_000);
  const { tail, bookmarks } = await startTail(folder, join(data, 'checkpoint.json'), false, 1000);
  const stop = new AbortController();
  const counts = { opened: 0, bytesRead: 0, looked: 0, polls: 0, batches: 0 };
  let isIdle = false;
  const open = jest.spyOn(FileBytes, 'open').mockImplementation(async (at) => {
    if (isIdle) counts.opened++;
    return counting(await original(at), (bytes) => (counts.bytesRead += isIdle ? bytes : 0));
  });
  const { stat } = fs;
  const stats = jest.spyOn(fs, 'stat').mockImplementation(((...args: Parameters<typeof stat>) => {
    if (isIdle && String(args[0]).endsWith('.sqlaudit')) counts.looked++;
    return stat(...args);
  }) as typeof stat);
  const listings = tail as unknown as { files: { look(): Promise<boolean> } };
  const look = listings.files.look.bind(listings.files);
  jest.spyOn(listings.files, 'look').mockImplementation(async () => {
    const done = await look();
    if (isIdle && ++counts.polls === polls) stop.abort();
    return done;
  });
  let published = 0;
  for await (const batch of tail.batches(stop.signal)) {
    await bookmarks.save(batch.snapshot);
    published += batch.events.length;
    if (isIdle) counts.batches++;
    isIdle = published === FILES;
  }
  open.mockRestore();
  stats.mockRestore();
  for (const each of [folder, data]) rmSync(each, { recursive: true });
  return counts;
}

const original = FileBytes.open.bind(FileBytes);
function counting(source: FileBytes, read: (bytes: number) => void): FileBytes {
  const before = source.read.bind(source);
  source.read = async (offset, length) => {
    const bytes = await before(offset, length);
    read(bytes.length);
    return bytes;
  };
  return source;
}

describe('polls in which nothing happens', () => {
  it('open no file, and look only at the file that may grow', async () => {
    const { batches, ...cost } = await costOf(10, false);
    expect(cost).toEqual({ opened: 0, bytesRead: 0, looked: 10, polls: 10 });
    // One empty batch notes that the last file was read to its end.
    expect(batches).toBeLessThanOrEqual(1);
  });

  it('read only the place in reserved space where the next block would begin', async () => {
    const { opened, bytesRead } = await costOf(10, true);
    expect(opened).toBeLessThanOrEqual(11);
    expect(bytesRead).toBeLessThanOrEqual(10 * 1024 + 300_000);
  });
});
