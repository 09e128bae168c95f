import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentProcess } from './agent-process';
import type { AuditFile, Part } from './audit-file';
import type { KeptFile } from './audit-target';
import { BookmarkView } from './bookmark-view';

interface Deletion {
  readonly file: AuditFile;
  /** Its size on disk. */
  readonly size: number;
}

/**
 * Decides which rows an agent must bring to the service. Every row of an existing file must arrive. A row of a
 * deleted file must arrive if, when the file was deleted,
 *
 * - the bookmarks were past the row,
 * - or the spool had the row,
 * - or the agent had looked at the folder several times since the row was on disk, with nothing on its way to the
 *   service, and was not ended before its bookmarks were past the row,
 * - or the agent had looked at the folder several times since the row was on disk and the file was not the newest,
 *   while the service had kept the agent waiting for so long that it copies what it cannot publish.
 *
 * All other rows may be lost if a gap is reported.
 */
export class Sight {
  /** Rows that may be lost. */
  readonly atRisk = new Set<Part>();
  /** Rows of files that were gone when an agent ended with bookmarks before them: it may have delivered them. */
  readonly forgotten = new Set<Part>();
  /** Files whose end an agent cannot know, so that a gap in them is no false alarm. */
  readonly uncertain = new Set<AuditFile>();
  /** Files that possibly no agent ever saw. */
  readonly untraced = new Set<AuditFile>();
  /** Rows of deleted files that neither the bookmarks had passed nor the spool had. */
  private goneParts: Part[] = [];
  /** Rows that are only in the agent's memory. */
  private heldParts = new Set<Part>();
  private heldFiles: Deletion[] = [];
  private unsaved: AuditFile[] = [];
  /** Files that the running agent has found. */
  private found = new Set<AuditFile>();

  /** @param place names of the tenant and the database below the agent's folders */
  constructor(
    private readonly agent: AgentProcess,
    private readonly dataDir: string,
    private readonly place: readonly [tenant: string, database: string],
  ) {}

  /** To be called right before a file is deleted. @param next the file after it. @param audit all files of the audit */
  deleting({ file, paths }: KeptFile, next: AuditFile, audit: readonly AuditFile[]): void {
    const { agent } = this;
    const bookmarks = this.bookmarks();
    for (const part of file.wholeParts) {
      if (isPast(bookmarks, part) || this.isSpooled(part)) continue;
      this.goneParts.push(part);
      if (agent.hasRead(part.completeAtMs)) this.heldParts.add(part);
      else if (!agent.hasSpooled(Math.max(part.completeAtMs, next.headerAtMs))) this.atRisk.add(part);
    }
    const deletion = { file, size: sizeOf(paths) };
    const knownSinceMs = Math.max(file.writtenAtMs, next.headerAtMs);
    if (!bookmarks.isDone(file.guid, deletion.size) && !agent.hasSpooled(knownSinceMs)) {
      if (agent.hasRead(knownSinceMs)) this.heldFiles.push(deletion);
      else this.uncertain.add(file);
    }
    for (const one of audit) if (agent.hasLooked(one.headerAtMs)) this.found.add(one);
    if (!audit.some((one) => bookmarks.knows(one.guid) || this.found.has(one))) this.untraced.add(file);
    else if (!audit.some(({ guid }) => bookmarks.knows(guid))) this.unsaved.push(file);
    agent.note(`goes: ${file.names.join(' or ')}, ${this.stateOf(file)}; ${agent.looksText}`);
  }

  private stateOf(file: AuditFile): string {
    if (this.uncertain.has(file)) return 'uncertain';
    return this.heldFiles.some((held) => held.file === file) ? 'known to the agent' : 'noted or spooled';
  }

  /** To be called right before somebody renames a file. */
  renaming({ file, paths }: KeptFile): void {
    // An agent that knows no later file cannot tell whether later files were deleted.
    if (!this.bookmarks().isDone(file.guid, sizeOf(paths))) this.uncertain.add(file);
  }

  /** To be called right before the agent is ended. */
  ending(): void {
    const bookmarks = this.bookmarks();
    for (const part of this.heldParts) if (!isPast(bookmarks, part)) this.atRisk.add(part);
    this.goneParts = this.goneParts.filter((part) => !isPast(bookmarks, part));
    for (const part of this.goneParts) this.forgotten.add(part);
    for (const { file, size } of this.heldFiles)
      if (!bookmarks.isDone(file.guid, size)) this.uncertain.add(file);
    for (const file of this.unsaved) this.untraced.add(file);
    this.heldParts = new Set();
    this.heldFiles = [];
    this.unsaved = [];
    this.found = new Set();
  }

  bookmarks(): BookmarkView {
    const [tenant, database] = this.place;
    return new BookmarkView(join(this.dataDir, 'checkpoints', tenant, `${database}.json`));
  }

  /** Whether the agent keeps gaps that it has not reported. */
  get hasPendingGaps(): boolean {
    const [tenant, database] = this.place;
    const path = join(this.dataDir, 'gaps', tenant, `${database}.ndjson`);
    return existsSync(path) && statSync(path).size > 0;
  }

  private isSpooled({ file, blockEnd }: Part): boolean {
    // The agent gives a copy these names in this order, and it may rename the copy between two of these checks.
    return ['.part', ''].some((ending) => {
      const folder = join(this.dataDir, 'spool', ...this.place, `${file.guid}${ending}`);
      return file.names.some((name) => {
        const copy = statSync(join(folder, name), { throwIfNoEntry: false });
        return copy !== undefined && copy.size >= blockEnd;
      });
    });
  }
}

const sizeOf = (paths: readonly string[]): number => Math.max(...paths.map((path) => statSync(path).size));

export const isPast = (bookmarks: BookmarkView, { file, blockOffset, index }: Part): boolean =>
  bookmarks.isPast(file.guid, blockOffset, index);
