import type { AuditRecord } from '../../src/event/audit-record';
import { type AuditPart, mayContinue, PART_CHARS, type SplitTexts, toAuditRecord } from './audit-record';
import type { FilePosition } from './position';

/** Bounds of the records that wait for another part. Beyond them, the oldest one is returned incomplete. */
export interface JoinLimits {
  readonly recordsMax: number;
  /** The most bytes of all waiting records together. */
  readonly textBytesMax: number;
  /** The most parts of other sessions since the record's last part. */
  readonly partsBetweenMax: number;
}

export const JOIN_LIMITS: JoinLimits = {
  recordsMax: 1_000, // sessions that are in the middle of a long statement at the same moment
  textBytesMax: 64 * 1024 * 1024, // for the memory of a command that decodes files
  partsBetweenMax: Number.POSITIVE_INFINITY, // nothing is read again
};

interface OpenRecord {
  readonly head: AuditPart;
  readonly last: AuditPart;
  readonly texts: SplitTexts;
  readonly parts: number;
}

interface Waiting {
  record: OpenRecord;
  /** The number of all parts when the last part of the record's session came. */
  pushedAt: number;
  /** Since when there has been nothing more to read; null: there was more. */
  quietSinceMs: number | null;
}

/**
 * Joins the parts of split audit records of one server audit. It takes the parts in the order of the files. Nothing is
 * lost: a part that belongs to no known record is returned as a record of its own.
 */
export class RecordJoiner {
  /** By session, the oldest record first: a session writes all parts of one record before it begins the next. */
  private readonly waiting = new Map<string, Waiting>();
  private textBytes = 0;
  private pushed = 0;

  constructor(private readonly limits: JoinLimits = JOIN_LIMITS) {}

  /** @returns the records that this part completes, in the order of completion */
  push(part: AuditPart): AuditRecord[] {
    this.pushed++;
    const { session } = part;
    const waiting = this.waiting.get(session);
    // Most records are whole, and nothing waits for them.
    if (!waiting && (part.sequenceNumber > 1 || !mayContinue(part.texts))) return [toRecord(alone(part))];
    const records = part.sequenceNumber > 1 ? this.continue(part, waiting) : this.begin(part);
    const open = this.waiting.get(session);
    if (open) {
      open.pushedAt = this.pushed;
      open.quietSinceMs = null;
    }
    return records;
  }

  /** To be called after each part. @returns the records beyond the limits, incomplete */
  relieve(): AuditRecord[] {
    const records: AuditRecord[] = [];
    if (this.waiting.size === 0) return records;
    const { recordsMax, textBytesMax, partsBetweenMax } = this.limits;
    for (const [session, { pushedAt }] of this.waiting) {
      const isWithin =
        this.waiting.size <= recordsMax &&
        this.textBytes <= textBytesMax &&
        this.pushed - pushedAt <= partsBetweenMax;
      if (isWithin) break;
      records.push(...this.release(session));
    }
    return records;
  }

  /** To be called when all present records are read. @returns the records that have waited too long for another part */
  releaseQuiet(nowMs: number, waitMs: number): AuditRecord[] {
    const records: AuditRecord[] = [];
    for (const [session, waiting] of this.waiting) {
      waiting.quietSinceMs ??= nowMs;
      if (nowMs - waiting.quietSinceMs >= waitMs) records.push(...this.release(session));
    }
    return records;
  }

  /** @returns every waiting record, incomplete */
  flush(): AuditRecord[] {
    return [...this.waiting.keys()].flatMap((session) => this.release(session));
  }

  /** Whether no record waits for another part. */
  get isIdle(): boolean {
    return this.waiting.size === 0;
  }

  /** Where the oldest waiting record begins: a restarted agent reads from there. */
  oldest(): FilePosition | null {
    for (const { record } of this.waiting.values()) {
      const { fileGuid, blockOffset, index } = record.head.position;
      return { fileGuid, blockOffset, index };
    }
    return null;
  }

  private begin(part: AuditPart): AuditRecord[] {
    const before = this.release(part.session);
    const record = alone(part);
    if (!mayContinue(part.texts)) return [...before, toRecord(record)];
    this.hold(record);
    return before;
  }

  private continue(part: AuditPart, waiting: Waiting | undefined): AuditRecord[] {
    if (!waiting || waiting.record.head.key !== part.key) return [toRecord(alone(part))];
    const { head, last, texts, parts } = waiting.record;
    if (part.sequenceNumber !== last.sequenceNumber + 1)
      return [...this.release(part.session), toRecord(alone(part))];
    const joined = { head, last: part, texts: joinTexts(texts, last.texts, part.texts), parts: parts + 1 };
    if (mayContinue(part.texts)) {
      this.hold(joined);
      return [];
    }
    this.drop(part.session);
    return [toRecord(joined)];
  }

  /** Keeps a record for its next part. A new record becomes the newest; a continued one keeps its place. */
  private hold(record: OpenRecord): void {
    const { session } = record.head;
    const waiting = this.waiting.get(session);
    this.textBytes += textBytes(record) - (waiting ? textBytes(waiting.record) : 0);
    if (waiting) waiting.record = record;
    else this.waiting.set(session, { record, pushedAt: this.pushed, quietSinceMs: null });
  }

  private release(session: string): AuditRecord[] {
    const record = this.drop(session);
    return record ? [toRecord(record)] : [];
  }

  private drop(session: string): OpenRecord | undefined {
    const waiting = this.waiting.get(session);
    if (!waiting) return undefined;
    this.waiting.delete(session);
    this.textBytes -= textBytes(waiting.record);
    return waiting.record;
  }
}

const alone = (part: AuditPart): OpenRecord => ({ head: part, last: part, texts: part.texts, parts: 1 });
const toRecord = ({ head, texts, parts }: OpenRecord): AuditRecord => toAuditRecord(head, texts, parts);
const textBytes = ({ texts }: OpenRecord): number =>
  2 * (texts.statement.length + texts.additionalInformation.length);

const joinTexts = (joined: SplitTexts, last: SplitTexts, next: SplitTexts): SplitTexts => ({
  statement: joinText(joined.statement, last.statement, next.statement),
  additionalInformation: joinText(
    joined.additionalInformation,
    last.additionalInformation,
    next.additionalInformation,
  ),
});

/** A column that was not full is already whole. Later parts, which exist because of the other column, repeat it. */
function joinText(joined: string, last: string, next: string): string {
  const isRepeated = last.length < PART_CHARS && (next === joined || next === last);
  return isRepeated ? joined : joined + next;
}
