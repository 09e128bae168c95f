import { signedNote } from '../../../src/modules/evidence/checkpoint';
import type { CheckpointKey } from '../../../src/store/log/evidence/note-key';
import { TEST_CHECKPOINT_KEY } from '../../support/checkpoint-key';
import { plainConsistency, plainRoot, someLeaves } from '../parts/support';

export const TENANT = 7;
export const ORIGIN = `audit-activity/tenant-${TENANT}`;
export const LEAVES = someLeaves(40);

/** The checkpoint of the first leaves. @param leaves another log */
export const noteOf = (
  size: number,
  leaves = LEAVES,
  key: CheckpointKey = TEST_CHECKPOINT_KEY,
  tenantId = TENANT,
): string =>
  signedNote(
    {
      tenantId,
      size,
      root: plainRoot(leaves.slice(0, size)),
      number: size,
      time: '2026-01-05T08:00:00.000Z',
    },
    key,
  );

/** What a log sends to a witness that has signed `from` of its entries. */
export function submissionOf(from: number, to: number, leaves = LEAVES, note = noteOf(to, leaves)): string {
  const proof = from === 0 || from === to ? [] : plainConsistency(from, leaves.slice(0, to));
  return [`old ${from}`, ...proof.map((hash) => hash.toString('base64')), '', note].join('\n');
}
