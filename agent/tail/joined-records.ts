import type { AuditRecord } from '../../src/event/audit-record';
import { toAuditPart } from '../sqlaudit/audit-record';
import type { FileEvent } from '../sqlaudit/reader';
import type { FollowedFile } from './followed-file';
import { type FilePosition, isBefore } from './position';
import { SessionJoiners } from './session-joiners';

/** Makes whole records of the events of a database's files, each server audit for itself. */
export class JoinedRecords {
  private readonly audits = new Map<string, SessionJoiners>();

  /** Takes one event in and moves the file's position behind it. @returns the records to publish now */
  take(file: FollowedFile, item: FileEvent): AuditRecord[] {
    const { fileGuid, blockOffset, index } = item;
    const part = toAuditPart(item.event, { file: file.name, fileGuid, blockOffset, index });
    const records: AuditRecord[] = [];
    if (part !== null) {
      noteTime(file, part.record.eventTime);
      const joiners = this.of(file.audit);
      const complete = joiners.push(part);
      // Read again only to join: what completes before this place was acknowledged in an earlier run.
      if (!isBefore(item, file.acknowledged)) records.push(...complete);
      records.push(...joiners.relieve());
    }
    file.next = item.next;
    return records;
  }

  oldestOf(audit: string): FilePosition | null {
    return this.audits.get(audit)?.oldest() ?? null;
  }

  /** To be called when all there is was read, but for the audits held back. */
  letGoQuiet(nowMs: number, waitMs: number, heldBack: ReadonlySet<string>): AuditRecord[] {
    const records: AuditRecord[] = [];
    for (const [audit, joiners] of this.audits) {
      if (heldBack.has(audit)) continue;
      records.push(...joiners.letGoQuiet(nowMs, waitMs));
      if (joiners.oldest() === null) this.audits.delete(audit);
    }
    return records;
  }

  letGoAll(): AuditRecord[] {
    return [...this.audits.values()].flatMap((joiners) => joiners.letGoAll());
  }

  private of(audit: string): SessionJoiners {
    const known = this.audits.get(audit);
    if (known) return known;
    const joiners = new SessionJoiners();
    this.audits.set(audit, joiners);
    return joiners;
  }
}

function noteTime(file: FollowedFile, eventTime: string): void {
  if (file.lastTime === null) file.firstTime = eventTime;
  file.lastTime = eventTime;
}
