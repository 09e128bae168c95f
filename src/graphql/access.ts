import type { GraphQLField, GraphQLSchema } from 'graphql';
import { Extensions } from 'type-graphql';
import type { AccessRule } from '../caller/principal';

/** Declares who may use a root field. Every check reads the rule from there. */
export function Access(rule: AccessRule): MethodDecorator {
  return (target, name, descriptor) => {
    Extensions({ access: rule })(target, name, descriptor as TypedPropertyDescriptor<unknown>);
  };
}

export function accessRuleOf(field: GraphQLField<unknown, unknown>): AccessRule | null {
  return (field.extensions.access as AccessRule | undefined) ?? null;
}

/** Stops the start if a root field has no rule, so that no field is open by mistake. */
export function assertEveryRootFieldHasRule(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of roots) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (!accessRuleOf(field)) throw new Error(`${type?.name}.${field.name} states no access rule`);
    }
  }
}
