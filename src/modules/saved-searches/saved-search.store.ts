import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../caller/access-log';
import { change, changeOfTenant } from '../../caller/access-log.store';
import type { OwnerDoor, Prisma, ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { ofTenants } from '../../database/tenant-rows';
import { LIMITS } from '../../limits';
import { fromStored, toStored } from '../../store/rows/stored-text';
import type { TenantSet } from '../../tenant-set';

interface SearchSpec {
  readonly tenantId: number;
  readonly name: string;
  readonly filter: string;
  /** Null: the filter alone. */
  readonly view: string | null;
  readonly isShared: boolean;
}

export interface SavedSearch extends SearchSpec {
  readonly searchId: string;
  /** The owner, see `holderOf`. */
  readonly holder: string;
}

type Tx = Prisma.TransactionClient;

/** Stores searches. Each change writes its entry of the access log in its own transaction. */
export class SavedSearchStore {
  constructor(
    private readonly service: ServiceDoor,
    private readonly owner: OwnerDoor,
  ) {}

  /** @returns the holder's own searches and the shared ones, by name; of many, own ones are not left out for others */
  async list(tenants: TenantSet, holder: string): Promise<readonly SavedSearch[]> {
    const there = { tenantId: { in: [...tenants] }, isRemoved: false };
    const orderBy = [{ name: 'asc' as const }, { searchId: 'asc' as const }];
    const rows = await this.#inTenants(tenants, async (tx) => {
      const most = LIMITS.savedSearchesShownMax;
      const own = await tx.savedSearch.findMany({ where: { ...there, holder }, orderBy, take: most });
      const shared = { ...there, isShared: true, holder: { not: holder } };
      const others = await tx.savedSearch.findMany({ where: shared, orderBy, take: most - own.length });
      return [...own, ...others];
    });
    const order = (a: SavedSearch) => `${a.name}\n${a.searchId}`;
    return rows.sort((a, b) => (order(a) < order(b) ? -1 : 1)).map(toSearch);
  }

  /** @returns null if the holder already has the most searches permitted */
  async insert(spec: SearchSpec, holder: string, attempt: Attempt): Promise<SavedSearch | null> {
    const { tenantId } = spec;
    return changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      const count = await tx.savedSearch.count({ where: { tenantId, holder, isRemoved: false } });
      if (count >= LIMITS.savedSearchesMax) return null;
      const searchId = randomUUID();
      const data = { ...spec, searchId, holder, name: toStored(spec.name), filter: toStored(spec.filter) };
      return { value: toSearch(await tx.savedSearch.create({ data })), subject: searchId };
    });
  }

  /** @returns null: the holder has no such search */
  async remove(
    tenants: TenantSet,
    searchId: string,
    holder: string,
    attempt: Attempt,
  ): Promise<SavedSearch | null> {
    return change(
      (run) => ofTenants(this.service, tenants, run),
      attempt,
      async (tx) => {
        const where = { tenantId: { in: [...tenants] }, searchId, holder, isRemoved: false };
        const row = await tx.savedSearch.findFirst({ where });
        if (!row) return null;
        const { tenantId } = row;
        await tx.savedSearch.updateMany({ where: { tenantId, searchId }, data: { isRemoved: true } });
        return { value: toSearch(row), subject: searchId, tenantIds: [tenantId] };
      },
    );
  }

  /** Deletes the rows of removed searches. */
  async clear(): Promise<void> {
    await this.owner.models.savedSearch.deleteMany({ where: { isRemoved: true } });
  }

  #inTenants<T>(tenants: TenantSet, work: (tx: Tx) => Promise<T>): Promise<T> {
    return guarded(() => ofTenants(this.service, tenants, work));
  }
}

const toSearch = ({
  tenantId,
  searchId,
  holder,
  name,
  filter,
  view,
  isShared,
}: SavedSearch): SavedSearch => ({
  tenantId,
  searchId,
  holder,
  isShared,
  view,
  name: fromStored(name),
  filter: fromStored(filter),
});
