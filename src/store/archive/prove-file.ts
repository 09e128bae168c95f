import type { OwnerDoor } from '../../database/clients';
import { ID_BYTES, idText } from '../../event/record-id';
import { HASH_BYTES } from '../log/evidence/merkle';
import { ROWS_PER_GROUP } from './layout';
import { LogPlaces } from './log-places';
import type { FileWriter } from './questions';

const LEAF_BYTES = ID_BYTES + HASH_BYTES;
/** A read begins where a group of rows begins, so no group is read twice. */
const LEAVES_PER_READ = ROWS_PER_GROUP;
/** The entries of the log that are in memory at once. */
const ENTRIES_AT_ONCE = 4_096;

/** The file does not hold what the evidence log says, so the rows stay. */
export class NotProven extends Error {
  override readonly name = 'NotProven';
}

/** Compares every event of a file with its leaf in the log. @throws NotProven */
export async function prove(
  { owner, writer }: { readonly owner: OwnerDoor; readonly writer: FileWriter },
  tenantId: number,
  file: string,
  events: number,
): Promise<void> {
  const places = new LogPlaces(owner, tenantId);
  let [after, read]: [string | null, number] = [null, 0];
  while (read < events) {
    const found: Buffer = await writer.leaves(file, after, LEAVES_PER_READ);
    const leaves = leavesOf(found);
    if (leaves.length === 0) throw new NotProven(`the file ends after ${read} of ${events} events`);
    for (let at = 0; at < leaves.length; at += ENTRIES_AT_ONCE) {
      const some = leaves.slice(at, at + ENTRIES_AT_ONCE);
      const entries = await places.of(some.map(({ recordId }) => recordId));
      for (const { recordId, leaf } of some) {
        if (after !== null && recordId <= after)
          throw new NotProven(`the event ${recordId} is twice in the file`);
        if (!entries.get(recordId)?.leaf.equals(leaf))
          throw new NotProven(`the event ${recordId} of the file is not the one of the log`);
        after = recordId;
      }
    }
    read += leaves.length;
  }
}

function leavesOf(bytes: Buffer): { readonly recordId: string; readonly leaf: Buffer }[] {
  const leaves: { recordId: string; leaf: Buffer }[] = [];
  for (let at = 0; at < bytes.length; at += LEAF_BYTES) {
    const leaf = bytes.subarray(at, at + LEAF_BYTES);
    leaves.push({ recordId: idText(leaf.subarray(0, ID_BYTES)), leaf });
  }
  return leaves;
}
