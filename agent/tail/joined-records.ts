import type { AuditRecord } from '../../src/event/audit-record';
import { toAuditPart } from '../sqlaudit/audit-record';
import { type FilePosition, isBefore } from '../sqlaudit/position';
import { type EventBlock, type FileEvent, fileEventOf } from '../sqlaudit/reader';
import { JOIN_LIMITS, type JoinLimits, RecordJoiner } from '../sqlaudit/record-joiner';
import type { FollowedFile } from './followed-file';

/** Of one server audit. */
const LIMITS: JoinLimits = {
  ...JOIN_LIMITS,
  textBytesMax: 16 * 1024 * 1024, // the agent's memory is bounded
  partsBetweenMax: 100_000, // a restart reads again from the oldest waiting record
};

/** Makes whole records of the events of a database's files. Each server audit has a joiner of its own. */
export class JoinedRecords {
  private readonly audits = new Map<string, RecordJoiner>();

  /** Whether what is read of a file now comes out as it is, if it is whole: nothing waits that it could belong to. */
  passWhole(file: FollowedFile): boolean {
    return this.audits.get(file.audit)?.isIdle ?? true;
  }

  /** Takes one event of a block in and advances its file behind it. @returns the records to publish now */
  take(file: FollowedFile, block: EventBlock, at: number): AuditRecord[] {
    const event = block.events[at];
    return event ? this.takeEvent(file, fileEventOf(block, at, event)) : [];
  }

  private takeEvent(file: FollowedFile, item: FileEvent): AuditRecord[] {
    const { fileGuid, blockOffset, index } = item;
    const part = toAuditPart(item.event, { file: file.name, fileGuid, blockOffset, index });
    file.advance(item.next, part?.record.eventTime ?? null);
    if (part === null) return [];
    const joiner = this.of(file.audit);
    const complete = joiner.push(part);
    // Before this position events are read again only to join them: an earlier run has published what they complete.
    const published = isBefore(item, file.acknowledged) ? [] : complete;
    const relieved = joiner.relieve();
    return relieved.length === 0 ? published : [...published, ...relieved];
  }

  oldestOf(audit: string): FilePosition | null {
    return this.audits.get(audit)?.oldest() ?? null;
  }

  /** To be called when everything there is was read, but for the audits held back. */
  releaseQuiet(nowMs: number, waitMs: number, heldBack: ReadonlySet<string>): AuditRecord[] {
    const records: AuditRecord[] = [];
    for (const [audit, joiner] of this.audits) {
      if (heldBack.has(audit)) continue;
      records.push(...joiner.releaseQuiet(nowMs, waitMs));
      if (joiner.oldest() === null) this.audits.delete(audit);
    }
    return records;
  }

  flush(): AuditRecord[] {
    return [...this.audits.values()].flatMap((joiner) => joiner.flush());
  }

  private of(audit: string): RecordJoiner {
    const known = this.audits.get(audit);
    if (known) return known;
    const joiner = new RecordJoiner(LIMITS);
    this.audits.set(audit, joiner);
    return joiner;
  }
}
