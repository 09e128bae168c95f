import { GraphQLError } from 'graphql';
import type { AcceptCall } from '../../src/caller/call';
import { DomainError, ERRORS } from '../../src/errors';
import type { AuditEventReader } from '../../src/store/rows/audit-event-reader';
import { anEvent } from '../support/events';
import { AGENT, openFakeService } from '../support/fake-service';
import { INGEST } from '../support/world';

const SECRET = 'geheim-4711';
const UUID = '00000000-0000-8000-8000-000000000000';

const readerOf = (answer: () => unknown): AuditEventReader => ({
  page: async () => answer() as never,
  find: async () => answer() as never,
  summary: async () => answer() as never,
});
const fail = (thrown: unknown) => () => {
  throw thrown;
};

const FAILURES: [string, () => unknown][] = [
  ['an error', fail(new Error(`connect to ${SECRET}@10.0.0.5`))],
  ['an error of a driver', fail(Object.assign(new Error(SECRET), { code: '42P01', detail: SECRET }))],
  ['an error with causes', fail(new Error('outer', { cause: new Error(SECRET) }))],
  [
    'an error of GraphQL itself',
    fail(new GraphQLError(SECRET, { extensions: { code: SECRET, secret: SECRET } })),
  ],
  [
    'an error that wants a status',
    fail(Object.assign(new Error(SECRET), { status: 418, expose: true, type: SECRET })),
  ],
  ['a text', fail(SECRET)],
  ['nothing', fail(undefined)],
  ['an object', fail({ message: SECRET, code: SECRET })],
  [
    'a refusal with details for the log',
    fail(new DomainError('internal_error', { public: 'x', internal: { SECRET }, cause: SECRET })),
  ],
  [
    'a value of a wrong type',
    () => ({ ...anEvent(), recordId: { SECRET }, totalCount: SECRET, items: SECRET }),
  ],
  ['a missing value', () => ({ hidden: SECRET })],
];
const REST = ['/audit-activity', `/audit-activity/${UUID}`, '/audit-activity/summary'];
const GRAPHQL = [
  '{ auditEvents { totalCount items { recordId } } }',
  `{ auditEvent(recordId: "${UUID}") { recordId eventTime } }`,
  '{ auditSummary { totalCount failedCount } }',
];

/** Fails if a text reveals how the service is made: messages, file names, stack traces. */
function expectNothingRevealed(text: string) {
  expect(text).not.toContain(SECRET);
  expect(text).not.toMatch(/node_modules|\.[jt]s:\d|\bat \w|stack|10\.0\.0\.5|Prisma|GraphQLError/i);
}

describe('an unexpected failure', () => {
  it.each(FAILURES)('%s is an internal_error on REST, and reveals nothing', async (_, answer) => {
    const service = await openFakeService({ reader: readerOf(answer) });
    for (const path of REST) {
      const response = await service.rest(path);
      const text = await response.text();
      expect([response.status, JSON.parse(text).error?.code]).toEqual([500, 'internal_error']);
      expectNothingRevealed(text + JSON.stringify([...response.headers]));
    }
    await service.close();
  });

  it.each(FAILURES)('%s is an internal_error on GraphQL, and reveals nothing', async (_, answer) => {
    const service = await openFakeService({ reader: readerOf(answer) });
    for (const document of GRAPHQL) {
      const response = await service.graphql(document);
      const text = await response.text();
      const { errors } = JSON.parse(text);
      expect(errors.map((error: GraphQLError) => error.extensions)).toEqual([{ code: 'internal_error' }]);
      expectNothingRevealed(text + JSON.stringify([...response.headers]));
    }
    await service.close();
  });

  it('is logged with its cause and the request id, for both entrances', async () => {
    const service = await openFakeService({ reader: readerOf(fail(new Error(SECRET))) });
    const answers = [
      await service.rest('/audit-activity'),
      await service.graphql('{ auditSummary { totalCount } }'),
    ];
    for (const { headers } of answers) {
      const lines = service.logLines.filter((line) => line.includes(headers.get('X-Request-Id') ?? '?'));
      expect(lines.some((line) => line.includes(SECRET))).toBe(true);
    }
    await service.close();
  });

  it.each(FAILURES.slice(0, 8))('%s during authentication reveals nothing either', async (_, answer) => {
    const acceptCall: AcceptCall = async () => answer() as never;
    const service = await openFakeService({ acceptCall });
    const rest = await service.rest('/audit-activity');
    const graphql = await service.graphql('{ tenants { name } }');
    const [restText, graphqlText] = [await rest.text(), await graphql.text()];
    expect([rest.status, JSON.parse(restText).error.code]).toEqual([500, 'internal_error']);
    expect([graphql.status, JSON.parse(graphqlText).errors[0].extensions.code]).toEqual([
      500,
      'internal_error',
    ]);
    expectNothingRevealed(restText + graphqlText);
    await service.close();
  });

  it('during the storing of a batch gives no receipt, and reveals nothing', async () => {
    const writer = { open: () => ({ add: () => {}, store: fail(new Error(SECRET)) as never }) };
    const service = await openFakeService({ writer, principal: AGENT });
    const text = await (await service.graphql(INGEST, { batch: { events: [anEvent()] } })).text();
    expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { code: 'internal_error' } }] });
    expect(JSON.parse(text).data ?? null).toBeNull();
    expectNothingRevealed(text);
    await service.close();
  });
});

it.each(Object.keys(ERRORS) as (keyof typeof ERRORS)[])(
  'an expected refusal keeps its code at both entrances: %s',
  async (code) => {
    const service = await openFakeService({
      reader: readerOf(
        fail(new DomainError(code, { public: 'What the client may know.', internal: { SECRET } })),
      ),
    });
    const rest = await service.rest('/audit-activity');
    const graphql = await service.graphql('{ auditSummary { totalCount } }');
    const [restText, graphqlText] = [await rest.text(), await graphql.text()];
    expect(rest.status).toBe(ERRORS[code].status);
    expect(JSON.parse(restText).error).toMatchObject({ code, message: 'What the client may know.' });
    expect(JSON.parse(graphqlText).errors).toMatchObject([
      { message: 'What the client may know.', extensions: { code } },
    ]);
    expectNothingRevealed(restText + graphqlText);
    await service.close();
  },
);
