import {
  type Database,
  type OwnerDb,
  Prisma,
  type RunOwnerSteps,
  type ServiceDb,
} from '../../src/database/clients';

type Call = (...args: unknown[]) => Promise<unknown>;

/** A client that records the text of every raw statement, also in transactions, and runs it. */
export function recording<Door extends ServiceDb | OwnerDb>(prisma: Door, texts: string[]): Door {
  return new Proxy(prisma, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as Call;
      if (name === '$transaction')
        return (work: (tx: Door) => unknown, options: unknown) =>
          call((tx: Door) => work(recording(tx, texts)), options);
      if (!String(name).match(/^\$(query|execute)Raw/)) return call;
      return (...args: unknown[]) => {
        texts.push(textOf(args));
        return call(...args);
      };
    },
  });
}

/** `ownerSteps` of a database, which passes each statement and its rows to `see`. */
export const seeingSteps =
  ({ ownerSteps }: Pick<Database, 'ownerSteps'>, see: (text: string, rows: unknown) => void): RunOwnerSteps =>
  (work) =>
    ownerSteps((step) =>
      work(async (text, values) => {
        const rows = await step(text, values);
        see(text, rows);
        return rows;
      }),
    );

function textOf([first, ...values]: unknown[]): string {
  if (typeof first === 'string') return first;
  // The argument is a template's strings, or a ready statement.
  const statement = Array.isArray(first)
    ? Prisma.sql(first as unknown as TemplateStringsArray, ...values)
    : (first as Prisma.Sql);
  return statement.text;
}
