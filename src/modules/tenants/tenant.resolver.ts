import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import type { TenantStore } from '../../caller/tenant.store';
import type { ParameterValues } from '../../event/parameter-specs';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { TenantType, toTenantType } from '../../graphql/tenant.type';
import { CREATE_TENANT } from './tenant-parameters';

@Resolver()
export class TenantResolver {
  constructor(private readonly tenantStore: TenantStore) {}

  @Query(() => [TenantType])
  @Access({ principal: 'operator' })
  async tenants(): Promise<TenantType[]> {
    return (await this.tenantStore.list()).map(toTenantType);
  }

  @Mutation(() => TenantType)
  @Access({ principal: 'operator' })
  @Takes(CREATE_TENANT)
  async createTenant({ name, retentionDays }: ParameterValues<typeof CREATE_TENANT>, context: Call) {
    return toTenantType(await this.tenantStore.create(name, retentionDays ?? null, attemptOf(context)));
  }
}
