import { PostgresSite } from '../ingest/crash/support/site';
import { Random } from '../simulation/support/random';
import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { casesOf, SEED } from '../support/share';
import { until } from '../support/until';
import { INGEST } from '../support/world';
import { itemsOf, Receiver } from './support/receiver';
import { BUCKET, LOGIN, ObjectStore } from './support/s3';

const KILLS = casesOf(__filename);
const BATCH = 60;
const CREATE = `mutation($tenantId: String!, $type: String!, $url: String!, $settings: JSON, $secrets: JSON) {
  createDestination(tenantId: $tenantId, name: "test", type: $type, url: $url, from: "beginning", settings: $settings,
  secrets: $secrets) { destinationId } }`;

describeOnPostgres('instances, receivers and PostgreSQL that are killed at any moment', () => {
  let site: PostgresSite;
  let receiver: Receiver;
  let store: ObjectStore;
  beforeAll(async () => {
    site = await PostgresSite.open({ DESTINATION_ALLOW_NETWORKS: '127.0.0.0/8' });
    [receiver, store] = [await Receiver.open(), await ObjectStore.open()];
  }, 300_000);
  afterAll(async () => {
    await site?.close();
    await receiver?.close();
    await store?.close();
  });

  it(`lose no event, and repeat an event only under its message id (TEST_SEED=${SEED})`, async () => {
    const random = new Random(SEED);
    const [first] = site.services as [(typeof site.services)[number]];
    const { operatorKey } = await first.running;
    /** Asks any instance, again until one answers. */
    const ask = async <T>(key: string, query: string, variables: object): Promise<T> => {
      const answer = await until(
        async () =>
          (await random.pick(site.services).running).graphql<T>(key, query, variables).catch(String),
        (value) => typeof value !== 'string',
        60_000,
      );
      return answer as T;
    };
    const { createTenant } = await ask<{ createTenant: { tenantId: string } }>(
      operatorKey,
      'mutation { createTenant(name: "test") { tenantId } }',
      {},
    );
    const { tenantId } = createTenant;
    const { createAgentKey } = await ask<{ createAgentKey: { key: string } }>(
      operatorKey,
      'mutation($tenantId: String!) { createAgentKey(name: "test", tenantId: $tenantId) { key } }',
      { tenantId },
    );
    await ask(operatorKey, CREATE, { tenantId, type: 'webhook', url: receiver.url });
    const s3 = { settings: { bucket: BUCKET }, secrets: LOGIN };
    await ask(operatorKey, CREATE, { tenantId, type: 's3', url: store.url, ...s3 });

    const sent: string[] = [];
    const send = async () => {
      const events = Array.from({ length: BATCH }, (_, i) =>
        anEvent({ statement: `SELECT ${sent.length + i}` }),
      );
      await ask(createAgentKey.key, INGEST, { batch: { events } });
      for (const { statement } of events) sent.push(statement ?? '');
    };
    const past = receiver.requests;
    // The receiver takes a tenth of the requests and breaks off the answer.
    const answers = () => (random.whole(0, 9) === 0 ? { isCut: true } : {});
    receiver.answers = answers;
    const kill = async () => {
      const what = random.whole(0, 4);
      if (what <= 1) return random.pick(site.services).kill();
      if (what === 2) return site.killPostgres();
      if (what === 3) {
        await store.stop();
        return store.startAgain();
      }
      const port = Number(new URL(receiver.url).port);
      await receiver.close();
      receiver = await Receiver.open(port);
      receiver.answers = answers;
      return undefined;
    };
    const all: typeof past = [];
    const gather = () => all.push(...receiver.requests.splice(0));
    for (let n = 0; n < KILLS; n++) {
      const writing = send();
      await new Promise((done) => setTimeout(done, random.whole(0, 1_500)));
      gather();
      await kill();
      await writing;
    }
    await send();
    const delivered = () => {
      gather();
      return new Set(all.flatMap((request) => itemsOf(request).map(({ statement }) => statement))).size;
    };
    await until(delivered, (count) => count === sent.length, 120_000);
    const stored = async () => [...(await store.objects())].flatMap(([, lines]) => lines);
    await until(stored, ({ length }) => length >= sent.length, 120_000);

    const messages = new Map<string, Set<string>>();
    for (const request of all)
      for (const { position } of itemsOf(request))
        messages.set(
          position,
          (messages.get(position) ?? new Set()).add(String(request.headers['webhook-id'])),
        );
    expect([...messages.values()].filter((ids) => ids.size !== 1)).toEqual([]);
    const order = [...messages.keys()].map(Number);
    expect(order).toEqual([...Array(sent.length).keys()]);
    const positions = (await stored()).map(({ position }) => Number(position));
    expect(positions).toEqual([...Array(sent.length).keys()]);
  }, 1_200_000);
});
