import type { AuditRecord } from '../../src/event/audit-record';
import { type AuditPart, mayContinue, PART_CHARS, type SplitTexts, toAuditRecord } from './audit-record';

export interface JoinerLimits {
  readonly pendingRecordsMax: number;
  /** Of all pending records together. */
  readonly pendingTextBytesMax: number;
}
/** Sessions that are in the middle of a long statement at one moment; beyond this, records come out unjoined. */
export const JOINER_LIMITS: JoinerLimits = {
  pendingRecordsMax: 1000,
  pendingTextBytesMax: 64 * 1024 * 1024,
};

interface Pending {
  readonly head: AuditPart;
  readonly last: AuditPart;
  readonly texts: SplitTexts;
  readonly parts: number;
}

/**
 * Puts the parts of split audit records together again. Give it the parts of one server audit in the order of
 * its files; nothing is lost: what does not join comes out as a record of its own.
 */
export class RecordJoiner {
  /** By session, oldest first: a session writes the parts of one record before it begins the next. */
  private readonly pending = new Map<string, Pending>();
  private pendingTextBytes = 0;

  constructor(private readonly limits: JoinerLimits = JOINER_LIMITS) {}

  /** @returns the records that are complete with this part, in the order of completion. */
  push(part: AuditPart): AuditRecord[] {
    const open = this.pending.get(part.session);
    if (part.sequenceNumber > 1) return this.pushLaterPart(part, open);
    const records = open ? [this.release(open)] : [];
    if (mayContinue(part.texts)) {
      records.push(...this.hold({ head: part, last: part, texts: part.texts, parts: 1 }));
    } else records.push(toAuditRecord(part, part.texts, 1));
    return records;
  }

  /** @returns everything that still waits for a part, as it is. */
  flush(): AuditRecord[] {
    return [...this.pending.values()].map((pending) => this.release(pending));
  }

  /** Where the record stands that has waited longest: a checkpoint must not be beyond it. */
  oldestPending(): { fileGuid: string; blockOffset: number; index: number } | null {
    for (const { head } of this.pending.values()) {
      const { fileGuid, blockOffset, index } = head.source;
      return { fileGuid, blockOffset, index };
    }
    return null;
  }

  private pushLaterPart(part: AuditPart, open: Pending | undefined): AuditRecord[] {
    const orphan = { head: part, last: part, texts: part.texts, parts: 1 };
    if (!open || open.head.key !== part.key) return [recordOf(orphan)];
    if (part.sequenceNumber !== open.last.sequenceNumber + 1) return [this.release(open), recordOf(orphan)];
    const joined = {
      head: open.head,
      last: part,
      texts: {
        statement: joinText(open.texts.statement, open.last.texts.statement, part.texts.statement),
        additionalInformation: joinText(
          open.texts.additionalInformation,
          open.last.texts.additionalInformation,
          part.texts.additionalInformation,
        ),
      },
      parts: open.parts + 1,
    };
    if (mayContinue(part.texts)) return this.hold(joined);
    this.drop(open);
    return [recordOf(joined)];
  }

  /** Keeps a record for its next part. @returns what had to give way for it. */
  private hold(pending: Pending): AuditRecord[] {
    const { session } = pending.head;
    const before = this.pending.get(session);
    this.pendingTextBytes += textBytes(pending) - (before ? textBytes(before) : 0);
    this.pending.set(session, pending);
    const released: AuditRecord[] = [];
    for (const oldest of this.pending.values()) {
      const fits =
        this.pending.size <= this.limits.pendingRecordsMax &&
        this.pendingTextBytes <= this.limits.pendingTextBytesMax;
      if (fits) break;
      released.push(this.release(oldest));
    }
    return released;
  }

  private release(pending: Pending): AuditRecord {
    this.drop(pending);
    return recordOf(pending);
  }

  private drop(pending: Pending): void {
    this.pending.delete(pending.head.session);
    this.pendingTextBytes -= textBytes(pending);
  }
}

const recordOf = ({ head, texts, parts }: Pending): AuditRecord => toAuditRecord(head, texts, parts);
const textBytes = ({ texts }: Pending): number =>
  2 * (texts.statement.length + texts.additionalInformation.length);

/** A column that was not full is whole already: later parts, cut for the other column's sake, repeat it. */
function joinText(joined: string, last: string, next: string): string {
  const isRepeated = last.length < PART_CHARS && (next === joined || next === last);
  return isRepeated ? joined : joined + next;
}
