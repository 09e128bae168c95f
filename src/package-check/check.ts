import type { JsonScalar } from '../event/audit-record';
import { ENTRY_VERSION, entryTexts } from '../event/entry-fields';
import { type AuditEvent, FIELD_NAMES, LIFTED_NAMES } from '../event/fields';
import { toFeedItem } from '../event/formats/feed-item';
import { hexOf, isSame, joined, linesOf, textOf, utf8 } from './bytes';
import {
  FILES,
  LISTED_FILES,
  manifestNoteBody,
  PACKAGE_VERSION,
  type PackageFile,
  type PackageManifest,
} from './layout';
import {
  type CheckpointText,
  type Crypto,
  checkpointIn,
  leafHash,
  type PublicKey,
  publicKeyOf,
  sha256Of,
  signedBody,
} from './note';
import type { PackageFiles } from './package-files';
import { Proofs } from './proofs';
import { checkStampFile, type JudgeAuthority, type PackageStamp } from './stamp-file';
import type { StampCrypto } from './time-stamp';

/** Of the small files of a package. */
const SMALL_BYTES_MAX = 16 * 1024 * 1024;
/** The largest event has 8 MiB, and more with its escapes. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/** An event of a package, with the verdict on it. */
export interface CheckedEvent {
  /** Its line in the file of events, from 1. */
  readonly line: number;
  readonly recordId: string;
  /** What a list shows; null: the line is no event. */
  readonly shown: Pick<
    AuditEvent,
    'eventTime' | 'actionId' | 'serverPrincipalName' | 'databaseName' | 'objectName'
  > | null;
  /** Index of its entry in the log; null: it has no proof. */
  readonly index: number | null;
  /** Null: it is as it was accepted. Otherwise what is wrong, in words. */
  readonly problem: string | null;
}

export interface PackageReport {
  readonly manifest: PackageManifest | null;
  readonly checkpoint: Pick<CheckpointText, 'number' | 'size' | 'time'> | null;
  /** The checkpoint as it was signed, with the signatures of witnesses; null: a trusted key has signed none. */
  readonly checkpointNote: string | null;
  /** Null: it has none, or one that does not verify, which is a problem. */
  readonly timeStamp: PackageStamp | null;
  /** The keys by which it was judged. */
  readonly keys: readonly string[];
  /** Whether every event is proven and every file is as it was signed. */
  readonly isSound: boolean;
  readonly events: number;
  /** Events that are as they were accepted. */
  readonly proven: number;
  /** What is wrong with files, in words that begin with the file's name. */
  readonly problems: readonly string[];
  /** Sentences that change nothing in the verdict. */
  readonly notes: readonly string[];
}

interface Options {
  /** The keys that the verifier trusts; none: the one of the package. */
  readonly keys: readonly string[];
  readonly stampCrypto: StampCrypto;
  /** Not given: nobody is trusted to state times, and only the token itself is checked. */
  readonly judgeAuthority?: JudgeAuthority;
  /** Gets each event; those whose verdict needs all others come last. */
  readonly onEvent: (event: CheckedEvent) => void;
}

/** Checks a package: its files against the signed manifest, and its events against the signed log. */
export async function checkPackage(
  files: PackageFiles,
  crypto: Crypto,
  options: Options,
): Promise<PackageReport> {
  return new PackageCheck(files, crypto, options).run();
}

type Event = AuditEvent & { readonly additional: { readonly [name: string]: JsonScalar } };
type Finding = Omit<CheckedEvent, 'problem'> & { readonly own: Uint8Array };

class PackageCheck {
  readonly #problems: string[] = [];
  readonly #notes: string[] = [];
  #events = 0;
  #proven = 0;
  #checkpointNote: string | null = null;

  constructor(
    private readonly files: PackageFiles,
    private readonly crypto: Crypto,
    private readonly options: Options,
  ) {}

  async run(): Promise<PackageReport> {
    this.#problems.push(...this.files.problems);
    const manifestBytes = await this.#small(FILES.manifest);
    const manifest = manifestBytes && this.#manifest(manifestBytes);
    const ownKey = await this.#text(FILES.key);
    const keys = this.#keys(ownKey);
    await this.#note(manifestBytes, manifest, keys);
    const checkpoint = await this.#checkpoint(manifest, keys);
    if (manifest) await this.#listedFiles(manifest);
    const proofs = checkpoint && (await this.#proofs(checkpoint));
    const timeStamp = checkpoint && (await this.#timeStamp(checkpoint, keys));
    await this.#checkEvents(proofs, manifest);
    const { number, size, time } = checkpoint ?? {};
    return {
      manifest,
      checkpoint: checkpoint && { number: number ?? 0, size: size ?? 0, time: time ?? '' },
      checkpointNote: this.#checkpointNote,
      timeStamp,
      keys: this.options.keys.length > 0 ? this.options.keys : ownKey === null ? [] : [ownKey.trim()],
      isSound: this.#problems.length === 0 && this.#proven === this.#events,
      events: this.#events,
      proven: this.#proven,
      problems: this.#problems,
      notes: this.#notes,
    };
  }

  #manifest(bytes: Uint8Array): PackageManifest | null {
    const manifest = objectIn(bytes) as PackageManifest | null;
    const isWritten =
      manifest !== null &&
      [manifest.tenantId, manifest.createdAt, manifest.createdBy].every((text) => typeof text === 'string') &&
      Array.isArray(manifest.files) &&
      manifest.files.every(isListed) &&
      typeof manifest.question === 'object' &&
      manifest.question !== null &&
      typeof manifest.log === 'object' &&
      manifest.log !== null;
    if (!isWritten) return this.#bad(FILES.manifest, 'it is no manifest of a package');
    if (manifest.version !== PACKAGE_VERSION)
      return this.#bad(FILES.manifest, 'another release made it: verify it with that release');
    return manifest;
  }

  #keys(own: string | null): PublicKey[] {
    const { keys } = this.options;
    const stated = own === null ? null : publicKeyOf(own, this.crypto);
    if (own !== null && !stated) this.#bad(FILES.key, 'it is no public key');
    const found = keys.map((text) => publicKeyOf(text, this.crypto));
    if (found.some((key) => !key)) throw new Error('a given key is no public key');
    if (keys.length === 0) return stated ? [stated] : [];
    const trusted = found as PublicKey[];
    if (stated && !trusted.some(({ bytes }) => isSame(bytes, stated.bytes)))
      this.#bad(FILES.key, 'it is not the trusted key');
    return trusted;
  }

  async #note(
    bytes: Uint8Array | null,
    manifest: PackageManifest | null,
    keys: readonly PublicKey[],
  ): Promise<void> {
    const note = await this.#text(FILES.note);
    if (note === null || !bytes) return;
    const body = signedBody(note, keys, this.crypto);
    if (body === null) this.#bad(FILES.note, 'the trusted key has not signed it');
    else if (!manifest || body !== manifestNoteBody(hexOf(sha256Of(this.crypto, bytes)), manifest))
      this.#bad(FILES.manifest, 'it is not the manifest that was signed');
  }

  async #checkpoint(
    manifest: PackageManifest | null,
    keys: readonly PublicKey[],
  ): Promise<CheckpointText | null> {
    const note = await this.#text(FILES.checkpoints);
    if (note === null) return null;
    if (note === '' && manifest?.log.size === 0) return null;
    const body = signedBody(note, keys, this.crypto);
    const checkpoint = checkpointIn(body ?? '');
    if (body === null) return this.#bad(FILES.checkpoints, 'the trusted key has not signed the checkpoint');
    if (!checkpoint) return this.#bad(FILES.checkpoints, 'it is no checkpoint');
    if (manifest && checkpoint.tenantId !== manifest.tenantId)
      return this.#bad(FILES.checkpoints, `it is a checkpoint of tenant ${checkpoint.tenantId}`);
    if (manifest && checkpoint.size !== manifest.log.size)
      this.#bad(FILES.checkpoints, 'it is not the checkpoint of the manifest');
    this.#checkpointNote = note;
    return checkpoint;
  }

  /** Compares each file with its hash in the manifest. */
  async #listedFiles({ files }: PackageManifest): Promise<void> {
    const listed = new Set(files.map(({ name }) => name));
    for (const name of LISTED_FILES)
      if (!listed.has(name)) this.#bad(FILES.manifest, `it does not list ${name}`);
    for (const { name, bytes, sha256 } of files) {
      if (!this.files.names.includes(name)) {
        this.#bad(name, 'it is missing');
        continue;
      }
      const hash = this.crypto.sha256();
      let size = 0;
      try {
        for await (const chunk of this.files.read(name)) {
          hash.update(chunk);
          size += chunk.length;
        }
      } catch (error) {
        this.#bad(name, (error as Error).message);
        continue;
      }
      if (size !== bytes || hexOf(hash.digest()) !== sha256)
        this.#bad(name, 'it is not the file of the manifest');
    }
    const own: readonly string[] = [FILES.manifest, FILES.note];
    for (const name of this.files.names)
      if (!listed.has(name) && !own.includes(name)) this.#notes.push(`${name} is no part of the package`);
  }

  async #proofs(checkpoint: CheckpointText): Promise<Proofs | null> {
    if (!this.files.names.includes(FILES.proofs)) return null;
    try {
      const proofs = await Proofs.read(this.#tolerant(FILES.proofs), checkpoint, this.crypto);
      this.#problems.push(...proofs.problems);
      return proofs;
    } catch (error) {
      return this.#bad(FILES.proofs, (error as Error).message);
    }
  }

  async #timeStamp(checkpoint: CheckpointText, keys: readonly PublicKey[]): Promise<PackageStamp | null> {
    if (!this.files.names.includes(FILES.timeStamp)) return null;
    const bytes = await this.#small(FILES.timeStamp);
    if (!bytes) return null;
    const { stampCrypto, judgeAuthority: judge } = this.options;
    const found = await checkStampFile(bytes, checkpoint, keys, { crypto: this.crypto, stampCrypto, judge });
    return typeof found === 'string' ? this.#bad(FILES.timeStamp, found) : found;
  }

  async #checkEvents(proofs: Proofs | null, manifest: PackageManifest | null): Promise<void> {
    if (!this.files.names.includes(FILES.events)) return;
    /** Events that their own line of the proofs does not prove. */
    const open: Finding[] = [];
    const unseen = new Set(proofs?.events ?? []);
    let line = 0;
    for await (const bytes of this.#eventLines()) {
      const event = eventIn(bytes);
      const at = line++;
      this.#events++;
      if (typeof event === 'string') {
        unseen.delete(at);
        this.#judge({ line: line, recordId: idIn(bytes), shown: null, index: null }, event);
        continue;
      }
      const own = leafHash(this.crypto, entryOf(event));
      const proof = proofs?.leafOf(at);
      const finding = { line, recordId: event.recordId, shown: shownOf(event), index: proof?.index ?? null };
      if (!proof?.isProven || !isSame(proof.leaf, own)) {
        open.push({ ...finding, own });
        continue;
      }
      unseen.delete(at);
      this.#judge(finding, isAsWritten(event, bytes) ? null : BESIDE);
    }
    if (open.length > 0) this.#judgeOpen(open, proofs, unseen);
    if (manifest && this.#events !== manifest.events)
      this.#bad(FILES.events, `it has ${this.#events} events, and ${manifest.events} were signed`);
    for (const at of [...unseen].slice(0, MISSING_SHOWN))
      this.#bad(
        FILES.events,
        `the event of line ${at + 1} is missing (entry ${proofs?.leafOf(at)?.index} of the log)`,
      );
  }

  /** Events that are proven by a leaf of another line, or by their own hash in place of a changed leaf; and the others. */
  #judgeOpen(open: readonly Finding[], proofs: Proofs | null, unseen: Set<number>): void {
    const own = new Map(open.map((one) => [one.line - 1, one.own]));
    const byLeaf = new Map<string, { readonly event: number; readonly index: number }>();
    for (const at of proofs?.events ?? []) {
      const proof = proofs?.leafOf(at);
      if (proof?.isProven) byLeaf.set(hexOf(proof.leaf), { event: at, index: proof.index });
    }
    const ownHash = (event: number) => own.get(event) ?? proofs?.leafOf(event)?.leaf;
    for (const { own: hash, ...finding } of open) {
      const at = finding.line - 1;
      const proof = proofs?.leafOf(at);
      const elsewhere = byLeaf.get(hexOf(hash));
      unseen.delete(elsewhere?.event ?? at);
      if (elsewhere) this.#judge({ ...finding, index: elsewhere.index }, null);
      else if (!proofs) this.#judge(finding, 'nothing proves it: there is no checkpoint with proofs');
      else if (!proof)
        this.#judge(finding, 'no proof: it was not in the signed log when the package was made');
      else if (proof.isProven) this.#judge(finding, 'altered: it is not what was accepted');
      else if (proofs.isProvenBy(at, ownHash)) {
        if (isSame(hash, proof.leaf)) this.#judge(finding, null);
        else {
          this.#bad(FILES.proofs, `the leaf of record ${finding.recordId} was changed`);
          this.#judge(finding, 'it is what was accepted, and its leaf in the proofs was changed');
        }
      } else this.#judge(finding, 'no proof: what leads from it to the signed root was changed');
    }
  }

  #judge(finding: Omit<CheckedEvent, 'problem'>, problem: string | null): void {
    if (problem === null) this.#proven++;
    this.options.onEvent({ ...finding, problem });
  }

  async *#eventLines(): AsyncGenerator<Uint8Array> {
    try {
      for await (const line of linesOf(this.#tolerant(FILES.events), LINE_BYTES_MAX)) yield line;
    } catch (error) {
      this.#bad(FILES.events, (error as Error).message);
    }
  }

  /** The bytes up to where they cannot be read any more: that is named where the file is compared with the manifest. */
  async *#tolerant(name: string): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.files.read(name)) yield chunk;
    } catch (error) {
      if (!this.#problems.some((text) => text.startsWith(`${name}:`)))
        this.#bad(name, (error as Error).message);
    }
  }

  async #text(name: string): Promise<string | null> {
    const bytes = await this.#small(name);
    if (!bytes) return null;
    return textOf(bytes) ?? this.#bad(name, 'it is no UTF-8');
  }

  async #small(name: string): Promise<Uint8Array | null> {
    if (!this.files.names.includes(name)) return this.#bad(name, 'it is missing');
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.#tolerant(name)) {
      bytes += chunk.length;
      if (bytes > SMALL_BYTES_MAX) return this.#bad(name, `it has more than ${SMALL_BYTES_MAX} bytes`);
      parts.push(chunk);
    }
    return joined(...parts);
  }

  #bad(file: string, text: string): null {
    this.#problems.push(`${file}: ${text}`);
    return null;
  }
}

const MISSING_SHOWN = 20;
const BESIDE = 'altered: a value beside the signed ones does not follow from them';
const SIGNED: ReadonlySet<string> = new Set([...FIELD_NAMES, 'additional']);

const isListed = (file: Partial<PackageFile> | null): boolean =>
  typeof file?.name === 'string' && typeof file.bytes === 'number' && typeof file.sha256 === 'string';

function objectIn(bytes: Uint8Array): object | null {
  try {
    const value: unknown = JSON.parse(textOf(bytes) ?? '');
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

const ID = /"recordId":"([0-9a-f-]{36})"/;
const ID_WITHIN = 256;
/** The record id of a line that is no event. */
const idIn = (bytes: Uint8Array): string =>
  ID.exec(new TextDecoder().decode(bytes.subarray(0, ID_WITHIN)))?.[1] ?? '';

/** @returns a text that says why the line is no event */
function eventIn(bytes: Uint8Array): Event | string {
  if (textOf(bytes) === null) return 'altered: the line is no UTF-8';
  const event = objectIn(bytes) as Partial<Event> | null;
  if (event === null) return 'altered: the line is no JSON';
  const isEvent =
    typeof event.recordId === 'string' &&
    typeof event.actionId === 'string' &&
    typeof event.additional === 'object' &&
    event.additional !== null;
  return isEvent ? (event as Event) : 'altered: the line is no event';
}

function entryOf(event: Event): Uint8Array {
  const [names, values] = entryTexts(event);
  return joined(Uint8Array.of(ENTRY_VERSION), utf8(names + values));
}

/** Whether a line is what the service writes of the signed values. */
function isAsWritten(event: Event, line: Uint8Array): boolean {
  const signed = { ...event };
  for (const name of LIFTED_NAMES) Reflect.deleteProperty(signed, name);
  if (Object.keys(signed).some((name) => !SIGNED.has(name))) return false;
  return isSame(utf8(JSON.stringify(toFeedItem({ event: signed }))), line);
}

const shownOf = ({ eventTime, actionId, serverPrincipalName, databaseName, objectName }: Event) => ({
  eventTime,
  actionId,
  serverPrincipalName,
  databaseName,
  objectName,
});
