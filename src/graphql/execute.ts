import { type DocumentNode, type GraphQLSchema, Kind, parse, validate } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Call } from '../caller/call';
import { type AccessRule, enforce } from '../caller/principal';
import { toDomainError } from '../errors';
import { accessRuleOf } from './access';

/** A fixed operation with one root field: parsed, validated and compiled at boot. */
interface PreparedOperation {
  readonly rootField: string;
  readonly rule: AccessRule;
  /** The value of the root field. @throws DomainError */
  run(variables: Readonly<Record<string, unknown>>, context: Call): Promise<unknown>;
  /**
   * The check `run` makes, ahead of any other; a refusal is noted with the parameters as they were given.
   * @throws DomainError `forbidden`
   */
  authorize(context: Call, given: object): void;
}

/** @throws Error when the document does not fit the schema: the service does not start with a broken route */
export function prepareOperation(schema: GraphQLSchema, source: string): PreparedOperation {
  const document = parse(source);
  const errors = validate(schema, document);
  if (errors.length > 0)
    throw new Error(`operation does not fit the schema: ${errors.join('; ')}\n${source}`);
  const compiled = compileQuery(schema, document);
  if (!isCompiledQuery(compiled))
    throw new Error(`operation does not compile: ${compiled.errors?.join('; ')}`);
  const rootField = rootFieldOf(document);
  const field = schema.getQueryType()?.getFields()[rootField];
  const rule = field ? accessRuleOf(field) : null;
  if (!rule) throw new Error(`${rootField} is no query with an access rule`);
  return {
    rootField,
    rule,
    authorize: (context, given) => {
      try {
        enforce(rule, context.principal);
      } catch (error) {
        const { code } = toDomainError(error);
        context.note({ operation: rootField, parameters: given, outcome: code, rows: null });
        throw error;
      }
    },
    run: async (variables, context) => {
      const result = await compiled.query(undefined, context, variables);
      // Never partial data: one failed field fails the answer.
      const [error] = result.errors ?? [];
      if (error) throw toDomainError(error.originalError ?? error);
      return result.data?.[rootField];
    },
  };
}

function rootFieldOf(document: DocumentNode): string {
  const [operation] = document.definitions;
  const selection =
    operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections[0] : undefined;
  if (selection?.kind !== Kind.FIELD) throw new Error('an operation needs one root field');
  return selection.name.value;
}
