import { type OwnerDoor, Prisma, type ServiceDoor, type ServiceSteps } from '../../src/database/clients';

type Models = ServiceDoor['models'];
type Call = (...args: unknown[]) => Promise<unknown>;

/** A door whose models record the text of every raw statement, also in transactions, and run it. */
export const recording = <Door extends ServiceDoor | OwnerDoor>(door: Door, texts: string[]): Door => ({
  ...door,
  models: recordingModels(door.models, texts),
});

/** A door for requests that records the text of every statement and runs it. */
export function recordingService(door: ServiceDoor, texts: string[]): ServiceDoor {
  const recordingSteps =
    (steps: ServiceSteps): ServiceSteps =>
    (tenants, work) =>
      steps(tenants, (step) =>
        work((text, values) => {
          texts.push(text);
          return step(text, values);
        }),
      );
  return {
    ...recording(door, texts),
    ask: (statement, ...rest) => {
      texts.push(statement.text);
      return door.ask(statement, ...rest);
    },
    run: (text, ...rest) => {
      texts.push(text);
      return door.run(text, ...rest);
    },
    steps: recordingSteps(door.steps),
    snapshot: recordingSteps(door.snapshot),
  };
}

function recordingModels(models: Models, texts: string[]): Models {
  return new Proxy(models, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as Call;
      if (name === '$transaction')
        return (work: (tx: Models) => unknown, options: unknown) =>
          call((tx: Models) => work(recordingModels(tx, texts)), options);
      if (!String(name).match(/^\$(query|execute)Raw/)) return call;
      return (...args: unknown[]) => {
        texts.push(textOf(args));
        return call(...args);
      };
    },
  });
}

/** The owner's door, whose steps pass each statement and its rows to `see`. */
export const seeingSteps = (
  owner: OwnerDoor,
  see: (text: string, rows: readonly object[]) => void,
): OwnerDoor => ({
  ...owner,
  steps: (work) =>
    owner.steps((step) =>
      work(async <R extends object>(text: string, values: readonly unknown[]) => {
        const rows = await step<R>(text, values);
        see(text, rows);
        return rows;
      }),
    ),
});

function textOf([first, ...values]: unknown[]): string {
  if (typeof first === 'string') return first;
  // The argument is a template's strings, or a ready statement.
  const statement = Array.isArray(first)
    ? Prisma.sql(first as unknown as TemplateStringsArray, ...values)
    : (first as Prisma.Sql);
  return statement.text;
}
