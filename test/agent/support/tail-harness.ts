import { Bookmarks } from '../../../agent/bookmarks/bookmarks';
import { systemClock } from '../../../agent/clock';
import { GapStore } from '../../../agent/gaps/gap-store';
import { LineLog } from '../../../agent/log';
import { Problems } from '../../../agent/problems';
import type { AuditSource } from '../../../agent/source/audit-source';
import { LocalFolder, parseAuditGlob } from '../../../agent/source/local-folder';
import { Spool } from '../../../agent/spool/spool';
import type { Batch } from '../../../agent/tail/database-tail';
import { DatabaseTail } from '../../../agent/tail/database-tail';
import { QUICK } from './agent-world';
import type { SentEvent } from './fake-ingest-service';

/** A tail of audit files with its bookmarks, as after the agent starts. */
export const startTail = (
  folder: string,
  bookmarksPath: string,
  once: boolean,
  eventsMax = 5,
  isShared = false,
) =>
  startTailOf(
    new LocalFolder(parseAuditGlob('*.sqlaudit', folder)),
    bookmarksPath,
    once,
    eventsMax,
    isShared,
  );

/** A tail of any source with its bookmarks. */
export async function startTailOf(
  source: AuditSource,
  bookmarksPath: string,
  once: boolean,
  eventsMax = 5,
  isShared = false,
) {
  const log = new LineLog(() => {});
  const bookmarks = await Bookmarks.load(bookmarksPath, { database: 'X', log, clock: systemClock });
  const problems = new Problems('X', log, once);
  const gaps = await GapStore.load(`${bookmarksPath}.gaps`, { log });
  const spool = await Spool.open({ folder: `${bookmarksPath}.spool`, bytesMax: 1e9, source, problems });
  const tail = new DatabaseTail({
    database: 'X',
    source,
    sourceType: 'DirectFile',
    isShared,
    once,
    log,
    limits: { eventsMax, bytesMax: 1e6, ageMaxMs: 0 },
    pollIntervalMs: 10,
    clock: systemClock,
    times: { ...QUICK, joinWaitMs: 60_000 },
    problems,
    bookmarks,
    gaps,
    spool,
  });
  return { tail, bookmarks, gaps };
}

export const eventsOfBatch = ({ events }: Batch): SentEvent[] => JSON.parse(`[${events.json}]`);
