import type { AuditRecord } from '../../src/event/audit-record';
import { toAuditPart } from '../sqlaudit/audit-record';
import { type FilePosition, isBefore } from '../sqlaudit/position';
import { type EventBlock, type FileEvent, fileEventOf } from '../sqlaudit/reader';
import { JOIN_LIMITS, type JoinLimits, RecordJoiner } from '../sqlaudit/record-joiner';
import type { FollowedFile } from './followed-file';

/** The joiner and its clock for one server audit. */
const LIMITS: JoinLimits = {
  ...JOIN_LIMITS,
  textBytesMax: 16 * 1024 * 1024, // bounds the agent's memory
  partsBetweenMax: 100_000, // a restart reads again from the oldest waiting record
};

/** Makes whole records from the events of a database's files. Each server audit has a joiner of its own. */
export class JoinedRecords {
  private readonly audits = new Map<string, RecordJoiner>();

  /** Whether whole records of a file need no joiner, since no record waits to which they could belong. */
  passWhole(file: FollowedFile): boolean {
    return this.audits.get(file.audit)?.isIdle ?? true;
  }

  /** Takes one event of a block, and advances its file behind the event. @returns the records to publish now */
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
    // Events before this position are read again only for joining: an earlier run has published the records they complete.
    const published = isBefore(item, file.acknowledged) ? [] : complete;
    const relieved = joiner.relieve();
    return relieved.length === 0 ? published : [...published, ...relieved];
  }

  oldestOf(audit: string): FilePosition | null {
    return this.audits.get(audit)?.oldest() ?? null;
  }

  /** To be called when all present records are read, except those of audits that are held back. */
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
