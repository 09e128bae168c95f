import type { KeyStore, NewKey, Rotation, StoredKey } from '../../../src/caller/key-store';
import type { Tenant, TenantStore } from '../../../src/caller/tenant.store';

const sameHash = (a: Uint8Array, b: Uint8Array) => Buffer.from(a).equals(Buffer.from(b));

/** Keys in memory that keep the promises of the port, and a count of the look-ups. */
export class FakeKeyStore implements KeyStore {
  readonly keys: StoredKey[] = [];
  readonly touched: ReadonlyMap<string, Date>[] = [];
  lookups = 0;

  async findByHash(keyHash: Uint8Array): Promise<StoredKey | null> {
    this.lookups += 1;
    return this.keys.find((key) => sameHash(key.keyHash, keyHash)) ?? null;
  }

  async insert(key: NewKey): Promise<void> {
    if (this.keys.some((known) => sameHash(known.keyHash, key.keyHash))) return;
    this.keys.push({ ...key, createdAt: new Date(0), revokedAt: null, lastUsedAt: null });
  }

  async insertFirstOperator(key: NewKey): Promise<void> {
    if (!this.keys.some(({ kind }) => kind === 'operator')) await this.insert(key);
  }

  async find(keyId: string): Promise<StoredKey | null> {
    this.lookups += 1;
    return this.keys.find((key) => key.keyId === keyId) ?? null;
  }

  async enroll(tokenId: string, agentKey: NewKey): Promise<boolean> {
    const token = this.keys.find((key) => key.keyId === tokenId);
    if (!token?.usesLeft) return false;
    this.change(tokenId, { usesLeft: token.usesLeft - 1 });
    await this.insert(agentKey);
    return true;
  }

  async renew(newKey: NewKey): Promise<string | null> {
    const before = this.keys.find((key) => key.replaces === newKey.replaces);
    if (before) return this.change(before.keyId, { keyHash: newKey.keyHash, prefix: newKey.prefix }).keyId;
    await this.insert(newKey);
    return newKey.keyId;
  }

  async confirm(): Promise<boolean> {
    return false;
  }

  async askRenewal(): Promise<number> {
    return 0;
  }

  async list(): Promise<readonly StoredKey[]> {
    return this.keys;
  }

  async rotate({ oldKeyId, newKey, overlapEnd }: Rotation): Promise<Date | null> {
    const old = this.keys.find((key) => key.keyId === oldKeyId);
    if (!old || old.revokedAt || this.keys.some((key) => key.replaces === oldKeyId)) return null;
    const expiresAt = old.expiresAt && old.expiresAt < overlapEnd ? old.expiresAt : overlapEnd;
    this.change(oldKeyId, { expiresAt });
    await this.insert(newKey);
    return expiresAt;
  }

  async revoke(keyId: string, { at, operatorUntil }: { readonly at: Date; readonly operatorUntil: Date }) {
    const key = this.keys.find((known) => known.keyId === keyId);
    if (!key) return null;
    const lasting = this.keys.filter(
      ({ kind, revokedAt, expiresAt }) =>
        kind === 'operator' && !revokedAt && (!expiresAt || expiresAt > operatorUntil),
    );
    if (key.kind === 'operator' && !key.revokedAt && lasting.every((other) => other.keyId === keyId))
      return 'last operator key';
    return this.change(keyId, { revokedAt: key.revokedAt ?? at });
  }

  change(keyId: string, change: Partial<StoredKey>): StoredKey {
    const index = this.keys.findIndex((key) => key.keyId === keyId);
    const key = this.keys[index];
    if (!key) throw new Error(`no key ${keyId}`);
    const changed = { ...key, ...change };
    this.keys[index] = changed;
    return changed;
  }

  async touch(uses: ReadonlyMap<string, Date>): Promise<void> {
    this.touched.push(new Map(uses));
  }
}

const IN_USE = { retentionDays: null, disabledAt: null, disabledReason: null, masksStatements: false };
/** No tenant masks its statements. */
export const NO_MASKS = { among: async () => [] };

/** Tenants 1 to `count`. */
export class FakeTenantStore implements TenantStore {
  readonly tenants: Tenant[];

  constructor(count: number) {
    this.tenants = Array.from({ length: count }, (_, i) => ({
      tenantId: i + 1,
      name: `Tenant ${i + 1}`,
      createdAt: new Date(0),
      ...IN_USE,
    }));
  }

  async create(name: string): Promise<Tenant> {
    const tenant = { tenantId: this.tenants.length + 1, name, createdAt: new Date(0), ...IN_USE };
    this.tenants.push(tenant);
    return tenant;
  }

  setMasking(): Promise<never> {
    throw new Error('not expected to be called');
  }

  async list(): Promise<readonly Tenant[]> {
    return this.tenants;
  }

  async rename(): Promise<null> {
    return null;
  }

  async setDisabled(): Promise<null> {
    return null;
  }

  async disabled(): Promise<readonly number[]> {
    return [];
  }

  async masked(): Promise<readonly number[]> {
    return [];
  }

  async existing(tenantIds: readonly number[]): Promise<readonly number[]> {
    return this.tenants.map((tenant) => tenant.tenantId).filter((id) => tenantIds.includes(id));
  }
}
