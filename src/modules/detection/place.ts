import type { OwnerDb, Prisma } from '../../database/clients';

/** How far the rules of a tenant have come in its log. */
export interface Place {
  readonly position: number;
  readonly learned: number;
  readonly learnUntil: number;
  /** Counts the changes of the tenant's rules. */
  readonly revision: number;
}

/** A turn is held as long as a step may take. */
const TURN_SECONDS = 30;

/**
 * Takes the turn of a tenant by the database's clock, which is asked first: a distributed database takes no reckoning with
 * times below.
 * @returns null: the turn is another instance's
 */
export async function takePlace(owner: OwnerDb, tenantId: number, holder: string): Promise<Place | null> {
  const [clock] = await owner.$queryRawUnsafe<{ now: Date }[]>('SELECT statement_timestamp() AS now');
  const now = clock?.now ?? new Date(0);
  const [row] = await owner.$queryRawUnsafe<
    { position: bigint; learned: bigint; learn_until: bigint; revision: number }[]
  >(
    `INSERT INTO detection_position AS p (tenant_id, position, learned, learn_until, holder, held_until)
     VALUES ($1::int, 0, 0, 0, $2::uuid, $4::timestamptz)
     ON CONFLICT (tenant_id) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
       WHERE p.holder IS NULL OR p.holder = excluded.holder OR p.held_until < $3::timestamptz
     RETURNING position, learned, learn_until, revision`,
    ...[tenantId, holder, now, new Date(now.getTime() + TURN_SECONDS * 1_000)],
  );
  if (!row) return null;
  const { revision } = row;
  const [position, learned, learnUntil] = [row.position, row.learned, row.learn_until].map(Number);
  return { position: position ?? 0, learned: learned ?? 0, learnUntil: learnUntil ?? 0, revision };
}

/** Stores how far a step has come. @returns false if another instance wrote first, or the rules have changed */
export async function movePlace(
  tx: Prisma.TransactionClient,
  tenantId: number,
  from: Place,
  to: Pick<Place, 'position' | 'learned'> & { readonly dueMs: number | null },
): Promise<boolean> {
  const moved = await tx.$executeRawUnsafe(
    `UPDATE detection_position SET position = $2::bigint, learned = $3::bigint, due_at = $4::timestamptz
     WHERE tenant_id = $1::int AND position = $5::bigint AND learned = $6::bigint AND revision = $7::int`,
    ...[tenantId, to.position, to.learned, to.dueMs === null ? null : new Date(to.dueMs)],
    ...[from.position, from.learned, from.revision],
  );
  return moved > 0;
}
