import type { AuditRecord } from '../../src/event/audit-record';
import type { AuditPart } from '../sqlaudit/audit-record';
import { RecordJoiner } from '../sqlaudit/record-joiner';
import type { FilePosition } from './position';

/** Bounds of what one server audit can hold back. Beyond them the oldest record goes out as it is. */
export const JOIN_LIMITS = {
  sessionsMax: 1_000, // sessions in the middle of a long statement at one moment
  textBytesMax: 16 * 1024 * 1024, // the agent's memory is bounded
  partsBetweenMax: 100_000, // a restart reads again from the oldest record held back
} as const;

interface OpenRecord {
  readonly joiner: RecordJoiner;
  readonly head: FilePosition;
  readonly textBytes: number;
  /** Count of all parts when its last part came. */
  readonly pushedAt: number;
  /** Since when nothing more was to be read, while the record waited. */
  quietSinceMs: number | null;
}

/**
 * Joins the split records of one server audit. Each session has its own joiner, so that a record which goes on
 * nowhere can be let go after a while without tearing others apart.
 */
export class SessionJoiners {
  /** Of sessions with an open record, the one that began first first. */
  private readonly open = new Map<string, OpenRecord>();
  private spare = new RecordJoiner();
  private textBytes = 0;
  private pushed = 0;

  constructor(private readonly limits: typeof JOIN_LIMITS = JOIN_LIMITS) {}

  /** @returns the records this part completes */
  push(part: AuditPart): AuditRecord[] {
    this.pushed++;
    const open = this.open.get(part.session);
    const joiner = open?.joiner ?? this.spare;
    const records = joiner.push(part);
    const head = joiner.oldestPending();
    if (head === null) {
      this.close(part.session);
      this.spare = joiner;
      return records;
    }
    if (!open) this.spare = new RecordJoiner();
    const goesOn = open !== undefined && isSame(open.head, head);
    const textBytes = 2 * (part.texts.statement.length + part.texts.additionalInformation.length);
    const total = textBytes + (goesOn ? open.textBytes : 0);
    // A new head takes its place at the end; one that goes on keeps its own.
    if (!goesOn) this.close(part.session);
    this.textBytes += textBytes;
    this.open.set(part.session, {
      joiner,
      head,
      textBytes: total,
      pushedAt: this.pushed,
      quietSinceMs: null,
    });
    return records;
  }

  /** @returns records that must give way to the limits, as they are */
  relieve(): AuditRecord[] {
    const records: AuditRecord[] = [];
    for (const [session, open] of this.open) {
      const isWithin =
        this.open.size <= this.limits.sessionsMax &&
        this.textBytes <= this.limits.textBytesMax &&
        this.pushed - open.pushedAt <= this.limits.partsBetweenMax;
      if (isWithin) break;
      records.push(...this.letGo(session, open));
    }
    return records;
  }

  /** To be called when all there is was read. @returns records that have waited too long for another part */
  letGoQuiet(nowMs: number, waitMs: number): AuditRecord[] {
    const records: AuditRecord[] = [];
    for (const [session, open] of this.open) {
      open.quietSinceMs ??= nowMs;
      if (nowMs - open.quietSinceMs >= waitMs) records.push(...this.letGo(session, open));
    }
    return records;
  }

  letGoAll(): AuditRecord[] {
    return [...this.open].flatMap(([session, open]) => this.letGo(session, open));
  }

  /** Where the oldest open record begins: reading must start there again after a restart. */
  oldest(): FilePosition | null {
    for (const { head } of this.open.values()) return head;
    return null;
  }

  private letGo(session: string, { joiner }: OpenRecord): AuditRecord[] {
    this.close(session);
    return joiner.flush();
  }

  private close(session: string): void {
    this.textBytes -= this.open.get(session)?.textBytes ?? 0;
    this.open.delete(session);
  }
}

const isSame = (a: FilePosition, b: FilePosition): boolean =>
  a.fileGuid === b.fileGuid && a.blockOffset === b.blockOffset && a.index === b.index;
