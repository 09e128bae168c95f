import type { JudgeAuthority } from '../../../package-check/stamp-file';
import { checkStamp, stampedBytes } from '../../../package-check/time-stamp';
import { signerOf } from '../../../store/log/evidence/signed-note';
import { parseNote } from '../checkpoint';
import { NODE_CRYPTO } from '../time-stamps/node-crypto';
import type { LogCopy } from './log-copy';

/** What was found of the time stamps of a log. */
export interface StampFindings {
  /** Those that verify, of checkpoints that a trusted key signed. */
  readonly verified: number;
  /** The newest checkpoint among them. Null: there is none. */
  readonly newest: { readonly number: number; readonly size: number; readonly time: string } | null;
  /** Whether their authority is one that the verifier trusts. */
  readonly isAuthorityChecked: boolean;
  /** Sentences, each of which names a stamp that does not verify. */
  readonly problems: readonly string[];
}

/** @param judge null: nobody is trusted to state times, and only the tokens themselves are checked */
export async function checkTimeStamps(
  { checkpoints, timeStamps }: LogCopy,
  verifierKeys: readonly string[],
  judge: JudgeAuthority | null,
): Promise<StampFindings> {
  const notes = new Map(checkpoints.map((note) => [parseNote(note)?.number, note]));
  const problems: string[] = [];
  let verified = 0;
  let newest: StampFindings['newest'] = null;
  for (const { number, token } of timeStamps) {
    const note = notes.get(number) ?? '';
    const { stamp, problem } = await checkStamp(
      Buffer.from(token, 'base64'),
      stampedBytes(note),
      NODE_CRYPTO,
    );
    const size = parseNote(note)?.size ?? 0;
    const wrong =
      note === '' ? 'there is no such checkpoint' : (problem ?? (stamp && judge ? judge(stamp) : null));
    if (wrong !== null || !stamp) {
      problems.push(`the time stamp of checkpoint ${number} does not verify: ${wrong}`);
      continue;
    }
    // A checkpoint of a key that nobody trusts proves nothing, and is told of elsewhere.
    if (signerOf(note, verifierKeys)?.isTrusted !== true) continue;
    verified++;
    if (number >= (newest?.number ?? 0)) newest = { number, size, time: stamp.time };
  }
  return { verified, newest, isAuthorityChecked: judge !== null, problems };
}
