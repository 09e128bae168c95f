import type { OwnerDoor, Prisma } from '../../../database/clients';
import { Leases } from '../../../database/lease';

/** How far the rules of a tenant have come in its log. */
export interface Progress {
  readonly position: number;
  readonly learned: number;
  readonly learnUntil: number;
  /** The number of findings that the rules have made. */
  readonly findings: number;
  /** Counts the changes of the tenant's rules. */
  readonly revision: number;
}

/** What is sealed of it. */
export type SealedProgress = Omit<Progress, 'revision'>;

interface Seal {
  readonly keyId: string;
  macOf(tenantId: number, progress: SealedProgress): Buffer;
}

/** Progress as it is stored (`ProgressSeal`). */
export interface StoredProgress extends Progress {
  readonly keyId: string | null;
  readonly mac: Uint8Array | null;
}

export interface ProgressRow {
  readonly position: bigint | string;
  readonly learned: bigint | string;
  readonly learn_until: bigint | string;
  readonly revision: number;
  readonly findings: bigint | string;
  readonly key_id: string | null;
  readonly mac: Uint8Array | null;
}

export const PROGRESS_COLUMNS = 'position, learned, learn_until, revision, findings, key_id, mac';

export const toProgress = (row: ProgressRow): StoredProgress => ({
  position: Number(row.position),
  learned: Number(row.learned),
  learnUntil: Number(row.learn_until),
  findings: Number(row.findings),
  revision: row.revision,
  keyId: row.key_id,
  mac: row.mac,
});

/** A step takes less. */
const TURN_MS = 30_000;

/** The turns of tenants. An instance that takes its own turn again renews it. */
export const turnsOf = (owner: OwnerDoor): Leases =>
  new Leases(owner.models, {
    table: 'detection_position',
    key: { tenant_id: 'int' },
    holder: 'holder',
    until: 'held_until',
    ms: TURN_MS,
    made: { position: '0', learned: '0', learn_until: '0' },
  });

/** Takes the turn of a tenant. @returns null: the turn is another instance's */
export async function takeProgress(
  turns: Leases,
  tenantId: number,
  holder: string,
): Promise<StoredProgress | null> {
  const row = await turns.take<ProgressRow>([tenantId], holder, { returning: PROGRESS_COLUMNS });
  return row && toProgress(row);
}

/**
 * Stores how far rules have come, with the seal.
 * @param dueMs when something is over by the clock; null: nothing is; left out: as before
 * @returns false if another instance wrote first, or the rules have changed
 */
export async function putProgress(
  tx: Pick<Prisma.TransactionClient, '$executeRawUnsafe'>,
  tenantId: number,
  { from, to, dueMs }: { readonly from: Progress; readonly to: Progress; readonly dueMs?: number | null },
  seal: Seal,
): Promise<boolean> {
  const put = await tx.$executeRawUnsafe(
    `UPDATE detection_position SET position = $2::bigint, learned = $3::bigint, learn_until = $4::bigint,
       findings = $5::bigint, key_id = $6::text, mac = $7::bytea${dueMs === undefined ? '' : ', due_at = $13::timestamptz'}
     WHERE tenant_id = $1::int AND position = $8::bigint AND learned = $9::bigint AND learn_until = $10::bigint
       AND findings = $11::bigint AND revision = $12::int`,
    ...[tenantId, to.position, to.learned, to.learnUntil, to.findings],
    ...[seal.keyId, seal.macOf(tenantId, to)],
    ...[from.position, from.learned, from.learnUntil, from.findings, from.revision],
    ...(dueMs === undefined ? [] : [dueMs === null ? null : new Date(dueMs)]),
  );
  return put > 0;
}

/** Has every instance read the tenant's rules again. */
export const nextRevision = (
  tx: Pick<Prisma.TransactionClient, '$executeRawUnsafe'>,
  tenantId: number,
): Promise<number> =>
  tx.$executeRawUnsafe(
    'UPDATE detection_position SET revision = revision + 1 WHERE tenant_id = $1::int',
    tenantId,
  );
