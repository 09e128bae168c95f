import type { GraphQLSchema } from 'graphql';
import { type Operation, type PreparedOperation, prepareOperation } from '../../rest-facade/route';
import type { Call } from '../caller/call';
import { DomainError, toDomainError } from '../errors';
import { parseFilter } from '../event/expression/parse-filter';
import { printed } from '../event/expression/printed';
import { parseParameters } from '../event/parse-parameters';
import { wellFormed } from './compact';
import { COVERAGE } from './operations';
import { TOOLS, type Tool } from './tools';

type Values = Readonly<Record<string, unknown>>;

/** What a call of a tool is answered with. */
interface ToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly structuredContent?: object;
  readonly isError: boolean;
}

/** Answers calls of tools by operations of the schema, as the routes of REST do. */
export class ToolAnswers {
  readonly #operations: ReadonlyMap<Operation, PreparedOperation>;

  /** @throws Error when an operation does not fit the schema: the service does not start */
  constructor(schema: GraphQLSchema) {
    const all = [...TOOLS.flatMap(({ operations }) => operations), COVERAGE];
    this.#operations = new Map(all.map((one) => [one, prepareOperation(schema, one)]));
  }

  /** A refusal is a result too, so that the assistant can correct itself. @throws what is no DomainError */
  async answer(tool: Tool, given: Values, call: Call): Promise<ToolResult> {
    try {
      const answer = wellFormed(await this.#answer(tool, given, call));
      return { ...textOf(answer), structuredContent: answer, isError: false };
    } catch (thrown) {
      const error = toDomainError(thrown);
      if (error.code === 'internal_error') throw thrown;
      const { code, message, problems, retryAfterSeconds } = error;
      return { ...textOf(wellFormed({ code, message, problems, retryAfterSeconds })), isError: true };
    }
  }

  async #answer(tool: Tool, given: Values, call: Call): Promise<object> {
    this.#prepared(tool.operations[0]).authorize(call, given);
    const values = parseParameters(tool.takes, given);
    const ask = (operation: Operation, variables: Values) => this.#prepared(operation).run(variables, call);
    const found = await tool.answer(values, ask);
    if (found === null) throw new DomainError('not_found', { public: 'There is no such event.' });
    const { filter, startTime, endTime } = values as Readonly<Record<string, string | undefined>>;
    const coverage = tool.isAboutEvents ? await ask(COVERAGE, { filter, startTime, endTime }) : null;
    return {
      asked: understood(tool, values),
      ...found,
      ...(coverage === null ? {} : completeness(coverage as Coverage)),
    };
  }

  #prepared(operation: Operation): PreparedOperation {
    const found = this.#operations.get(operation);
    if (!found) throw new Error(`${operation.operationId} is no operation of a tool`);
    return found;
  }
}

const textOf = (value: object) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] as const });

/** The arguments that differ from their defaults, with the filter as it was parsed. */
function understood({ takes }: Tool, values: Values): object {
  const told = Object.entries(values).filter(([name, value]) => {
    const spec = takes[name];
    return value !== undefined && !(spec && 'default' in spec && spec.default === value);
  });
  const parsed = typeof values.filter === 'string' ? parseFilter(values.filter) : null;
  return {
    ...Object.fromEntries(told),
    ...(parsed && 'expression' in parsed && { filter: printed(parsed.expression) }),
  };
}

interface Coverage {
  readonly gapCount: number;
  readonly sources: readonly {
    readonly completeThrough: string | null;
    readonly hasProblem: boolean;
    readonly retiredAt: string | null;
    readonly standbySince: string | null;
  }[];
  readonly sourceCount: number;
}

/**
 * Sources with a problem come first, then those that were up to date longest ago, so the first tell of all. One whose
 * server is gone, or whose folder another host has, lacks nothing.
 */
export function completeness({ gapCount, sources, sourceCount }: Coverage) {
  const inUse = sources.filter(({ retiredAt, standbySince }) => retiredAt === null && standbySince === null);
  const times = inUse.map(({ completeThrough }) => completeThrough);
  const isKnown = inUse.length > 0 && !times.includes(null);
  const reachesAll = sources.length >= sourceCount || inUse.some(({ hasProblem }) => !hasProblem);
  const [first = null] = [...times].sort();
  return { completeThrough: isKnown && reachesAll ? first : null, gaps: gapCount };
}
