import { ADVISORY_LOCKS } from '../database/advisory-locks';
import type { OwnerDoor, Prisma, ServiceDoor } from '../database/clients';
import { guarded } from '../database/limited';
import { KEYS_CHANGED } from '../database/notifications';
import type { Attempt } from './access-log';
import { change } from './access-log.store';
import type { KeyStore, NewKey, Rotation, StoredKey } from './key-store';

export class PostgresKeyStore implements KeyStore {
  /** @param door the owner's if an operator recovers a key without the service */
  constructor(private readonly door: ServiceDoor | OwnerDoor) {}

  findByHash(keyHash: Uint8Array): Promise<StoredKey | null> {
    return guarded(async () => {
      const found = await this.door.models.apiKey.findUnique({ where: { keyHash: Buffer.from(keyHash) } });
      return found && toStoredKey(found);
    });
  }

  find(keyId: string): Promise<StoredKey | null> {
    return guarded(async () => {
      const found = await this.door.models.apiKey.findUnique({ where: { keyId } });
      return found && toStoredKey(found);
    });
  }

  async insert(key: NewKey, attempt: Attempt): Promise<void> {
    await change(this.#begin, attempt, (tx) => insertKey(tx, key));
  }

  async insertFirstOperator(key: NewKey, attempt: Attempt): Promise<void> {
    await change(this.#begin, attempt, async (tx) => {
      // Instances that start at the same time take turns, so the second sees the first one's key.
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.firstOperatorKey})`;
      const isFirst = (await tx.apiKey.count({ where: { kind: 'operator' } })) === 0;
      return isFirst ? insertKey(tx, key) : null;
    });
  }

  async list(): Promise<readonly StoredKey[]> {
    const found = await guarded(() =>
      this.door.models.apiKey.findMany({ orderBy: [{ createdAt: 'asc' }, { keyId: 'asc' }] }),
    );
    return found.map(toStoredKey);
  }

  rotate({ oldKeyId, newKey, overlapEnd }: Rotation, attempt: Attempt): Promise<Date | null> {
    return change(this.#begin, attempt, async (tx) => {
      // Locks the row, so the second of two concurrent rotations sees the first one's key.
      const [old] = await tx.$queryRaw<{ expires_at: Date | null }[]>`
        SELECT expires_at FROM api_key WHERE key_id = ${oldKeyId}::uuid AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${attempt.at}) FOR UPDATE`;
      if (!old || (await tx.apiKey.count({ where: { replaces: oldKeyId } })) > 0) return null;
      const expiresAt = old.expires_at && old.expires_at < overlapEnd ? old.expires_at : overlapEnd;
      await tx.apiKey.update({ where: { keyId: oldKeyId }, data: { expiresAt } });
      await tx.apiKey.create({ data: toRow(newKey) });
      await tellOthers(tx);
      return { value: expiresAt, ...subjectOf(newKey) };
    });
  }

  revoke(keyId: string, when: { at: Date; operatorUntil: Date }, attempt: Attempt) {
    return change(this.#begin, attempt, async (tx) => {
      const lasting = await lastingOperatorKeys(tx, when.operatorUntil);
      const found = await tx.apiKey.findUnique({ where: { keyId } });
      if (!found) return null;
      const leavesNone = lasting.every((operatorKeyId) => operatorKeyId === keyId);
      if (found.kind === 'operator' && !found.revokedAt && leavesNone) return 'last operator key';
      const revokedAt = found.revokedAt ?? when.at;
      const isInUse = !found.revokedAt && (found.expiresAt === null || found.expiresAt > when.at);
      // The next key of an agent, which it has not confirmed, goes with the key: else the agent would go on with it.
      const next = found.enrolledBy !== null && isInUse ? [{ replaces: keyId }] : [];
      const { count: rows } = await tx.apiKey.updateMany({
        where: { OR: [{ keyId }, ...next], revokedAt: null },
        data: { revokedAt },
      });
      await tellOthers(tx);
      return { value: toStoredKey({ ...found, revokedAt }), ...subjectOf(found), rows };
    });
  }

  async enroll(tokenId: string, agentKey: NewKey, attempt: Attempt): Promise<boolean> {
    const isDone = await change(this.#begin, attempt, async (tx) => {
      // One statement, so that agents that come at the same time take their uses one after the other.
      const used = await tx.$executeRaw`
        UPDATE api_key SET uses_left = uses_left - 1 WHERE key_id = ${tokenId}::uuid AND kind = 'enroll'
          AND uses_left > 0 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${attempt.at})`;
      if (used === 0) return null;
      await tx.apiKey.create({ data: toRow(agentKey) });
      return { value: true, ...subjectOf(agentKey) };
    });
    return isDone ?? false;
  }

  renew(newKey: NewKey, attempt: Attempt): Promise<string | null> {
    return change(this.#begin, attempt, async (tx) => {
      // Locks the row, so that renewals of one key, and its end, take turns.
      const [old] = await tx.$queryRaw<unknown[]>`
        SELECT 1 FROM api_key WHERE key_id = ${newKey.replaces}::uuid AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${attempt.at}) FOR UPDATE`;
      if (!old) return null;
      const before = await tx.apiKey.findUnique({ where: { replaces: newKey.replaces ?? '' } });
      if (before && (before.enrolledBy === null || before.revokedAt)) return null;
      const { keyHash, prefix, expiresAt } = newKey;
      const keyId = before?.keyId ?? newKey.keyId;
      if (before)
        await tx.apiKey.update({
          where: { keyId },
          data: { keyHash: Buffer.from(keyHash), prefix, expiresAt, createdAt: attempt.at },
        });
      else await tx.apiKey.create({ data: toRow(newKey) });
      // From here on the old key has a replacement that nobody has used. It ends when the agent confirms that one.
      await tellOthers(tx);
      return { value: keyId, ...subjectOf({ ...newKey, keyId }) };
    });
  }

  async confirm(keyId: string, attempt: Attempt): Promise<boolean> {
    const isDone = await change(this.#begin, attempt, async (tx) => {
      const ended = await tx.$queryRaw<{ tenant_ids: number[] }[]>`
        UPDATE api_key old SET expires_at = ${attempt.at} FROM api_key own
        WHERE own.key_id = ${keyId}::uuid AND old.key_id = own.replaces AND own.enrolled_by IS NOT NULL
          AND old.revoked_at IS NULL AND (old.expires_at IS NULL OR old.expires_at > ${attempt.at})
        RETURNING own.tenant_ids`;
      const [one] = ended;
      if (!one) return null;
      await tellOthers(tx);
      return { value: true, ...subjectOf({ keyId, tenantIds: one.tenant_ids }) };
    });
    return isDone ?? false;
  }

  async askRenewal(tenantId: number | null, attempt: Attempt): Promise<number> {
    const asked = await change(this.#begin, attempt, async (tx) => {
      const count = await tx.$executeRaw`
        UPDATE api_key SET renew_asked_at = ${attempt.at} WHERE kind = 'agent' AND enrolled_by IS NOT NULL
          AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${attempt.at})
          AND renew_asked_at IS NULL AND (${tenantId}::int IS NULL OR tenant_ids @> ARRAY[${tenantId}::int])
          AND NOT EXISTS (SELECT FROM api_key newer WHERE newer.replaces = api_key.key_id)`;
      return { value: count, rows: count, ...(tenantId !== null && { tenantIds: [tenantId] }) };
    });
    return asked ?? 0;
  }

  async touch(uses: ReadonlyMap<string, Date>): Promise<void> {
    const rows = JSON.stringify([...uses].map(([key_id, used_at]) => ({ key_id, used_at })));
    await guarded(
      () => this.door.models.$executeRaw`
        UPDATE api_key k SET last_used_at = greatest(k.last_used_at, x.used_at)
        FROM json_to_recordset(${rows}::json) AS x(key_id uuid, used_at timestamptz) WHERE k.key_id = x.key_id`,
    );
  }

  readonly #begin = <T>(run: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T> =>
    this.door.models.$transaction(run);
}

async function insertKey(tx: Prisma.TransactionClient, key: NewKey) {
  const { count } = await tx.apiKey.createMany({ data: [toRow(key)], skipDuplicates: true });
  return count > 0 ? { value: count, ...subjectOf(key) } : null;
}

/** The operator keys that are valid at that time. They stay locked, so two that revoke each other take turns. */
async function lastingOperatorKeys(tx: Prisma.TransactionClient, at: Date): Promise<readonly string[]> {
  const found = await tx.$queryRaw<{ key_id: string }[]>`
    SELECT key_id::text FROM api_key WHERE kind = 'operator' AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > ${at}) ORDER BY key_id FOR UPDATE`;
  return found.map((key) => key.key_id);
}

/** Sent at the commit, after which instances clear their caches of keys and of disabled tenants. */
export const tellOthers = (tx: Prisma.TransactionClient) =>
  tx.$executeRaw`SELECT pg_notify(${KEYS_CHANGED}, '')`;

const subjectOf = ({ keyId, tenantIds }: Pick<StoredKey, 'keyId' | 'tenantIds'>) => ({
  subject: keyId,
  tenantIds,
});

const toRow = ({ keyHash, scopes, tenantIds, allowedAddresses, ...rest }: NewKey) => ({
  ...rest,
  keyHash: Buffer.from(keyHash),
  scopes: [...scopes],
  tenantIds: [...tenantIds],
  allowedAddresses: [...allowedAddresses],
});

type Found = Omit<StoredKey, 'kind'> & { readonly kind: string };
/** The table's CHECK permits no other kind. */
const toStoredKey = (found: Found): StoredKey => found as StoredKey;
