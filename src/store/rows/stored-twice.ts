import type { OwnerDoor } from '../../database/clients';
import { DAY_MS } from '../../event/event-time';

/** An instance that looks for words nowhere else may run beside new ones for so long. */
const BESIDE_DAYS = 7;

/**
 * For how long the searchable text of an event of ASCII is stored, too. A release before this one looks for words nowhere
 * else, and its index would lack them for good. It goes with 0.3.0.
 * @returns milliseconds from now on; at most 0 in a database that never had another release
 */
export async function storedTwiceMs(owner: OwnerDoor): Promise<number> {
  const [row] = await owner.models.$queryRawUnsafe<{ ms: number | null }[]>(LEFT);
  return row?.ms ?? 0;
}

/** From this migration on, empty searchable texts are understood. */
const UNDERSTOOD = '0074_texts_once';
/** Migrations that are applied together have the same time: then no other release was there before. */
const LEFT = `
SELECT ${BESIDE_DAYS * DAY_MS} - (extract(epoch FROM now() - own.finished_at) * 1000)::float8 AS ms
FROM _prisma_migrations own WHERE own.migration_name = '${UNDERSTOOD}'
  AND EXISTS (SELECT FROM _prisma_migrations before WHERE before.finished_at < own.finished_at)`;
