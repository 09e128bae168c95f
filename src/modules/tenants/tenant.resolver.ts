import { Mutation, Query, Resolver } from 'type-graphql';
import type { Authenticator } from '../../caller/authenticate';
import { attemptOf, type Call } from '../../caller/call';
import type { Tenant, TenantStore } from '../../caller/tenant.store';
import type { ParameterValues } from '../../event/parameter-specs';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { TenantType, toTenantType } from '../../graphql/tenant.type';
import { noSuchTenant, parseTenantId } from '../../tenant-set';
import {
  CREATE_TENANT,
  DISABLE_TENANT,
  ENABLE_TENANT,
  RENAME_TENANT,
  SET_MASKING,
} from './tenant-parameters';

function numberOf(text: string): number {
  const tenantId = parseTenantId(text);
  if (tenantId === null) throw noSuchTenant();
  return tenantId;
}

function known(tenant: Tenant | null): TenantType {
  if (!tenant) throw noSuchTenant();
  return toTenantType(tenant);
}

@Resolver()
export class TenantResolver {
  constructor(
    private readonly tenantStore: TenantStore,
    private readonly authenticator: Pick<Authenticator, 'forget'>,
    private readonly nowMs: () => number,
  ) {}

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

  @Mutation(() => TenantType, {
    description:
      'Sets whether literals of statements are masked for those without the scope `unmask`. It holds within a second.',
  })
  @Access({ principal: 'operator' })
  @Takes(SET_MASKING)
  async setTenantMasking(
    { tenantId, masksStatements }: ParameterValues<typeof SET_MASKING>,
    context: Call,
  ): Promise<TenantType> {
    return known(await this.tenantStore.setMasking(numberOf(tenantId), masksStatements, attemptOf(context)));
  }

  @Mutation(() => TenantType, { description: 'Gives a tenant another name.' })
  @Access({ principal: 'operator' })
  @Takes(RENAME_TENANT)
  async renameTenant({ tenantId, name }: ParameterValues<typeof RENAME_TENANT>, context: Call) {
    return known(await this.tenantStore.rename(numberOf(tenantId), name, attemptOf(context)));
  }

  @Mutation(() => TenantType, {
    description:
      'Disables a tenant: its keys are refused, its agents wait, its background work pauses, and nothing is removed.',
  })
  @Access({ principal: 'operator' })
  @Takes(DISABLE_TENANT)
  async disableTenant({ tenantId, reason }: ParameterValues<typeof DISABLE_TENANT>, context: Call) {
    return this.#setDisabled(tenantId, { at: new Date(this.nowMs()), reason }, context);
  }

  @Mutation(() => TenantType, {
    description: 'Enables a disabled tenant: everything goes on where it stood.',
  })
  @Access({ principal: 'operator' })
  @Takes(ENABLE_TENANT)
  async enableTenant({ tenantId }: ParameterValues<typeof ENABLE_TENANT>, context: Call) {
    return this.#setDisabled(tenantId, null, context);
  }

  async #setDisabled(tenantId: string, disabled: Parameters<TenantStore['setDisabled']>[1], context: Call) {
    const tenant = await this.tenantStore.setDisabled(numberOf(tenantId), disabled, attemptOf(context));
    this.authenticator.forget();
    return known(tenant);
  }
}
