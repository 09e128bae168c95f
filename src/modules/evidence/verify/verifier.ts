import { formatTicks } from '../../../event/event-time';
import { ID_BYTES, idBytes, idText, ticksOfRecordId } from '../../../event/record-id';
import { type LoggedEvent, leafHashOf } from '../../../store/log/evidence/entry';
import type { Erasure } from '../../../store/log/evidence/erasure-entry';
import { HASH_BYTES } from '../../../store/log/evidence/merkle';
import { isOfNoEvent } from '../../../store/log/evidence/own-entry';
import type { Checkpoint } from '../checkpoint';
import { type CheckpointFindings, checkCheckpoints, rootsAt } from './checkpoints';
import { erasuresIn } from './erasures';
import type { LogCopy } from './log-copy';
import { checkProofs } from './proofs';
import { RecordIndex } from './record-index';
import { Removals } from './removals';
import { checkFiles, fileEntriesIn } from './sealed-files';

/** The problems that one record can have. */
export const WRONG_KINDS = {
  altered: 'it is not what was accepted',
  missing: 'it was accepted, and is not there',
  inserted: 'it is there, and was never accepted',
  'log changed': 'it is as it was accepted, and its entry in the log is not',
} as const;
interface WrongRecord {
  readonly kind: keyof typeof WRONG_KINDS;
  readonly recordId: string;
  readonly eventTime: string;
}

export interface Report {
  readonly tenantId: string;
  readonly isSound: boolean;
  /** Whether events are not as they were accepted. If not, and it is not sound either, there is no verdict. */
  readonly isChanged: boolean;
  /** Sorted by record id, and thereby by time. */
  readonly findings: readonly WrongRecord[];
  /** Problems of the whole log, in sentences: signs of a change first, then what keeps the verifier from a verdict. */
  readonly problems: readonly string[];
  /** Sentences that change nothing in the verdict. */
  readonly notes: readonly string[];
  readonly events: number;
  readonly entries: number;
  readonly checkpoint: Checkpoint | null;
  /** The entries whose events retention removed. */
  readonly removed: number;
  /** The entries whose events were erased. */
  readonly erased: number;
  /** The erasures that the log has entries for, oldest first. */
  readonly erasures: readonly Pick<Erasure, 'at' | 'erasedBy' | 'reason' | 'events'>[];
  /** Entries of events that were accepted during the fetch, and are not among the fetched ones. */
  readonly newer: number;
  /** The events without a verdict, because the signed part says nothing about them. */
  readonly unjudged: number;
  /** Those of them that are in the log, and that no checkpoint covers yet. */
  readonly unsigned: number;
}

const [SEEN, ALTERED, GONE] = [1, 2, 3];

/** Records without an entry that are kept by name. A hostile export may have any number of them. */
const STRANGERS_MAX = 1_000_000;

/** Compares a tenant's events with its log. It gets all events, in any order, and then makes the report. */
export class Verifier {
  readonly #index: RecordIndex;
  readonly #checked: CheckpointFindings;
  readonly #marks: Uint8Array;
  /** The hashes of events that differ from their entry. */
  readonly #others = new Map<number, { hash: string; recordId: string }>();
  /** The events that have no entry under their record id. */
  readonly #strangers: { readonly hash: string; readonly recordId: string }[] = [];
  readonly #findings: WrongRecord[] = [];
  /** The number of entries that were signed and exist. */
  readonly #size: number;
  readonly #strangersText: string[] = [];
  readonly #erasures: readonly Erasure[];
  readonly #files: ReturnType<typeof checkFiles>;
  #erased = 0;
  #events = 0;
  #newer = 0;
  #unjudged = 0;
  #unsigned = 0;
  /** Strangers beyond those that are kept. */
  #furtherStrangers = 0;
  /** The first record that differs from an entry that no trusted checkpoint covers. */
  #unlikeUnsigned: string | null = null;

  /** @param verifierKeys the trusted keys @param kept notes that the verifier kept */
  constructor(
    private readonly log: LogCopy,
    verifierKeys: readonly string[],
    kept: readonly string[] = [],
  ) {
    this.#checked = checkCheckpoints(log, verifierKeys, kept);
    this.#size = Math.min(this.#checked.trusted?.size ?? 0, log.recordIds.length / ID_BYTES);
    this.#index = new RecordIndex(log.recordIds, log.holes);
    this.#marks = new Uint8Array(log.recordIds.length / ID_BYTES);
    for (const { from, to } of log.holes) this.#marks.fill(GONE, from, to);
    const found = erasuresIn(log.tenantId, log.erasures, this.#size, (erasureId) =>
      this.#index.find(idBytes(erasureId)).map((place) => ({ place, hash: this.#leafAt(place) })),
    );
    for (const { place } of found) this.#marks[place] = SEEN;
    const entries = fileEntriesIn(log.tenantId, log.sealed.fileEntries, this.#size, (entryId) =>
      this.#index.find(idBytes(entryId)).map((place) => ({ place, hash: this.#leafAt(place) })),
    );
    for (const { place } of entries) this.#marks[place] = SEEN;
    this.#files = checkFiles(log.sealed, entries);
    this.#erasures = found.map(({ erasure }) => erasure);
  }

  add(event: LoggedEvent): void {
    this.#events++;
    const { recordId } = event;
    const hash = leafHashOf(event);
    const places = this.#index.find(idBytes(recordId));
    const free = places.filter((place) => this.#marks[place] === 0);
    const own = free.findLast((place) => this.#hashAt(place) === hash) ?? free.at(-1);
    if (own === undefined) this.#addStranger(hash, recordId);
    else if (own >= this.#size) this.#addUnsigned(own, hash, recordId);
    else if (this.#hashAt(own) === hash) this.#marks[own] = SEEN;
    else {
      this.#marks[own] = ALTERED;
      this.#others.set(own, { hash, recordId });
    }
  }

  #addStranger(hash: string, recordId: string): void {
    // Where entries are missing, the event may have been accepted.
    const isWhole = this.log.holes.length === 0 && this.#size === this.#checked.trusted?.size;
    if (!isWhole) this.#unjudged++;
    else if (this.#strangers.length < STRANGERS_MAX) this.#strangers.push({ hash, recordId });
    else this.#furtherStrangers++;
  }

  /** An event with an entry that no trusted checkpoint covers. */
  #addUnsigned(place: number, hash: string, recordId: string): void {
    this.#marks[place] = SEEN;
    this.#unjudged++;
    if (this.#hashAt(place) !== hash) this.#unlikeUnsigned ??= recordId;
    else if (place >= this.#checked.covered) this.#unsigned++;
  }

  report(): Report {
    const { log } = this;
    const { trusted, spoilt } = this.#checked;
    const truth = this.#changedInLog();
    // An entry that differs from the signed one may have been a stranger's.
    this.#noteStrangers(spoilt.length === 0 || truth.size > 0);
    const { refusedEvents } = log;
    const problems = [
      ...this.#checked.problems,
      ...(refusedEvents === 0 ? [] : [`what waited for the log was changed, of ${refusedEvents} events`]),
      ...this.#strangersText,
      ...this.#files.problems,
    ];
    for (const [place, { recordId }] of this.#others)
      this.#note(truth.has(place) ? 'log changed' : 'altered', recordId);
    const [first] = spoilt;
    if (first)
      problems.push(
        `entries ${first.from} to ${first.checkpoint.size - 1} of the log (from record ${this.#recordAt(first.from)} on) ` +
          `are not those of checkpoint ${first.checkpoint.number}`,
      );
    problems.push(...checkProofs(log));
    const removed = this.#noteMissing(problems);
    const findings = this.#findings.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1));
    // Where events cannot be judged because the log was changed, they may all be as they were accepted.
    const isAccused = this.#unjudged === 0 || this.#strangersText.length > 0;
    const isChanged = findings.length > 0 || (problems.length > 0 && isAccused);
    problems.push(...this.#openProblems());
    return {
      tenantId: log.tenantId,
      isSound: findings.length === 0 && problems.length === 0,
      isChanged,
      findings,
      problems,
      notes: [...this.#checked.notes, ...this.#files.notes],
      events: this.#events,
      entries: this.#size,
      checkpoint: trusted,
      erased: this.#erased,
      erasures: this.#erasures.map(({ at, erasedBy, reason, events }) => ({ at, erasedBy, reason, events })),
      removed,
      newer: this.#newer,
      unjudged: this.#unjudged,
      unsigned: this.#unsigned,
    };
  }

  /** What keeps from a verdict, and is no sign of a change. */
  #openProblems(): string[] {
    const { problem, waitingEvents, checkpoints } = this.log;
    const [unsigned, others] = [this.#unsigned, this.#unjudged - this.#unsigned];
    return [
      ...(problem === null ? [] : [`the service does not append to the log: ${problem}`]),
      ...(checkpoints.length > 0 || this.#events === 0 ? [] : ['there is no checkpoint']),
      ...this.#checked.open,
      ...this.#files.open,
      ...(waitingEvents === 0 ? [] : [`${waitingEvents} accepted events are not in the log yet`]),
      ...(unsigned === 0
        ? []
        : [`${unsigned} events are not signed yet: the log has them, and no checkpoint covers them yet`]),
      ...(this.#unlikeUnsigned === null
        ? []
        : [`record ${this.#unlikeUnsigned} is not as its entry has it, which no trusted checkpoint covers`]),
      ...(others === 0
        ? []
        : [
            `no verdict on ${others} events: nothing that is there, and that the trusted key signed, tells whether they were accepted`,
          ]),
    ];
  }

  /**
   * The entries that differ from their event, if the hashes of the events give the signed roots. The log was then
   * changed at these entries.
   */
  #changedInLog(): ReadonlySet<number> {
    const { spoilt } = this.#checked;
    const places = [...this.#others.keys()].filter((place) =>
      spoilt.some(({ from, checkpoint }) => place >= from && place < checkpoint.size),
    );
    if (places.length === 0) return new Set();
    const mended = Buffer.from(this.log.leafHashes);
    for (const place of places) mended.write(this.#others.get(place)?.hash ?? '', place * HASH_BYTES, 'hex');
    const checkpoints = spoilt.map(({ checkpoint }) => checkpoint);
    const roots = rootsAt(
      checkpoints.map(({ size }) => size),
      mended,
    );
    const isMended = checkpoints.every(({ root }, i) => roots[i]?.equals(root));
    return new Set(isMended ? places : []);
  }

  /** @param isLogWhole whether the entries are the signed ones */
  #noteStrangers(isLogWhole: boolean): void {
    const hashes = new Map(this.#strangers.map(({ hash }) => [hash, -1]));
    for (let place = 0; place < this.#size && hashes.size > 0; place++) {
      const hash = this.#hashAt(place);
      if (this.#marks[place] === 0 && hashes.has(hash)) hashes.set(hash, place);
    }
    const without: string[] = [];
    for (const { hash, recordId } of this.#strangers) {
      const place = hashes.get(hash) ?? -1;
      if (place >= 0 && this.#marks[place] === 0) {
        this.#marks[place] = SEEN;
        // An event that was erased after it was fetched has its hash in the log still.
        if (this.#isErased(place)) this.#erased++;
        else this.#note('log changed', recordId);
      } else without.push(recordId);
    }
    const count = without.length + this.#furtherStrangers;
    const { waitingEvents } = this.log;
    // Nobody can tell events that wait for the log from those that were never accepted.
    if (!isLogWhole || waitingEvents > 0) this.#unjudged += count;
    else for (const recordId of without) this.#note('inserted', recordId);
    if (isLogWhole && waitingEvents > 0 && count > waitingEvents)
      this.#strangersText.push(
        `${count} events are not in the log, and only ${waitingEvents} accepted ones wait for it: the others were never accepted`,
      );
    if (isLogWhole && waitingEvents === 0 && this.#furtherStrangers > 0)
      this.#strangersText.push(`${this.#furtherStrangers} further events were never accepted`);
  }

  /** @returns the number of entries whose event retention removed */
  #noteMissing(problems: string[]): number {
    const removals = new Removals(this.log.removals, this.#checked.since);
    let removed = 0;
    for (const [from, to] of this.#erasures.flatMap(({ entries }) => entries))
      for (let place = from; place < to; place++) {
        // A hole stays one: nobody has its hash.
        if (this.#marks[place] !== 0) continue;
        this.#marks[place] = SEEN;
        this.#erased++;
      }
    for (let place = 0; place < this.#size; place++) {
      if (this.#marks[place] !== 0) continue;
      const recordId = this.#recordAt(place);
      if (removals.explain(recordId)) removed++;
      else if (place < this.#checked.signedBefore) this.#note('missing', recordId);
      else this.#newer++;
    }
    if (removed > removals.events)
      problems.push(
        `${removed} events of times that retention removed are not there, and it removed only ${removals.events}`,
      );
    return removed;
  }

  /** Whether an erasure took the record id of an entry. */
  #isErased(place: number): boolean {
    return (
      isOfNoEvent(this.log.recordIds, place * ID_BYTES) &&
      this.#erasures.some(({ entries }) => entries.some(([from, to]) => place >= from && place < to))
    );
  }

  #note(kind: WrongRecord['kind'], recordId: string): void {
    this.#findings.push({ kind, recordId, eventTime: formatTicks(ticksOfRecordId(recordId)) });
  }

  #recordAt(place: number): string {
    return idText(this.log.recordIds.subarray(place * ID_BYTES, (place + 1) * ID_BYTES));
  }

  #leafAt(place: number): Buffer {
    return this.log.leafHashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);
  }

  #hashAt(place: number): string {
    return this.log.leafHashes.toString('hex', place * HASH_BYTES, (place + 1) * HASH_BYTES);
  }
}
