import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { entryIdAt } from '../../../src/caller/access-log';
import type { OwnerDoor } from '../../../src/database/clients';
import { erasureText } from '../../../src/store/log/evidence/erasure-entry';
import { ErasureFiles } from '../../../src/store/log/evidence/erasure-files';
import { useLimits } from '../../support/use-limits';

/** A database without rows. */
const EMPTY = { models: { $queryRawUnsafe: async () => [] } } as unknown as OwnerDoor;

describe('the folder of erasures', () => {
  useLimits({ erasureNotesMax: 3 });
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'erasures-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const ids = [1, 2, 3, 4, 5].map((i) => entryIdAt(1_760_000_000_000 + i));
  const textOf = (erasureId: string) =>
    erasureText({
      erasureId,
      tenantId: '7',
      at: '',
      erasedBy: 'Ana',
      reason: 'r',
      events: 1,
      entries: [[2, 3]],
    });
  const kept = async () =>
    (await readdir(path.join(dataDir, 'erasures'))).map((name) => name.slice(0, -'.json'.length)).sort();
  const noted = async (...given: readonly string[]) => {
    const files = new ErasureFiles(EMPTY, dataDir);
    for (const id of given) await files.note(textOf(id));
    for (const id of given) expect(files.has(id)).toBe(true);
    return kept();
  };

  it('has a bound: the oldest go, also after a restart, and are not noted anew', async () => {
    expect(await noted(...ids.slice(0, 4))).toEqual(ids.slice(1, 4));
    expect(await noted(ids[0] ?? '', ids[4] ?? '')).toEqual(ids.slice(2));
    expect(await noted(...[...ids].reverse())).toEqual(ids.slice(2));
  });

  it('names a file that has no erasure, and goes on with the others', async () => {
    await noted(...ids.slice(0, 2));
    await writeFile(path.join(dataDir, 'erasures', `${ids[2]}.json`), '{"entry":');
    const files = new ErasureFiles(EMPTY, dataDir);
    expect(await files.lost()).toEqual([]);
    const named = [`erasures/${ids[2]}.json`];
    expect(files.unreadable).toEqual(named);
    // A look at some of them says nothing of the others.
    expect(await files.lost(new Set([ids[0] ?? '']))).toEqual([]);
    expect(files.unreadable).toEqual(named);
  });
});
