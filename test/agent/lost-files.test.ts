import { lossOf } from '../../agent/tail/lost-files';

type File = Parameters<typeof lossOf>[0];
const file = (change: object = {}) =>
  ({
    isLost: false,
    hasUnread: true,
    mayGrow: false,
    next: { blockOffset: 4_096, index: 3 },
    ...change,
  }) as File;
const spool = (length: number, isComplete = false, isFull = false) => ({ length, isComplete, isFull });

describe('the loss that the removal of a file means', () => {
  it('begins where neither the bookmark nor the copy in the spool reaches', () => {
    expect(lossOf(file(), spool(0))).toMatchObject({ reason: 'FILE_DELETED', range: 'from 4096:3' });
    expect(lossOf(file(), spool(4_096))).toMatchObject({ range: 'from 4096:3' });
    expect(lossOf(file(), spool(8_192))).toMatchObject({ range: 'from 8192:0' });
  });

  it('is none of a file that was read to its end, was copied whole, or whose loss is known', () => {
    expect(lossOf(file({ hasUnread: false }), spool(0))).toBeNull();
    expect(lossOf(file(), spool(8_192, true))).toBeNull();
    expect(lossOf(file({ isLost: true }), spool(0))).toBeNull();
  });

  it('may be there where the file could still be written, and says whether the spool had no room', () => {
    const grown = lossOf(file({ hasUnread: false, mayGrow: true }), spool(0));
    expect(grown?.detail).toContain('could still be written');
    const full = lossOf(file(), spool(0, false, true));
    expect(full).toMatchObject({ reason: 'SPOOL_FULL' });
    expect(full?.detail).toContain('the spool had no room');
  });
});
