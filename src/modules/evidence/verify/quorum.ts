import { signerOf } from '../../../store/log/evidence/signed-note';
import { parseNote } from '../checkpoint';
import type { LogCopy } from './log-copy';
import type { Policy } from './policy';

/** A newest checkpoint that is older than so many others helps nobody. */
const LOOKED_AT_MAX = 1_000;

/** A log, as far as witnesses vouch for it. */
interface Witnessed {
  /** Without the checkpoints after the newest one that has the quorum. */
  readonly log: LogCopy;
  /** What is missing for the quorum, in words; null: nothing is. The log is then whole. */
  readonly missing: string | null;
}

/**
 * Finds the newest trusted checkpoint that has the quorum. It must cover all that was signed before the events were
 * fetched, and all that the verifier knows from earlier checkpoints.
 * @param verifierKeys the trusted keys @param kept notes that the verifier kept
 */
export function withQuorum(
  log: LogCopy,
  policy: Policy,
  verifierKeys: readonly string[],
  kept: readonly string[],
): Witnessed {
  const { checkpoints } = log;
  const wanted = Math.max(0, ...[log.before, ...kept].map((note) => parseNote(note ?? '')?.size ?? 0));
  const last = checkpoints.length - 1;
  for (let at = last; at >= 0 && last - at < LOOKED_AT_MAX; at--) {
    const note = checkpoints[at] ?? '';
    const size = parseNote(note)?.size ?? 0;
    if (at < last && size < wanted) break;
    const isTrusted = signerOf(note, verifierKeys)?.isTrusted === true;
    if (isTrusted && size >= wanted && policy.missingIn(note) === null)
      return { log: { ...log, checkpoints: checkpoints.slice(0, at + 1) }, missing: null };
  }
  const newest = checkpoints.at(-1);
  const missing =
    newest === undefined
      ? 'there is no checkpoint that witnesses could have signed'
      : policy.missingIn(newest);
  return { log, missing: missing ?? 'no trusted checkpoint that covers the events has the quorum' };
}
