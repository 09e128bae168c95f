import { createHash, randomUUID } from 'node:crypto';
import { RunningRoot } from '../../src/modules/reports/running-root';

const sha = (...parts: readonly Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const leafOf = (id: string) => sha(Buffer.of(0), Buffer.from(id.replaceAll('-', ''), 'hex'));

/** RFC 9162, section 2.1.1, as it is written there. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (!first) return sha();
  if (leaves.length === 1) return first;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha(Buffer.of(1), rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

describe('the root over the records of a report', () => {
  const ids = Array.from({ length: 5_000 }, () => randomUUID());
  it.each([0, 1, 2, 3, 7, 1_023, 1_024, 1_025, 2_047, 2_048, 3_071, 3_072, 4_097, 5_000])(
    'of %d records is that of RFC 9162, also where it is asked for twice',
    (count) => {
      const root = new RunningRoot();
      for (const id of ids.slice(0, count)) root.add(id);
      const expected = rootOf(ids.slice(0, count).map(leafOf)).toString('hex');
      expect([root.root, root.root]).toEqual([expected, expected]);
    },
  );
});
