import type { FoundFile } from '../../agent/source/audit-source';
import { firstSighting, seenAt } from '../../agent/tail/sighting';

const GUID = '9940fbeb-58df-6d20-84ec-7d5e43fd03ea';
const NAME = `Audit_${GUID}_0_134398062305260000.sqlaudit`;
const BOOKMARK = { file: NAME, blockOffset: 512, index: 0 };

const foundAs = (name: string, audit: string | null): FoundFile => ({
  path: `/audit/${name}`,
  name,
  size: 1024,
  mtimeMs: 0,
  inode: '1',
  version: '1',
  audit,
  created: 1n,
  isSpooled: false,
});
const kept = foundAs('kept.sqlaudit', null);

/** A file after a restart, beside newer files that the agent had noted before it ended. */
const afterStart = (mayGrow: boolean) => ({
  ...firstSighting(GUID, null, { ...BOOKMARK, ...(mayGrow && { mayGrow: true as const }) }),
  isLast: false,
});

describe('a file that has another name after a restart, beside newer files,', () => {
  it('counts as passed by if its bookmark says that it was the newest', () => {
    expect(seenAt(afterStart(true), 'Audit', kept, []).isPassedBy).toBe(true);
  });

  it('stays one that was passed by, also under the name that SQL Server gave it', () => {
    const once = seenAt(afterStart(true), 'Audit', kept, []);
    expect(seenAt(once, 'Audit', foundAs(NAME, 'Audit'), []).isPassedBy).toBe(true);
  });

  it('counts as passed by beside a copy whose name looks like that of another audit', () => {
    const copy = foundAs(`copy of ${NAME}`, 'copy of Audit');
    expect(seenAt(afterStart(true), 'Audit', kept, [copy]).isPassedBy).toBe(true);
    expect(seenAt(afterStart(true), 'Audit', kept, [foundAs(NAME, 'Audit')]).isPassedBy).toBe(false);
  });

  it('does not count as passed by if newer files were known when its bookmark was written', () => {
    expect(seenAt(afterStart(false), 'Audit', kept, []).isPassedBy).toBe(false);
  });

  it('does not count as passed by under the name that SQL Server gave it', () => {
    expect(seenAt(afterStart(true), 'Audit', foundAs(NAME, 'Audit'), []).isPassedBy).toBe(false);
  });

  it('does not count as passed by if it is renamed later, beside known files', () => {
    const before = { ...seenAt(afterStart(true), 'Audit', foundAs(NAME, 'Audit'), []), isLast: false };
    expect(seenAt(before, 'Audit', kept, []).isPassedBy).toBe(false);
  });
});
