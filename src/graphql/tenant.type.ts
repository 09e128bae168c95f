import { GraphQLInt, GraphQLString } from 'graphql';
import { Field, ObjectType } from 'type-graphql';
import type { Tenant } from '../caller/tenant.store';

@ObjectType('Tenant')
export class TenantType {
  @Field(() => GraphQLString)
  tenantId: string;

  @Field(() => GraphQLString)
  name: string;

  @Field(() => GraphQLString)
  createdAt: string;

  @Field(() => GraphQLInt, { nullable: true, description: 'Days its events are kept. Null: for ever.' })
  retentionDays: number | null;
}

export const toTenantType = ({ tenantId, name, createdAt, retentionDays }: Tenant): TenantType => ({
  tenantId: String(tenantId),
  name,
  createdAt: createdAt.toISOString(),
  retentionDays,
});
