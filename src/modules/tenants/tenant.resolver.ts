import { Mutation, Query, Resolver } from 'type-graphql';
import type { Authenticator } from '../../caller/authenticate';
import { attemptOf, type Call } from '../../caller/call';
import type { Tenant, TenantStore } from '../../caller/tenant.store';
import type { ParameterValues } from '../../event/parameter-specs';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { TenantType, toTenantType } from '../../graphql/tenant.type';
import { noSuchTenant, oneTenant, parseTenantId } from '../../tenant-set';
import type { HoldStore } from './holds/hold.store';
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

@Resolver()
export class TenantResolver {
  constructor(
    private readonly tenantStore: TenantStore,
    private readonly authenticator: Pick<Authenticator, 'forget'>,
    private readonly holds: Pick<HoldStore, 'counts' | 'inForce'>,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => [TenantType])
  @Access({ principal: 'operator' })
  async tenants(): Promise<TenantType[]> {
    const holds = await this.holds.counts(new Date(this.nowMs()));
    return (await this.tenantStore.list()).map((each) => toTenantType(each, holds.get(each.tenantId) ?? 0));
  }

  @Mutation(() => TenantType)
  @Access({ principal: 'operator' })
  @Takes(CREATE_TENANT)
  async createTenant({ name, retentionDays }: ParameterValues<typeof CREATE_TENANT>, context: Call) {
    return toTenantType(await this.tenantStore.create(name, retentionDays ?? null, attemptOf(context)), 0);
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
    return this.#changed(tenantId, (id) =>
      this.tenantStore.setMasking(id, masksStatements, attemptOf(context)),
    );
  }

  @Mutation(() => TenantType, { description: 'Gives a tenant another name.' })
  @Access({ principal: 'operator' })
  @Takes(RENAME_TENANT)
  async renameTenant({ tenantId, name }: ParameterValues<typeof RENAME_TENANT>, context: Call) {
    return this.#changed(tenantId, (id) => this.tenantStore.rename(id, name, attemptOf(context)));
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

  #setDisabled(tenantId: string, disabled: Parameters<TenantStore['setDisabled']>[1], context: Call) {
    return this.#changed(tenantId, async (id) => {
      const tenant = await this.tenantStore.setDisabled(id, disabled, attemptOf(context));
      this.authenticator.forget();
      return tenant;
    });
  }

  /** @returns the changed tenant, with its holds: whoever changes it is told of them */
  async #changed(tenantId: string, change: (id: number) => Promise<Tenant | null>): Promise<TenantType> {
    const id = numberOf(tenantId);
    const { length } = await this.holds.inForce(oneTenant(id), new Date(this.nowMs()));
    const tenant = await change(id);
    if (!tenant) throw noSuchTenant();
    return toTenantType(tenant, length);
  }
}
