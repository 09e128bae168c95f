import type { GapReason } from '../../src/event/source-report';
import type { Clock } from '../clock';
import { parseSourceName } from '../sqlaudit/audit-file-name';
import { type Gap, toGap } from './gap';
import type { GapStore } from './gap-store';

/** What a gap states about the file that it is in. */
interface GapFile {
  readonly name: string;
  readonly fileGuid: string | null;
  /** Records of the same audit follow the gap: in this file, and in files that were begun later. */
  readonly audit: string;
  /** FILETIME. */
  readonly created: bigint;
  /** Event time of the last record read in it. */
  readonly lastTime: string | null;
}

export interface GapNote {
  readonly reason: GapReason;
  /** See `GapFacts`. */
  readonly range: string;
  readonly detail: string;
  /** Event time of the first record after the gap, if that is already read. */
  readonly beforeTime?: string | null;
}

interface OpenGap {
  readonly gap: Gap;
  readonly file: Pick<GapFile, 'audit' | 'created'>;
}

/** Gaps that were just found, and gaps on disk that have no end yet. */
export class OpenGaps {
  /** They wait for the next record, but not longer than until the next batch. */
  private open: OpenGap[] = [];
  /** They are on disk, and end with the first record of a later file. */
  private unended: readonly OpenGap[];

  constructor(
    private readonly database: string,
    private readonly store: Pick<GapStore, 'add' | 'unended'>,
    private readonly clock: Clock,
  ) {
    this.unended = store.unended.map((gap) => ({ gap, file: fileOf(gap) }));
  }

  note(file: GapFile, { reason, range, detail, beforeTime = null }: GapNote): void {
    const { name, fileGuid, lastTime, audit, created } = file;
    const facts = { database: this.database, fileName: name, fileGuid, reason, range, detail };
    const times = { afterTime: lastTime, beforeTime, detectedAtMs: this.clock.now() };
    this.open.push({ gap: toGap({ ...facts, ...times }), file: { audit, created } });
  }

  /** Whether the next record of the file may be the end of a gap. */
  waitFor(file: OpenGap['file']): boolean {
    return this.open.length > 0 || this.unended.some((one) => isOfLater(file, one));
  }

  /** A record of a file was read: the gaps in this file so far, and in earlier ones, end before it. */
  recordRead(file: OpenGap['file'], eventTime: string): void {
    if (!this.waitFor(file)) return;
    const endsHere = ({ gap }: OpenGap) => gap.beforeTime === null && eventTime >= (gap.afterTime ?? '');
    // A record of the same file may lie before the gap: a run that was killed reads it again.
    const ended = new Set(this.unended.filter((one) => isOfLater(file, one) && endsHere(one)));
    this.unended = this.unended.filter((one) => !ended.has(one));
    this.open = [...this.open, ...ended].map((one) => {
      const isBehind = one.file.audit === file.audit && one.file.created <= file.created;
      return isBehind && endsHere(one) ? { ...one, gap: { ...one.gap, beforeTime: eventTime } } : one;
    });
  }

  /** Resolves when all gaps found are on disk. No bookmark may move past them before that. */
  async flush(): Promise<void> {
    for (;;) {
      const [first] = this.open;
      if (first === undefined) return;
      await this.store.add(first.gap);
      this.open.shift();
      const { gapId, beforeTime } = first.gap;
      if (beforeTime === null)
        this.unended = [...this.unended.filter(({ gap }) => gap.gapId !== gapId), first];
    }
  }
}

/** Whether a file is of the audit of a gap, and was begun after the file that the gap is in. */
const isOfLater = ({ audit, created }: OpenGap['file'], { file }: OpenGap): boolean =>
  file.audit === audit && file.created < created;

/** The file of a gap of an earlier run, as its name tells. */
function fileOf({ fileName, fileGuid }: Gap): OpenGap['file'] {
  const told = parseSourceName(fileName);
  const audit = told?.audit ?? (fileGuid === null ? fileName : `file ${fileGuid}`);
  return { audit, created: told?.created ?? 0n };
}
