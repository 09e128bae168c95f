import type { LogCopy } from '../../../src/modules/evidence/verify/log-copy';
import type { Policy } from '../../../src/modules/evidence/verify/policy';
import { withQuorum } from '../../../src/modules/evidence/verify/quorum';
import { CheckpointKey, newCheckpointKeyPem } from '../../../src/store/log/evidence/note-key';
import { TEST_CHECKPOINT_KEY } from '../../support/checkpoint-key';
import { LEAVES, noteOf } from '../witness/support';

const KEYS = [TEST_CHECKPOINT_KEY.verifierKey];
const notes = [5, 10, 15].map((size) => noteOf(size));
const [five = '', ten = ''] = notes;
const of = (before: string | null, checkpoints = notes) => ({ checkpoints, before }) as unknown as LogCopy;
/** A policy that is content with some of the checkpoints. */
const content = (...with_: readonly string[]) =>
  ({ missingIn: (note: string) => (with_.includes(note) ? null : '1 of 2 is missing') }) as unknown as Policy;

describe('the checkpoint of which witnesses vouch', () => {
  it('is the newest that has the quorum, and the log ends with it', () => {
    const { log, missing } = withQuorum(of(five), content(five, ten), KEYS, []);
    expect([log.checkpoints, missing]).toEqual([[five, ten], null]);
  });

  it.each([
    ['was signed before the events were fetched', ten, []],
    ['the verifier keeps', null, [ten]],
  ])('covers what %s', (_, before, kept) => {
    expect(withQuorum(of(before), content(ten), KEYS, kept).missing).toBeNull();
    const { log, missing } = withQuorum(of(before), content(five), KEYS, kept);
    expect([log.checkpoints, missing]).toEqual([notes, '1 of 2 is missing']);
  });

  it('is missing where even the newest does not cover what was signed before', () => {
    const { missing } = withQuorum(of(ten, [five]), content(five), KEYS, []);
    expect(missing).toBe('no trusted checkpoint that covers the events has the quorum');
  });

  it('is signed by a trusted key', () => {
    const foreign = noteOf(20, LEAVES, CheckpointKey.ofPem(newCheckpointKeyPem()));
    const { log, missing } = withQuorum(of(five, [five, foreign]), content(five, foreign), KEYS, []);
    expect([log.checkpoints, missing]).toEqual([[five], null]);
    const none = withQuorum(of(null, [foreign]), content(foreign), KEYS, []);
    expect(none.missing).toBe('no trusted checkpoint that covers the events has the quorum');
  });

  it('is missing where there is none', () => {
    expect(withQuorum(of(null, []), content(), KEYS, []).missing).toContain('there is no checkpoint');
  });
});
