import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { atTheSameTime } from './support/at-the-same-time';
import { change, createDestination, LOCAL, shown, untilShown } from './support/destinations';
import { itemsOf, type Received, type Receiver } from './support/receiver';

const POISON = 'POISON';
const hasPoison = (request: Received) => itemsOf(request).some(({ statement }) => statement === POISON);
const REFUSE = [400, 413, 422];

describe.each(ENGINES.slice(-1))('a receiver on %s that refuses', (engine) => {
  const use = useWorld(engine, LOCAL);

  const accepted = (receiver: Receiver, at = '/') =>
    receiver.requests
      .filter((request) => request.path === at && !hasPoison(request))
      .flatMap(itemsOf)
      .map(({ position }) => Number(position));
  const setAside = async (destinationId: string) =>
    (
      await use.world.operate(
        `{ destinationSetAside(destinationId: "${destinationId}") { position recordId message } }`,
      )
    ).destinationSetAside;
  /** Ingests an event for each statement, and makes a destination that sends them. */
  async function sending(receiver: Receiver, statements: readonly string[], path = '/') {
    const tenant = await use.world.tenant();
    const events = statements.map((statement) => anEvent({ statement }));
    // Sends the batch until it is accepted, as an agent does: the tests of this file send at the same time.
    await until(() => tenant.ingest(events).catch(() => null), Boolean, 60_000);
    const { destinationId } = await createDestination(use.world, {
      tenantId: tenant.tenantId,
      url: receiver.url + path,
    });
    return { tenant, destinationId };
  }

  atTheSameTime((test) => {
    test('some events has those set aside, and gets every other event once', async (receiver) => {
      receiver.answers = (request) =>
        hasPoison(request) ? { status: Number(request.path.slice(1)), body: 'bad event' } : {};
      const statements = Array.from({ length: 40 }, (_, i) =>
        [7, 20, 21, 39].includes(i) ? POISON : `SELECT ${i}`,
      );
      const each = REFUSE.map(async (status) => {
        const { destinationId } = await sending(receiver, statements, `/${status}`);
        await untilShown(use.world, destinationId, (one) => one.lagEvents === 0 && one.setAside === 4);
        const taken = accepted(receiver, `/${status}`);
        expect(taken).toEqual(statements.flatMap((text, i) => (text === POISON ? [] : [i])));
        expect(await setAside(destinationId)).toMatchObject(
          [39, 21, 20, 7].map((position) => ({
            position: String(position),
            message: `HTTP ${status}: bad event`,
          })),
        );
        expect(await shown(use.world, destinationId)).toMatchObject({ delivered: 36, state: 'active' });
      });
      await Promise.all(each);
    });

    test('the first event has it set aside after it accepts the next one', async (receiver) => {
      receiver.answers = (request) => (hasPoison(request) ? { status: 422 } : {});
      const { destinationId } = await sending(receiver, [POISON, 'SELECT 1']);
      await untilShown(use.world, destinationId, (one) => one.setAside === 1);
      expect(accepted(receiver)).toEqual([1]);
    });

    test('every event has nothing set aside, and gets all events once it accepts them', async (receiver) => {
      receiver.answers = () => ({ status: 400 });
      const statements = Array.from({ length: 10 }, (_, i) => `SELECT ${i}`);
      const { destinationId } = await sending(receiver, statements);
      await untilShown(use.world, destinationId, ({ attempts }) => attempts > 1);
      expect(await shown(use.world, destinationId)).toMatchObject({
        setAside: 0,
        position: '0',
        state: 'failing',
      });
      receiver.requests.length = 0;
      receiver.answers = () => ({});
      await change(use.world, 'resumeDestination', destinationId);
      await untilShown(use.world, destinationId, ({ delivered }) => delivered === 10);
      expect(accepted(receiver)).toEqual([...statements.keys()]);
    });

    test('the only event has nothing set aside until another event is accepted', async (receiver) => {
      receiver.answers = (request) => (hasPoison(request) ? { status: 400 } : {});
      const { tenant, destinationId } = await sending(receiver, [POISON]);
      await untilShown(use.world, destinationId, ({ attempts }) => attempts > 0);
      expect(await setAside(destinationId)).toEqual([]);
      await tenant.audited({ statement: 'SELECT 1' });
      await untilShown(use.world, destinationId, (one) => one.setAside === 1 && one.delivered === 1, 30_000);
    });

    test('a request with any other status gets it again, and operators see the error', async (receiver) => {
      const asked = new Map<string, number>();
      receiver.answers = ({ path }) => {
        asked.set(path, (asked.get(path) ?? 0) + 1);
        const status = Number(path.slice(1));
        return asked.get(path) === 1 ? { status, headers: { 'Retry-After': '1', Location: '/' } } : {};
      };
      const statuses = [301, 401, 403, 404, 429, 500, 503];
      const each = statuses.map(async (status) => {
        const { destinationId } = await sending(receiver, ['SELECT 1'], `/${status}`);
        await untilShown(use.world, destinationId, ({ delivered }) => delivered === 1);
        const one = await shown(use.world, destinationId);
        expect(one).toMatchObject({ setAside: 0, failures: 1 });
        expect(one.lastError).toContain(`HTTP ${status}`);
        expect(asked.get(`/${status}`)).toBe(2);
      });
      await Promise.all(each);
    });
  });
});
