import type { ServiceDoor, ServiceSteps } from '../database/clients';
import type { Tracing } from './tracing';

const SYSTEM = { 'db.system.name': 'postgresql' } as const;
/** Limit of a statement's text. The text does not contain the values. */
const TEXT_CHARS_MAX = 4_096;

/** A door for requests that makes a span of each statement. Background tasks belong to no request and have no spans. */
export const tracedDoor = (service: ServiceDoor, tracing: Tracing): ServiceDoor => ({
  ...service,
  ask: (statement, ...rest) => spanOf(tracing, statement.text, () => service.ask(statement, ...rest)),
  run: (text, ...rest) => spanOf(tracing, text, () => service.run(text, ...rest)),
  steps: tracedSteps(service.steps, tracing),
  snapshot: tracedSteps(service.snapshot, tracing),
  models: tracedModels(service.models, tracing),
});

/** Traces only the steps of a transaction. */
const tracedSteps =
  (steps: ServiceSteps, tracing: Tracing): ServiceSteps =>
  (tenants, work) =>
    steps(tenants, (step) => work((text, values) => spanOf(tracing, text, () => step(text, values))));

const spanOf = <T>(tracing: Tracing, text: string, work: () => Promise<T>) =>
  tracing.span(nameOf(text), { ...SYSTEM, 'db.query.text': text.slice(0, TEXT_CHARS_MAX) }, work);

const nameOf = (text: string) => /\w+/.exec(text)?.[0].toUpperCase() ?? 'SQL';

function tracedModels(models: ServiceDoor['models'], tracing: Tracing): ServiceDoor['models'] {
  const traced = models.$extends({
    query: {
      $allOperations: ({ model, operation, args, query }) =>
        tracing.span(model ? `${model}.${operation}` : operation, SYSTEM, () => query(args)),
    },
  });
  // The returned client works like the given one. Its type leaves out what extensions could have changed.
  return traced as unknown as ServiceDoor['models'];
}
