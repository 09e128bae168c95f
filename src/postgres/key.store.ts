import type { KeyStore, NewKey, StoredKey } from '../api-key/key-store';
import type { PrismaClient } from './database';
import { guarded } from './failure';

export class PostgresKeyStore implements KeyStore {
  constructor(private readonly prisma: PrismaClient) {}

  findByHash(keyHash: Uint8Array): Promise<StoredKey | null> {
    return guarded(async () => {
      const found = await this.prisma.apiKey.findUnique({ where: { keyHash: Buffer.from(keyHash) } });
      return found && toStoredKey(found);
    });
  }

  async insert(key: NewKey): Promise<void> {
    const { keyHash, scopes, tenantIds, ...rest } = key;
    const data = { ...rest, keyHash: Buffer.from(keyHash), scopes: [...scopes], tenantIds: [...tenantIds] };
    await guarded(() => this.prisma.apiKey.createMany({ data: [data], skipDuplicates: true }));
  }

  async list(): Promise<readonly StoredKey[]> {
    const found = await guarded(() =>
      this.prisma.apiKey.findMany({ orderBy: [{ createdAt: 'asc' }, { keyId: 'asc' }] }),
    );
    return found.map(toStoredKey);
  }

  revoke(keyId: string, at: Date): Promise<StoredKey | null> {
    return guarded(async () => {
      await this.prisma.apiKey.updateMany({ where: { keyId, revokedAt: null }, data: { revokedAt: at } });
      const found = await this.prisma.apiKey.findUnique({ where: { keyId } });
      return found && toStoredKey(found);
    });
  }

  async touch(uses: ReadonlyMap<string, Date>): Promise<void> {
    const rows = JSON.stringify([...uses].map(([key_id, used_at]) => ({ key_id, used_at })));
    await guarded(
      () => this.prisma.$executeRaw`
        UPDATE api_key k SET last_used_at = greatest(k.last_used_at, x.used_at)
        FROM json_to_recordset(${rows}::json) AS x(key_id uuid, used_at timestamptz) WHERE k.key_id = x.key_id`,
    );
  }
}

type Found = Omit<StoredKey, 'kind'> & { readonly kind: string };
/** The table's CHECK admits no other kind. */
const toStoredKey = (found: Found): StoredKey => found as StoredKey;
