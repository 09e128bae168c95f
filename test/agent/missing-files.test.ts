import type { Bookmark } from '../../agent/bookmarks/bookmark';
import { OpenGaps } from '../../agent/gaps/open-gaps';
import { LineLog } from '../../agent/log';
import { Problems } from '../../agent/problems';
import type { FoundFile, Listing } from '../../agent/source/audit-source';
import { parseSourceName } from '../../agent/sqlaudit/audit-file-name';
import { AuditFiles } from '../../agent/tail/audit-files';
import { auditFileName } from './support/audit-files';

const FOLDER = '/audit';
const BELOW = `${FOLDER}/below`;
const MINUTE_MS = 60_000;

describe('an audit file that a listing does not have', () => {
  let nowMs: number;
  let listings: Listing[];
  let isLocked: boolean;
  let noted: string[];
  let files: AuditFiles;
  beforeEach(() => {
    [nowMs, listings, isLocked, noted] = [5 * MINUTE_MS, [], false, []];
    const bookmarks = new Map<string, Bookmark>();
    const gap = ({ fileName, reason }: { fileName: string; reason: string }) => `${reason} ${fileName}`;
    const clock = { now: () => nowMs, elapsed: () => nowMs, wait: async () => {} };
    let there: ReadonlySet<string> = new Set();
    const source = {
      title: FOLDER,
      list: async () => {
        const listing = listings.shift() ?? listed();
        if (listing.kind === 'listed') there = new Set(listing.files.map(({ path }) => path));
        return listing;
      },
      open: async () => ({ size: async () => 0, read: async () => Buffer.alloc(0), close: async () => {} }),
      identify: async (path: string) => {
        if (!there.has(path)) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
        if (isLocked) throw Object.assign(new Error('resource busy'), { code: 'EBUSY' });
        return { kind: 'file' as const, fileGuid: path };
      },
    };
    const gaps = new OpenGaps('X', { unended: [], add: async (one) => void noted.push(gap(one)) }, clock);
    files = new AuditFiles({
      ...{ source, isShared: false, clock, gaps, problems: new Problems('X', new LineLog(() => {}), false) },
      spool: {
        files: async () => [],
        stateOf: () => ({ length: 0, isComplete: false, isFull: false }),
      } as never,
      bookmarks: {
        of: (guid) => bookmarks.get(guid) ?? null,
        all: () => bookmarks,
        noteFound: async (found) => {
          for (const [guid, one] of found) bookmarks.set(guid, one);
        },
      },
    });
    async function look() {
      files.forgetGone();
      await files.look();
      await gaps.flush();
    }
    lookAt = (...given) => {
      listings = given;
      return look();
    };
  });
  let lookAt: (...given: Listing[]) => Promise<void>;

  const fileAt = (n: number, folder = FOLDER): FoundFile => ({
    ...{ path: `${folder}/${auditFileName(n)}`, name: auditFileName(n), size: 4_096, mtimeMs: n },
    ...{
      inode: `${n}`,
      version: `${n}`,
      audit: parseSourceName(auditFileName(n))?.audit ?? null,
      created: BigInt(n),
      isSpooled: false,
    },
  });
  const listed = (...found: FoundFile[]): Listing => ({ kind: 'listed', files: found, skipped: [] });
  const unreadable: Listing = { kind: 'unreadable', folder: FOLDER, reason: 'EIO' };

  it('is a gap although the folder cannot be listed for long after it', async () => {
    await lookAt(listed(fileAt(0), fileAt(1)));
    await lookAt(listed(fileAt(1)), unreadable);
    nowMs += 11 * MINUTE_MS;
    await lookAt(unreadable);
    expect(noted).toEqual([]);
    await lookAt(listed(fileAt(1)));
    expect(noted).toEqual([`FILE_DELETED ${auditFileName(0)}`]);
    expect(files.all.map(({ name }) => name)).toEqual([0, 1].map(auditFileName));
    nowMs += 11 * MINUTE_MS;
    await lookAt(listed(fileAt(1)));
    expect(files.all.map(({ name }) => name)).toEqual([auditFileName(1)]);
  });

  it('is remembered for ten minutes, since a rename may take a moment', async () => {
    await lookAt(listed(fileAt(0), fileAt(1)));
    await lookAt(listed(fileAt(1)), listed(fileAt(1)));
    const known: string[][] = [];
    for (const minutes of [9, 1, 1]) {
      nowMs += minutes * MINUTE_MS;
      await lookAt(listed(fileAt(1)));
      known.push(files.all.map(({ name }) => name));
    }
    const both = [0, 1].map(auditFileName);
    expect(known).toEqual([both, both, [auditFileName(1)]]);
  });

  it('is a gap where it could not be read, unless the next listing has it', async () => {
    isLocked = true;
    await lookAt(listed(fileAt(0), fileAt(1)));
    await lookAt(listed(fileAt(1)), listed(fileAt(0), fileAt(1)));
    expect(noted).toEqual([]);
    await lookAt(listed(fileAt(1)), listed(fileAt(1)));
    expect(noted).toEqual([`FILE_DELETED ${auditFileName(0)}`]);
  });

  it('is none where it could not be read, and its folder cannot be listed now', async () => {
    isLocked = true;
    await lookAt(listed(fileAt(0, BELOW), fileAt(1)));
    const skipped = [{ folder: BELOW, reason: 'EACCES' }];
    await lookAt({ kind: 'listed', files: [fileAt(1)], skipped });
    expect([noted, files.listedAtMs]).toEqual([[], null]);
    isLocked = false;
    await lookAt(listed(fileAt(0, BELOW), fileAt(1)));
    expect([noted, files.listedAtMs]).toEqual([[], nowMs]);
  });
});
