import { signedNote } from '../../../src/modules/evidence/checkpoint';
import { LogChecker } from '../../../src/modules/evidence/log-check';
import { rootOf } from '../../../src/store/log/evidence/merkle';
import { TEST_CHECKPOINT_KEY } from '../../support/checkpoint-key';

const TENANT = 7;
const AT = new Date('2026-01-05T08:00:00.000Z');
const ROOT = rootOf(0, () => {
  throw new Error('an empty log has no node');
});

/** The end of a log without entries that was signed so often. */
const headOf = (checkpoints: number) => ({
  ...{ size: 0, root: ROOT, checkpoints, signedSize: 0, signedAt: AT, backfilled: true },
});
const stateOf = (number: number) => ({
  ...{ tenantId: TENANT, size: 0, waitingEvents: 0, backfilling: false },
  checkpoint: signedNote(
    { tenantId: TENANT, size: 0, root: ROOT, number, time: AT.toISOString() },
    TEST_CHECKPOINT_KEY,
  ),
});

/** A checker of a log that is signed anew at each of the first looks. @param signings how often */
function checkerWhile(signings: number) {
  let signed = 1;
  const examine = async () => headOf(signed);
  const store = {
    states: async () => {
      const state = stateOf(signed);
      if (signed <= signings) signed += 1;
      return [state];
    },
    ...{
      leafTiles: async () => [],
      tiles: async () => [],
      tilesAround: async () => [],
      removals: async () => [],
    },
    ...{ erasures: async () => [], hasEvents: async () => false, goneBeginning: async () => null },
    sealedFiles: async () => ({ fileEntries: [], files: [], weeks: [] }),
  };
  const arrivals = { read: async () => ({ items: [], from: 0, next: 0, size: 0 }) };
  const keys = { own: TEST_CHECKPOINT_KEY, others: [], former: [] };
  return new LogChecker(
    store as never,
    arrivals as never,
    keys as never,
    { problemOf: () => null, examine } as never,
    { open: () => 0 } as never,
  );
}

describe('a check of an evidence log', () => {
  it('looks again while checkpoints are signed, and calls none of them wrong', async () => {
    for (const signings of [0, 1, 2])
      expect((await checkerWhile(signings).check(TENANT, 0)).problems).toEqual([]);
  });

  it('names a checkpoint that is not the newest one at each look', async () => {
    const { problems } = await checkerWhile(9).check(TENANT, 0);
    expect(problems.join()).toMatch(/^The newest checkpoint that is stored is number \d/);
  });
});
