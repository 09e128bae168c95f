import { GraphQLError, type ValidationRule } from 'graphql';
import { DomainError } from '../errors';

const INTROSPECTION = ['__schema', '__type'];

/** For callers who may not read the schema. `__typename` tells them nothing they did not ask for by name. */
export const refuseIntrospection: ValidationRule = (context) => ({
  Field: {
    enter: (node) => {
      if (!INTROSPECTION.includes(node.name.value)) return;
      const originalError = new DomainError('forbidden', { public: 'Only operators may read the schema.' });
      context.reportError(new GraphQLError(originalError.message, { nodes: node, originalError }));
    },
  },
});
