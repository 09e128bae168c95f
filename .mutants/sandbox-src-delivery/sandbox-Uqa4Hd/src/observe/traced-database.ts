import type { AskRows, Database, OwnerDb, RunSteps, ServiceDb } from '../database/clients';
import type { Tracing } from './tracing';

const SYSTEM = { 'db.system.name': 'postgresql' } as const;
/** Limit of a statement's text. The text does not contain the values. */
const TEXT_CHARS_MAX = 4_096;

/**
 * A database that makes a span of each statement of a request. Background tasks belong to no request and have no spans.
 */
export const tracedDatabase = (database: Database, tracing: Tracing): Database => ({
  ...database,
  run: (text, ...rest) => spanOf(tracing, text, () => database.run(text, ...rest)),
  steps: tracedSteps(database.steps, tracing),
  snapshot: tracedSteps(database.snapshot, tracing),
  ask: tracedAsk(database.ask, tracing),
  prisma: tracedPrisma(database.prisma, tracing),
});

/** Traces only the steps of a transaction. */
const tracedSteps =
  (steps: RunSteps, tracing: Tracing): RunSteps =>
  (tenants, work) =>
    steps(tenants, (step) => work((text, values) => spanOf(tracing, text, () => step(text, values))));

/** Traces only hot reads. */
export const tracedAsk =
  (ask: AskRows, tracing: Tracing): AskRows =>
  (statement, ...rest) =>
    spanOf(tracing, statement.text, () => ask(statement, ...rest));

const spanOf = <T>(tracing: Tracing, text: string, work: () => Promise<T>) =>
  tracing.span(nameOf(text), { ...SYSTEM, 'db.query.text': text.slice(0, TEXT_CHARS_MAX) }, work);

const nameOf = (text: string) => /\w+/.exec(text)?.[0].toUpperCase() ?? 'SQL';

function tracedPrisma<Door extends ServiceDb | OwnerDb>(prisma: Door, tracing: Tracing): Door {
  const traced = prisma.$extends({
    query: {
      $allOperations: ({ model, operation, args, query }) =>
        tracing.span(model ? `${model}.${operation}` : operation, SYSTEM, () => query(args)),
    },
  });
  // The returned client works like the given one. Its type leaves out what extensions could have changed.
  return traced as unknown as Door;
}
