import type { GapReason } from '../../src/event/source-report';
import type { Clock } from '../clock';
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

/** Gaps that were just found. They wait for the next record, but not longer than until the next batch. */
export class OpenGaps {
  private open: OpenGap[] = [];

  constructor(
    private readonly database: string,
    private readonly store: Pick<GapStore, 'add'>,
    private readonly clock: Clock,
  ) {}

  note(file: GapFile, { reason, range, detail, beforeTime = null }: GapNote): void {
    const { name, fileGuid, lastTime, audit, created } = file;
    const facts = { database: this.database, fileName: name, fileGuid, reason, range, detail };
    const times = { afterTime: lastTime, beforeTime, detectedAtMs: this.clock.now() };
    this.open.push({ gap: toGap({ ...facts, ...times }), file: { audit, created } });
  }

  get isEmpty(): boolean {
    return this.open.length === 0;
  }

  /** A record of a file was read: the gaps in this file so far, and in earlier ones, end before it. */
  recordRead({ audit, created }: Pick<GapFile, 'audit' | 'created'>, eventTime: string): void {
    if (this.open.length === 0) return;
    this.open = this.open.map((one) => {
      const isBehind = one.file.audit === audit && one.file.created <= created;
      return isBehind && one.gap.beforeTime === null && eventTime >= (one.gap.afterTime ?? '')
        ? { ...one, gap: { ...one.gap, beforeTime: eventTime } }
        : one;
    });
  }

  /** Resolves when all gaps found are on disk. No bookmark may move past them before that. */
  async flush(): Promise<void> {
    for (;;) {
      const [first] = this.open;
      if (first === undefined) return;
      await this.store.add(first.gap);
      this.open.shift();
    }
  }
}
