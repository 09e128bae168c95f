import type { AskRows, Database, OwnerDb, RunSteps, ServiceDb } from '../database/clients';
import type { Tracing } from './tracing';

const SYSTEM = { 'db.system.name': 'postgresql' } as const;
/** Of a statement: its values are no part of it. */
const TEXT_CHARS_MAX = 4_096;

/** A database whose statements for requests are spans; work in the background belongs to no request. */
export const tracedDatabase = (database: Database, tracing: Tracing): Database => ({
  ...database,
  run: (text, ...rest) => spanOf(tracing, text, () => database.run(text, ...rest)),
  steps: tracedSteps(database.steps, tracing),
  snapshot: tracedSteps(database.snapshot, tracing),
  ask: tracedAsk(database.ask, tracing),
  prisma: tracedPrisma(database.prisma, tracing),
});

/** The same for steps of a transaction alone. */
const tracedSteps =
  (steps: RunSteps, tracing: Tracing): RunSteps =>
  (tenants, work) =>
    steps(tenants, (step) => work((text, values) => spanOf(tracing, text, () => step(text, values))));

/** The same for hot reads alone. */
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
  // The same client to whoever uses it; the type leaves out what extensions could have changed.
  return traced as unknown as Door;
}
