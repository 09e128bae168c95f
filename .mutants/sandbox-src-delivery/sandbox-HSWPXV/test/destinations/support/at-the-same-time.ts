import { Receiver } from './receiver';

type Body = (receiver: Receiver) => Promise<void>;

/**
 * Defines tests that run at the same time, each with its own receiver, because each waits for rounds of background
 * tasks.
 * Call this after the `beforeAll` that opens what the tests need.
 */
export function atTheSameTime(declare: (test: (name: string, body: Body) => void) => void): void {
  const bodies: Body[] = [];
  let outcomes: Promise<unknown>[] = [];
  beforeAll(() => {
    outcomes = bodies.map((body) => withReceiver(body).catch((error: unknown) => ({ error })));
  });
  declare((name, body) => {
    const index = bodies.push(body) - 1;
    it(name, async () => {
      const outcome = (await outcomes[index]) as { readonly error: unknown } | undefined;
      if (outcome) throw outcome.error;
    });
  });
}

async function withReceiver(body: Body): Promise<void> {
  const receiver = await Receiver.open();
  try {
    await body(receiver);
  } finally {
    await receiver.close();
  }
}
