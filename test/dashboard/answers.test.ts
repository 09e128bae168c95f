import { buildSchema, type GraphQLError, parse, validate } from 'graphql';
import { CombinedError, gql } from 'urql';
import { askFor } from '../../dashboard/src/api/ask';
import { isSoon } from '../../dashboard/src/api/ask-again';
import { createClient } from '../../dashboard/src/api/client';
import { describeError, problemsByField, ServiceError } from '../../dashboard/src/api/errors';
import { hasScope, mayWork } from '../../dashboard/src/api/rights';
import { loadSession } from '../../dashboard/src/api/session';
import { ERRORS } from '../../dashboard/src/api/texts';
import { sharedWith } from '../../dashboard/src/lib/shared-with';
import { entriesOf } from '../../dashboard/src/operate/entries-of';
import { type Entry, whoOf } from '../../dashboard/src/operate/rows';
import { outcomeOf, verifyLog } from '../../dashboard/src/operate/verify-steps';
import { exceptionsOf, linesOf } from '../../dashboard/src/rules/exceptions';
import { problemsOf } from '../../dashboard/src/rules/import-problems';
import { RULES } from '../../dashboard/src/rules/texts';
import { LIMITS } from '../../src/limits';
import { sourcesOf } from '../support/imports';

const refusal = (code: string | undefined, requestId?: string, response?: Response) =>
  new CombinedError({
    graphQLErrors: [{ message: 'Refused.', extensions: { code, requestId } }],
    ...(response ? { response } : {}),
  });

describe('what the page shows of a failure', () => {
  it('is the service’s own text, with what to do and the request to name', () => {
    expect(describeError(refusal('rate_limited', 'r-1'), ERRORS)).toEqual({
      code: 'rate_limited',
      text: 'Refused.',
      requestId: 'r-1',
      hint: 'Wait that long, then try again.',
      isOfService: true,
    });
    const response = new Response(null, { headers: { 'X-Request-Id': 'r-2' } });
    expect(describeError(refusal('invalid_parameter', undefined, response), ERRORS)).toEqual({
      code: 'invalid_parameter',
      text: 'Refused.',
      requestId: 'r-2',
      hint: undefined,
      isOfService: true,
    });
    expect(describeError(refusal(undefined), ERRORS)).toMatchObject({
      code: 'internal_error',
      requestId: null,
    });
    expect(describeError(new ServiceError('forbidden', 'No.', 'r-3'), ERRORS)).toMatchObject({
      code: 'forbidden',
      text: 'No.',
      requestId: 'r-3',
      hint: 'Sign in with a key that may do this.',
    });
  });

  it('says that the page is of another version where the service does not know what it asks for', () => {
    const misfit = buildSchema('type Query { count(of: Int): Int }');
    const unknown = ['{ rows }', '{ count(by: 1) }', 'query($of: Span) { count(of: $of) }'];
    for (const text of unknown) {
      const [{ message }] = validate(misfit, parse(text)) as [GraphQLError];
      const error = { message, extensions: { code: 'invalid_parameter' } };
      expect(describeError(new CombinedError({ graphQLErrors: [error] }), ERRORS)).toMatchObject({
        code: 'other_version',
        text: 'The service has another version than this page.',
        isOfService: false,
      });
    }
  });

  it('has the first problem of each field, for the form', () => {
    const problems = [
      { field: 'timespan', message: 'timespan must be a span' },
      { field: null, message: 'there is too much' },
      { field: 'timespan', message: 'timespan is odd' },
    ];
    const error = { message: 'Refused.', extensions: { code: 'invalid_parameter', problems } };
    expect(problemsByField(new CombinedError({ graphQLErrors: [error] }))).toEqual({
      timespan: 'timespan must be a span',
      '': 'there is too much',
    });
    for (const other of [null, new Error('x'), refusal('internal_error')])
      expect(problemsByField(other)).toEqual({});
  });

  it('says that the service cannot be reached, or what the page says itself, without a request to quote', () => {
    const lost = new CombinedError({ networkError: new Error('Failed to fetch') });
    expect(describeError(lost, ERRORS)).toMatchObject({
      code: 'offline',
      text: 'The service cannot be reached.',
    });
    expect(describeError(new Error('Type the exact name.'), ERRORS)).toEqual({
      code: 'of_page',
      text: 'Type the exact name.',
      hint: undefined,
      requestId: null,
      isOfService: false,
    });
  });

  it('is asked again by itself only where the service says so, and soon', () => {
    const refused = (status: number, seconds?: string) =>
      isSoon({
        response: new Response(null, { status, headers: seconds ? { 'Retry-After': seconds } : {} }),
      });
    expect([
      refused(503, '1'),
      refused(503, '2'),
      refused(503, '3'),
      refused(503),
      refused(429, '1'),
    ]).toEqual([...[true, true, false, false, false]]);
    expect(isSoon({ response: undefined })).toBe(false);
  });
});

describe('an answer that the page shows', () => {
  it('comes from the service each time, also for a question that was asked before', async () => {
    let calls = 0;
    const answer = () => Response.json({ data: { version: `v${++calls}` } });
    const ask = jest.spyOn(globalThis, 'fetch').mockImplementation(async () => answer());
    try {
      const client = createClient(() => undefined);
      const version = async () => (await client.query(gql`{ version }`, {}).toPromise()).data?.version;
      expect([await version(), await version()]).toEqual(['v1', 'v2']);
    } finally {
      ask.mockRestore();
    }
  });

  it('is not taken from a cache by the choice of one question', () => {
    const naming = sourcesOf('dashboard/src').filter(({ text }) => text.includes('requestPolicy'));
    expect(naming.map(({ file }) => file)).toEqual(['dashboard/src/api/client.ts']);
  });
});

describe('the rights of a session', () => {
  const session = (kind: 'public' | 'operator', ...scopes: string[]) => ({
    kind,
    scopes,
    name: 'x',
    tenants: [],
    expiresAt: '',
  });

  it('are its scopes; operators may work on rules without any', () => {
    expect(hasScope(session('public', 'read:alerts'), 'read:alerts')).toBe(true);
    expect(hasScope(session('operator'), 'read:alerts')).toBe(false);
    expect(mayWork(session('public', 'read:alerts'))).toBe(false);
    expect(mayWork(session('public', 'work:alerts'))).toBe(true);
    expect(mayWork(session('operator'))).toBe(true);
  });
});

/** A client that gives these answers one after the other, and notes what it was asked. */
function clientOf(...answers: object[]) {
  const asked: object[] = [];
  const query = (_document: unknown, variables: object) => {
    asked.push(variables);
    return { toPromise: async () => ({ data: answers.shift() }) };
  };
  return { client: { query } as never, asked };
}
const { signal } = new AbortController();

describe('the access log as a file', () => {
  it('has every page of the entries, from the newest on', async () => {
    const page = (ids: string[], endCursor: string | null) => ({
      accessLog: { entries: ids.map((entryId) => ({ entryId })), endCursor, hasNextPage: endCursor !== null },
    });
    const { client, asked } = clientOf(page(['3', '2'], 'c1'), page(['1'], null), page(['0'], null));
    const found: string[] = [];
    for await (const entries of entriesOf(client, { tenantId: '7' }, signal))
      found.push(...entries.map(({ entryId }) => entryId));
    expect(found).toEqual(['3', '2', '1']);
    const first = LIMITS.accessLogPageMax;
    expect(asked).toEqual([
      { tenantId: '7', after: null, first },
      { tenantId: '7', after: 'c1', first },
    ]);
  });
});

describe('who made an entry of the access log', () => {
  it.each([
    ['the person and the key of a session', 'ada', 'k1', 'ada · k1'],
    ['the key alone', null, 'k1', 'k1'],
    ['the person and the kind, without a key', 'ada', null, 'ada · operator'],
    ['the kind, where neither is known', null, null, 'operator'],
  ])('is %s', (_, userName, keyName, who) => {
    expect(whoOf({ principalKind: 'operator', userName, keyName } as Entry)).toBe(who);
  });
});

describe('a log that is verified in the page', () => {
  const step = (change: object) => ({
    auditLogCheck: {
      next: 10,
      signed: 10,
      unsigned: 0,
      sound: 0,
      removed: 0,
      removedByRetention: 0,
      wrong: 0,
      altered: [],
      missing: [],
      problems: [],
      ...change,
    },
  });

  it('is read step by step to its signed end, and everything found is added up', async () => {
    const { client, asked } = clientOf(
      step({ next: 4, sound: 3, wrong: 1, altered: ['a'], problems: ['p'], unsigned: 6 }),
      step({ next: 7, sound: 2, removed: 1, removedByRetention: 1, problems: ['p', 'q'] }),
      step({ next: 10, sound: 2, wrong: 1, missing: ['b'], removedByRetention: 1, unsigned: 5 }),
      step({ sound: 99 }),
    );
    const progress: number[] = [];
    const verdict = await verifyLog(client, '7', signal, ({ next }) => void progress.push(next));
    expect(asked).toEqual([0, 4, 7].map((start) => ({ tenantId: '7', start })));
    expect(progress).toEqual([4, 7]);
    expect(verdict).toEqual({
      next: 10,
      signed: 10,
      unsigned: 5,
      sound: 7,
      removed: 1,
      wrong: 2,
      problems: ['p', 'q'],
      excess: null,
      records: [
        { recordId: 'a', kind: 'altered' },
        { recordId: 'b', kind: 'missing' },
      ],
    });
  });

  it('names the first twenty records that are wrong, and counts all', async () => {
    const altered = Array.from({ length: 15 }, (_, i) => `r${i}`);
    const { client } = clientOf(step({ next: 5, wrong: 15, altered }), step({ wrong: 15, altered }));
    const verdict = await verifyLog(client, '7', signal, () => undefined);
    expect([verdict.wrong, verdict.records.length]).toEqual([30, 20]);
  });

  it('is in doubt where more is missing than retention removed', async () => {
    const removed = async (count: number) =>
      verifyLog(
        clientOf(step({ removed: count, removedByRetention: 2 })).client,
        '7',
        signal,
        () => undefined,
      );
    expect((await removed(2)).excess).toBeNull();
    expect((await removed(3)).excess).toEqual({ removed: 3, max: 2 });
  });

  it('is sound only if something was signed and nothing is wrong', () => {
    const NONE = {
      next: 0,
      removed: 0,
      sound: 0,
      records: [],
      signed: 0,
      unsigned: 0,
      wrong: 0,
      problems: [],
      excess: null,
    };
    const outcome = (change: object) => outcomeOf({ ...NONE, ...change });
    expect([
      outcome({ signed: 1, unsigned: 1 }),
      outcome({ signed: 1, problems: ['p'] }),
      outcome({ signed: 1, excess: { removed: 3, max: 2 } }),
      outcome({ signed: 1, wrong: 1, problems: ['p'] }),
      outcome({ unsigned: 1 }),
      outcome({}),
    ]).toEqual(['sound', 'in doubt', 'in doubt', 'changed', 'not signed', 'nothing']);
  });
});

describe('the exceptions of a rule', () => {
  it('are lines of the filter language, and the same again when they are read', () => {
    const exceptions = [{ serverPrincipalName: 'svc report', hostName: 'APP01' }, { objectName: 'a*' }];
    const lines = 'principalName:"svc report" AND hostName:APP01\nobjectName:"a*"';
    expect(linesOf(exceptions)).toBe(lines);
    expect(exceptionsOf(`\n ${lines.replace('\n', '\n\n')}  \n`, RULES)).toEqual(exceptions);
    expect(exceptionsOf('  \n', RULES)).toEqual([]);
    expect(linesOf([{ made_up: 'x' }])).toBe('made_up:x');
  });

  it.each([
    'word',
    'NOT hostName:a',
    'hostName:(a OR b)',
    'hostName:*',
    'hostName:a*',
    'hostName~a',
    'hostName:a OR x',
    '(',
  ])('are values of fields, and nothing else: %s', (line) => {
    expect(() => exceptionsOf(`hostName:ok\n\n${line}\nalso wrong`, RULES)).toThrow(
      /^Line 3, 4 of the exceptions: /,
    );
  });
});

describe('the problems of an imported rule', () => {
  it('stand beside their lines', () => {
    expect(problemsOf('Line 3: the field "a.b" is unknown. Line 12: expected a list.')).toEqual([
      { line: 3, reason: 'the field "a.b" is unknown' },
      { line: 12, reason: 'expected a list' },
    ]);
    expect(problemsOf('Line 1: a\nb.')).toEqual([{ line: 1, reason: 'a\nb' }]);
    expect(problemsOf('The rule is too long.')).toEqual([]);
  });
});

describe('work of many calls', () => {
  it('ends where the service refuses, or does not answer', async () => {
    const answers = [{ data: { ok: 1 } }, { error: refusal('forbidden') }, {}];
    const of = { query: () => ({ toPromise: async () => answers.shift() }) } as never;
    expect(await askFor(of, signal, {} as never, {})).toEqual({ ok: 1 });
    await expect(askFor(of, signal, {} as never, {})).rejects.toThrow('Refused.');
    await expect(askFor(of, signal, {} as never, {})).rejects.toMatchObject({ code: 'no_answer' });
  });
});

describe('the session of the cookie', () => {
  it('is none where the service says that nobody is signed in; any other failure is told', async () => {
    const ask = jest.spyOn(globalThis, 'fetch');
    try {
      const answer = (status: number, body: object) =>
        ask.mockResolvedValueOnce(new Response(JSON.stringify(body), { status }));
      answer(401, {});
      expect(await loadSession()).toBeNull();
      answer(200, { kind: 'operator' });
      expect(await loadSession()).toEqual({ kind: 'operator' });
      answer(503, { error: { code: 'service_unavailable', message: 'Later.' } });
      await expect(loadSession()).rejects.toMatchObject({ code: 'service_unavailable' });
    } finally {
      ask.mockRestore();
    }
  });
});

describe('an answer that comes again', () => {
  const before = { page: 1, items: [{ id: 'a', tags: ['x'] }, { id: 'b' }], note: { text: 'n' } };

  it('is the object that was there where nothing changed', () => {
    expect(sharedWith(before, structuredClone(before))).toBe(before);
  });

  it('keeps the parts that did not change, wherever they stand in a list', () => {
    const now = sharedWith(before, { page: 2, items: [{ id: 'b' }, { id: 'c' }], note: { text: 'n' } });
    expect(now).toEqual({ page: 2, items: [{ id: 'b' }, { id: 'c' }], note: { text: 'n' } });
    expect([now.items[0], now.note]).toEqual([before.items[1], before.note]);
    expect(now.items[0] === before.items[1] && (now.note as object) === before.note).toBe(true);
  });

  it.each([
    [{ page: 1, items: before.items }],
    [{ ...before, more: null }],
    [{ ...before, items: [before.items[0]] }],
    [{ ...before, items: before.items.toReversed() }],
    [{ ...before, note: null }],
    [null],
  ])('is what came where a part is gone, new or elsewhere: %j', (now) => {
    expect(sharedWith<unknown>(before, structuredClone(now))).toEqual(now);
  });
});
