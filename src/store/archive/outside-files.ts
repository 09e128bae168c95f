import type { OwnerDoor, Prisma } from '../../database/clients';
import type { TenantRounds } from '../../database/distribute/tenant-rounds';
import { LIMITS } from '../../limits';
import { type FileName, type FilePlace, PlaceFailed } from './file-place';

const NOTE = `
INSERT INTO audit_sealed_file (tenant_id, sha256) SELECT t.tenant_id, $2::text FROM tenant t WHERE t.tenant_id = $1::int
ON CONFLICT (tenant_id, sha256) DO UPDATE SET unlisted_since = NULL`;
const LISTED = `
UPDATE audit_sealed_file SET unlisted_since = NULL WHERE tenant_id = $1::int AND sha256 = $2::text`;
const IS_UNLISTED = `NOT EXISTS (
  SELECT FROM audit_sealed_week w WHERE w.tenant_id = f.tenant_id AND w.sha256 = f.sha256)`;
const REMOVE = `
DELETE FROM audit_sealed_file f WHERE f.tenant_id = $1::int AND f.sha256 = $2::text
  AND f.unlisted_since <= now() - $3::float8 * interval '1 millisecond' AND ${IS_UNLISTED}`;
/** The newest file that a week has: of the tenant, else of any. */
const LISTED_OF_TENANT = `
SELECT f.tenant_id AS "tenantId", f.sha256 FROM audit_sealed_file f
JOIN audit_sealed_week w ON w.tenant_id = f.tenant_id AND w.sha256 = f.sha256
WHERE f.tenant_id = $1::int ORDER BY w.sealed_at DESC LIMIT 1`;
const LISTED_OF_ANY = `
SELECT f.tenant_id AS "tenantId", f.sha256 FROM audit_sealed_file f
JOIN audit_sealed_week w ON w.tenant_id = f.tenant_id AND w.sha256 = f.sha256 ORDER BY w.sealed_at DESC LIMIT 1`;
const REMOVE_TIMEOUT_MS = 60_000;

/**
 * Writes a file to its place. Its row is there first, so that no file is forgotten after a crash. A place without the
 * files of earlier weeks takes none: it is another folder or bucket, or the folder's share is not mounted.
 * @throws PlaceFailed
 */
export async function putOutside(
  owner: OwnerDoor,
  place: FilePlace,
  name: FileName,
  local: string,
  bytes: number,
): Promise<void> {
  const { models } = owner;
  const [earlier] = await models.$queryRawUnsafe<FileName[]>(LISTED_OF_TENANT, name.tenantId);
  const [other] = earlier ? [earlier] : await models.$queryRawUnsafe<FileName[]>(LISTED_OF_ANY);
  if (other && !(await attempted(place.has(other))))
    throw new PlaceFailed('files of earlier weeks are not in the place that ARCHIVE_URL names');
  await models.$executeRawUnsafe(NOTE, name.tenantId, name.sha256);
  await attempted(place.put(name, local, bytes));
}

const attempted = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw new PlaceFailed('the place that ARCHIVE_URL names does not take files', { cause });
  });

/**
 * Says in the transaction that lists a file that it is listed.
 * @returns false: the file was removed meanwhile
 */
export const listOutside = async (tx: Prisma.TransactionClient, { tenantId, sha256 }: FileName) =>
  (await tx.$executeRawUnsafe(LISTED, tenantId, sha256)) === 1;

/**
 * Whether a place has the newest file of a week that lies outside the database. Another folder or bucket has not, and a
 * folder whose share is not mounted. @returns null: no week has such a file, so nothing tells
 */
export async function isPlaceOfFiles(owner: OwnerDoor, place: FilePlace | null): Promise<boolean | null> {
  const [newest] = await owner.models.$queryRawUnsafe<FileName[]>(LISTED_OF_ANY);
  if (!newest) return null;
  return place !== null && (await place.has(newest));
}

/**
 * Removes files that no week has had for a while: readers may have seen the week before. A file that does not lie here,
 * where the files of weeks do not lie either, may lie in the right place: an instance that has that place removes it.
 */
export class UnlistedFiles {
  constructor(
    private readonly owner: OwnerDoor,
    private readonly place: FilePlace,
    private readonly rounds: TenantRounds,
    private readonly keptMs: number = LIMITS.archiveUnlistedMs,
  ) {}

  /** @returns the number of removed files */
  async remove(): Promise<number> {
    const { models } = this.owner;
    await this.rounds.ask((of) =>
      models.$queryRawUnsafe<FileName[]>(
        `UPDATE audit_sealed_file f SET unlisted_since = now()
         WHERE f.unlisted_since IS NULL AND ${IS_UNLISTED} AND ${of('f.tenant_id')} RETURNING f.tenant_id`,
      ),
    );
    const old = await this.rounds.ask((of) =>
      models.$queryRawUnsafe<FileName[]>(
        `SELECT f.tenant_id AS "tenantId", f.sha256 FROM audit_sealed_file f
         WHERE f.unlisted_since <= now() - $1::float8 * interval '1 millisecond' AND ${of('f.tenant_id')}
         ORDER BY 1, 2 LIMIT ${LIMITS.archiveUnlistedPerRound}`,
        this.keptMs,
      ),
    );
    let removed = 0;
    for (const name of old)
      if (await this.rounds.attempt(name.tenantId, () => this.#removeOne(name))) removed += 1;
    this.rounds.end();
    return removed;
  }

  /** Who seals the same bytes again waits for the row, and then writes the file anew. */
  async #removeOne(name: FileName): Promise<boolean> {
    if (!(await this.place.has(name)) && (await isPlaceOfFiles(this.owner, this.place)) !== true)
      return false;
    return this.owner.models.$transaction(
      async (tx) => {
        if ((await tx.$executeRawUnsafe(REMOVE, name.tenantId, name.sha256, this.keptMs)) === 0) return false;
        await this.place.remove(name);
        return true;
      },
      { timeout: REMOVE_TIMEOUT_MS },
    );
  }
}
