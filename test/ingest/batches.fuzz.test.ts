import fc from 'fast-check';
import { INGEST_FIELDS } from '../../src/event/fields';
import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { expectDocumentedErrors } from '../support/fuzz/answers';
import { hostileText, hostileValue } from '../support/fuzz/hostile';
import { forEach, KeepAlive } from '../support/fuzz/keep-alive';
import { casesOf, SEED } from '../support/share';
import { useWorld } from '../support/use-world';
import { INGEST } from '../support/world';

const REQUESTS = casesOf(__filename);
jest.setTimeout(300_000);

/** An event of which some fields are replaced, left out or added. */
const event: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null).map(() => anEvent()) },
  {
    weight: 6,
    arbitrary: fc
      .array(
        fc.tuple(
          fc.constantFrom(
            ...INGEST_FIELDS,
            'file',
            'fileGuid',
            'blockOffset',
            'index',
            'parts',
            'additional',
            'x',
            '__proto__',
          ),
          hostileValue,
        ),
        { minLength: 1, maxLength: 3 },
      )
      .map((changes) => ({ ...anEvent(), ...Object.fromEntries(changes) })),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        statement: hostileText,
        objectName: hostileText,
        additional: fc.dictionary(hostileText, hostileValue, { maxKeys: 3 }),
      })
      .map((texts) => ({ ...anEvent(), ...texts })),
  },
  { weight: 1, arbitrary: hostileValue },
);

interface Sent {
  readonly body: string;
  /** The number of events of a well-formed batch; null: the batch is not well-formed. */
  readonly events: number | null;
}
const asRequest = (batch: unknown) => JSON.stringify({ query: INGEST, variables: { batch } });
const request: fc.Arbitrary<Sent> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .array(event, { maxLength: 4 })
      .map((events) => ({ body: asRequest({ events }), events: events.length })),
  },
  {
    weight: 1,
    arbitrary: fc
      .dictionary(fc.constantFrom('events', 'tenantId', 'x'), hostileValue)
      .map((batch) => ({ body: asRequest(batch), events: null })),
  },
  { weight: 1, arbitrary: hostileValue.map((batch) => ({ body: asRequest(batch), events: null })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(event, { maxLength: 2 }), fc.nat(400))
      .map(([events, at]) => ({ body: asRequest({ events }).slice(0, at), events: null })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ query: hostileValue, variables: hostileValue, operationName: hostileValue })
      .map((any) => ({ body: JSON.stringify(any), events: null })),
  },
);

describe('anything sent to the ingest mutation', () => {
  const at = useWorld(ANY_ENGINE);

  it('is answered with a receipt that accounts for every event, or with a documented refusal, and accepted events are stored', async () => {
    const { world } = at;
    const acme = await world.tenant();
    const client = new KeepAlive(world.service.url);
    let [accepted, refused] = [0, 0];
    await forEach(fc.sample(request, { numRuns: REQUESTS, seed: SEED }), async ({ body, events }) => {
      const headers = { 'Content-Type': 'application/json', 'X-Api-Key': acme.agentKey };
      const answer = await client.send({ method: 'POST', path: '/graphql', headers, body });
      expectDocumentedErrors(answer);
      const receipt = answer.body?.data?.ingestAuditEvents;
      if (!receipt) refused++;
      if (events === null && !receipt) return;
      const accounted = receipt && receipt.accepted + receipt.duplicates + receipt.rejected.length;
      if (events !== null && accounted !== events) throw new Error(`${events} events: ${answer.text}`);
      accepted += receipt.accepted;
    });
    client.close();
    expect(accepted).toBeGreaterThan(REQUESTS / 2);
    expect(refused).toBeGreaterThan(REQUESTS / 20);
    expect((await acme.get('/audit-activity')).body.meta.totalCount).toBe(accepted);
    expect((await world.fetch('/health')).text).toBe('Healthy');
    expect(world.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });
});
