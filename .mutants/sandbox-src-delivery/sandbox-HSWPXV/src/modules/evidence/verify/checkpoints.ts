import { HASH_BYTES, hashOfPair } from '../../../trail/evidence/merkle';
import { type Checkpoint, isSignedBy, parseNote } from '../checkpoint';
import type { LogCopy } from './log-copy';

/** The result of comparing the checkpoints of a log with its entries. */
export interface CheckpointFindings {
  /** Sentences, each of which is a sign that the log was changed. */
  readonly problems: readonly string[];
  /** Null if no checkpoint counts. */
  readonly first: Checkpoint | null;
  readonly last: Checkpoint | null;
  /** The newest trusted checkpoint, or a larger one that the verifier kept. Null if none is trusted. */
  readonly trusted: Checkpoint | null;
  /** Whether there is a checkpoint that the trusted keys did not sign. */
  readonly hasOthers: boolean;
  /** The number of entries that were signed before the events were fetched. */
  readonly signedBefore: number;
  /** The checkpoints that do not match the entries, smallest first. Up to `from` entries they match. */
  readonly spoilt: readonly { readonly from: number; readonly checkpoint: Checkpoint }[];
}

/** @param verifierKeys the trusted keys @param kept notes that the verifier kept */
export function checkCheckpoints(
  log: LogCopy,
  verifierKeys: readonly string[],
  kept: readonly string[],
): CheckpointFindings {
  const problems: string[] = [];
  const sound: Checkpoint[] = [];
  const isSigned = (note: string) => verifierKeys.some((key) => isSignedBy(key, note));
  log.checkpoints.forEach((note, i) => {
    const checkpoint = parseNote(note);
    const before = sound.at(-1);
    const name = `checkpoint ${checkpoint?.number ?? i + 1}`;
    if (!checkpoint) problems.push(`${name} is no checkpoint`);
    else if (String(checkpoint.tenantId) !== log.tenantId) problems.push(`${name} is another tenant's`);
    else if (!isSigned(note)) problems.push(`${name} is not signed by the trusted key`);
    else {
      const expected = (before?.number ?? 0) + 1;
      if (checkpoint.number > expected)
        problems.push(`${rangeOf(expected, checkpoint.number - 1)} taken away`);
      if (before && (checkpoint.number <= before.number || checkpoint.size <= before.size))
        problems.push(`${name} does not follow checkpoint ${before.number}`);
      else sound.push(checkpoint);
    }
  });
  const last = sound.at(-1) ?? null;
  const entries = log.leafHashes.length / HASH_BYTES;
  const older = kept.map((note) => keptCheckpoint(note, log, isSigned(note)));
  if (log.before !== null) {
    const before = parseNote(log.before);
    const name = 'the checkpoint that was the newest at first';
    if (!before || !isSigned(log.before)) problems.push(`${name} is not signed by the trusted key`);
    else if (String(before.tenantId) !== log.tenantId) problems.push(`${name} is another tenant's`);
    else older.push(before);
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
  const spoilt = spoiltRanges([...sound, ...older], whole);
  const trusted = [...sound, ...older].toSorted((a, b) => a.size - b.size).at(-1) ?? null;
  const hasOthers = log.checkpoints.length > sound.length;
  const signedBefore = Math.max(0, ...older.map(({ size }) => size));
  return { problems, first: sound[0] ?? trusted, last, trusted, hasOthers, signedBefore, spoilt };
}

const rangeOf = (from: number, to: number) =>
  from === to ? `checkpoint ${from} was` : `checkpoints ${from} to ${to} were`;

/** @throws Error if the note is not about this log, which is the verifier's mistake */
function keptCheckpoint(note: string, log: LogCopy, isSigned: boolean): Checkpoint {
  const checkpoint = parseNote(note);
  if (!checkpoint) throw new Error('the kept file is no checkpoint');
  if (String(checkpoint.tenantId) !== log.tenantId)
    throw new Error(`the kept checkpoint is of tenant ${checkpoint.tenantId}`);
  if (!isSigned) throw new Error('the kept checkpoint is not signed by the trusted key');
  return checkpoint;
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
