import { HASH_BYTES, hashOfPair } from '../../../store/log/evidence/merkle';
import { signerOf, splitNote } from '../../../store/log/evidence/signed-note';
import { type Checkpoint, parseNote } from '../checkpoint';
import type { LogCopy } from './log-copy';

/** The result of comparing the checkpoints of a log with its entries. */
export interface CheckpointFindings {
  /** Sentences, each of which is a sign that the log was changed. */
  readonly problems: readonly string[];
  /** Sentences that say what is not judged, and why. */
  readonly open: readonly string[];
  /** Sentences that change nothing in the verdict. */
  readonly notes: readonly string[];
  /** The earliest time that a checkpoint states; empty if there is none. A clock may have been set back. */
  readonly since: string;
  /** The newest trusted checkpoint, or a larger one that the verifier kept. Null if none is trusted. */
  readonly trusted: Checkpoint | null;
  /** The number of entries that the checkpoints cover, those of other keys too. */
  readonly covered: number;
  /** The number of entries that were signed before the events were fetched. */
  readonly signedBefore: number;
  /** The checkpoints that do not match the entries, smallest first. Up to `from` entries they match. */
  readonly spoilt: readonly { readonly from: number; readonly checkpoint: Checkpoint }[];
}

interface Signed {
  readonly checkpoint: Checkpoint;
  readonly keyId: string;
}
/** A checkpoint with its place among those of the log. */
interface Placed extends Signed {
  readonly note: string;
}
/** A checkpoint of a key that the verifier does not know. */
interface Foreign extends Placed {
  /** The number of trusted checkpoints before it. */
  readonly after: number;
}

/** @param verifierKeys the trusted keys @param kept notes that the verifier kept */
export function checkCheckpoints(
  log: LogCopy,
  verifierKeys: readonly string[],
  kept: readonly string[],
): CheckpointFindings {
  const problems: string[] = [];
  const { sound, foreign } = chainOf(log, verifierKeys, problems);
  const last = sound.at(-1)?.checkpoint ?? null;
  const entries = log.leafHashes.length / HASH_BYTES;
  const older = kept.map((note) => keptCheckpoint(note, log, verifierKeys));
  let signedBefore = 0;
  const noted = log.before;
  if (noted !== null) {
    const before = parseNote(noted);
    const name = 'the checkpoint that was the newest at first';
    const signer = signerOf(noted, verifierKeys);
    if (!before || !signer) problems.push(`${name} is not signed by the trusted key`);
    else if (String(before.tenantId) !== log.tenantId) problems.push(`${name} is another tenant's`);
    else if (signer.isTrusted) older.push(before);
    else if (foreign.some(({ note }) => isSameCheckpoint(note, noted))) signedBefore = before.size;
    else problems.push(`${name} is not among those of the log any more`);
  }
  for (const { size, number } of older) {
    if (size > (last?.size ?? 0) || number > (last?.number ?? 0))
      problems.push(
        `the kept checkpoint ${number} has ${size} entries, the last one of the log ${last?.size ?? 0}: its end was taken away`,
      );
  }
  if (entries < (last?.size ?? 0))
    problems.push(`the log has ${entries} entries, and ${last?.size} were signed: its end was taken away`);
  for (const { from, to } of log.holes)
    problems.push(`${to - from} entries of the log are not there any more: ${from} to ${to - 1}`);
  // A root covers a whole log, so only entries before the first hole count.
  const whole = log.leafHashes.subarray(0, (log.holes[0]?.from ?? entries) * HASH_BYTES);
  const trustedOnes = [...sound.map(({ checkpoint }) => checkpoint), ...older];
  const trusted = trustedOnes.toSorted((a, b) => a.size - b.size).at(-1) ?? null;
  for (const { checkpoint } of spoiltRanges(
    foreign.map((one) => one.checkpoint),
    whole,
  ))
    problems.push(`checkpoint ${checkpoint.number}, of another key, is not one of these entries`);
  const covered = Math.max(trusted?.size ?? 0, ...foreign.map(({ checkpoint }) => checkpoint.size));
  const ofOthers = foreign.length === 0 ? [] : [foreignText(foreign)];
  return {
    problems,
    trusted,
    covered,
    spoilt: spoiltRanges(trustedOnes, whole),
    ...(covered > (trusted?.size ?? 0) ? { open: ofOthers, notes: [] } : { open: [], notes: ofOthers }),
    since:
      [...trustedOnes, ...foreign.map(({ checkpoint }) => checkpoint)].map(({ time }) => time).sort()[0] ??
      '',
    signedBefore: Math.max(signedBefore, ...older.map(({ size }) => size)),
  };
}

/** Witnesses may have signed the one since the other was fetched. */
export function isSameCheckpoint(note: string, other: string): boolean {
  const [body] = splitNote(note);
  return body === '' ? note === other : body === splitNote(other)[0];
}

/** Sorts the checkpoints of a log into trusted ones and those of other keys. It notes what is wrong with any of them. */
function chainOf(log: LogCopy, verifierKeys: readonly string[], problems: string[]) {
  const sound: Placed[] = [];
  const found: Foreign[] = [];
  log.checkpoints.forEach((note, i) => {
    const checkpoint = parseNote(note);
    const name = `checkpoint ${checkpoint?.number ?? i + 1}`;
    const signer = signerOf(note, verifierKeys);
    if (!checkpoint) problems.push(`${name} is no checkpoint`);
    else if (String(checkpoint.tenantId) !== log.tenantId) problems.push(`${name} is another tenant's`);
    else if (!signer) problems.push(`${name} is not signed by the trusted key`);
    else if (!signer.isTrusted) found.push({ checkpoint, note, keyId: signer.keyId, after: sound.length });
    else if (follows({ checkpoint, keyId: signer.keyId }, sound.at(-1)))
      sound.push({ checkpoint, note, keyId: signer.keyId });
    else problems.push(`${name} does not follow checkpoint ${sound.at(-1)?.checkpoint.number}`);
  });
  const foreign: Foreign[] = [];
  for (const one of found) {
    const { checkpoint, after } = one;
    const [before, next] = [sound[after - 1], sound[after]];
    const last = foreign.at(-1);
    const previous = last?.after === after ? last : before;
    // One key succeeds another. Between two checkpoints of the same key, nobody else signs.
    if (before && next && before.keyId === next.keyId)
      problems.push(`checkpoint ${checkpoint.number} is not signed by the trusted key`);
    else if (!follows(one, previous) || (next && !follows(next, one)))
      problems.push(
        `checkpoint ${checkpoint.number} does not follow checkpoint ${previous?.checkpoint.number ?? 0}`,
      );
    else foreign.push(one);
  }
  const numbers = [...sound, ...foreign].map(({ checkpoint }) => checkpoint.number).sort((a, b) => a - b);
  numbers.forEach((number, i) => {
    const expected = (numbers[i - 1] ?? 0) + 1;
    if (number > expected) problems.push(`${rangeOf(expected, number - 1)} taken away`);
  });
  return { sound, foreign };
}

/**
 * The number and the size of a checkpoint grow. Only a key that succeeds another signs the same entries again. The time
 * may go back, as the clock of a service may.
 */
const follows = (one: Signed, before: Signed | undefined): boolean =>
  !before ||
  (one.checkpoint.number > before.checkpoint.number &&
    (one.checkpoint.size > before.checkpoint.size ||
      (one.checkpoint.size === before.checkpoint.size && one.keyId !== before.keyId)));

const rangeOf = (from: number, to: number) =>
  from === to ? `checkpoint ${from} was` : `checkpoints ${from} to ${to} were`;

function foreignText(foreign: readonly Foreign[]): string {
  const [first, last] = [foreign[0]?.checkpoint.number, foreign.at(-1)?.checkpoint.number];
  const which = first === last ? `checkpoint ${first} is` : `checkpoints ${first} to ${last} are`;
  const ids = [...new Set(foreign.map(({ keyId }) => keyId))];
  return (
    `${which} of another key (${ids.slice(0, KEYS_SHOWN).join(', ')}): if the log was kept with it, give its public key too, ` +
    'with --public-key; docs/evidence.md says how a key is changed'
  );
}

const KEYS_SHOWN = 5;

/** @throws Error if the note is not about this log, which is the verifier's mistake */
function keptCheckpoint(note: string, log: LogCopy, verifierKeys: readonly string[]): Checkpoint {
  const checkpoint = parseNote(note);
  if (!checkpoint) throw new Error('the kept file is no checkpoint');
  if (String(checkpoint.tenantId) !== log.tenantId)
    throw new Error(`the kept checkpoint is of tenant ${checkpoint.tenantId}`);
  const signer = signerOf(note, verifierKeys);
  if (signer?.isTrusted) return checkpoint;
  throw new Error(
    `the kept checkpoint is not signed by the trusted key${signer ? `: it is of key ${signer.keyId}; give that public key too` : ''}`,
  );
}

function spoiltRanges(checkpoints: readonly Checkpoint[], leafHashes: Buffer) {
  const ordered = checkpoints.toSorted((a, b) => a.size - b.size);
  const roots = rootsAt(
    ordered.map(({ size }) => size),
    leafHashes,
  );
  let good = 0;
  return ordered.flatMap((checkpoint, i) => {
    const from = good;
    const root = roots[i];
    if (!root || root.equals(checkpoint.root)) {
      if (root) good = checkpoint.size;
      return [];
    }
    return [{ from, checkpoint }];
  });
}

/** The roots of a log at ascending sizes, computed in one pass; null where the log has fewer entries. */
export function rootsAt(sizes: readonly number[], leafHashes: Buffer): (Buffer | null)[] {
  const roots: (Buffer | null)[] = [];
  /** The roots of complete subtrees, largest first. */
  const subtrees: Buffer[] = [];
  const entries = leafHashes.length / HASH_BYTES;
  for (let size = 0, next = 0; next < sizes.length; ) {
    if (sizes[next] === size) {
      roots.push(subtrees.length > 0 ? subtrees.reduceRight((right, left) => hashOfPair(left, right)) : null);
      next++;
    } else if (size === entries) {
      roots.push(null);
      next++;
    } else {
      let node = leafHashes.subarray(size * HASH_BYTES, (size + 1) * HASH_BYTES);
      for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2)
        node = hashOfPair(subtrees.pop() ?? node, node);
      subtrees.push(node);
      size++;
    }
  }
  return roots;
}
