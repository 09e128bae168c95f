import fc from 'fast-check';
import { GraphQLObjectType, GraphQLSchema, GraphQLString, graphql } from 'graphql';
import {
  type AccessEntry,
  type AccessFilter,
  entryIdFloor,
  entryOf,
  ownAttempt,
  parametersText,
  storableName,
} from '../../src/caller/access-log';
import { attemptBy } from '../../src/caller/call';
import { newKey } from '../../src/caller/key-format';
import { guardEveryAccess } from '../../src/graphql/guard';
import { LIMITS } from '../../src/limits';
import { type EntriesRequest, listEntries } from '../../src/modules/access-log/list-entries';

const anyText = fc.string({ unit: 'binary', maxLength: 3_000 });

describe('the parameters of an entry', () => {
  it('are the parameters that the call stated, as JSON', () => {
    expect(parametersText({ search: 'a"b', page: 2, actionId: null, endTime: undefined, scopes: [] })).toBe(
      '{"search":"a\\"b","page":2,"scopes":[]}',
    );
  });

  it('are always JSON of a bounded size, without characters that a database cannot store', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, fc.oneof(anyText, fc.array(anyText))), (given) => {
        const text = parametersText(given);
        expect(text.length).toBeLessThanOrEqual(7 * LIMITS.accessLogParametersCharsMax);
        expect([...text].filter((c) => c < ' ' || /\p{Cs}/u.test(c))).toEqual([]);
        const read = JSON.parse(text);
        if (!('cut' in read)) expect(Object.keys(read).sort()).toEqual(Object.keys(given).sort());
      }),
    );
  });

  it('that are too long are cut, and keep their beginning', () => {
    const longest = { search: 'x'.repeat(LIMITS.accessLogParametersCharsMax - '{"search":""}'.length) };
    expect(parametersText(longest)).toBe(JSON.stringify(longest));
    expect(JSON.parse(parametersText({ search: `${longest.search}x` }))).not.toHaveProperty('search');
    const { cut } = JSON.parse(parametersText({ search: 'x'.repeat(5_000) }));
    expect(cut).toBe(`{"search":"${'x'.repeat(LIMITS.accessLogParametersCharsMax - 11)}`);
  });

  it.each(['public', 'agent', 'operator'] as const)('never hold a key of kind %s', (kind) => {
    const key = newKey(kind);
    expect(parametersText({ search: key.slice(0, 30) })).toBe(`{"search":"${key.slice(0, 10)}…"}`);
    for (const given of [{ keyId: key }, { search: `it is ${key}, isn't it` }, { list: [key, key] }]) {
      const text = parametersText(given);
      expect(text).not.toContain(key.slice(0, 12));
      expect(text).toContain(`${key.slice(0, 10)}…`);
    }
  });

  it('keep a name that begins like a key', () => {
    expect(parametersText({ objectName: 'aag_StatusOfMyOrders' })).toBe(
      '{"objectName":"aag_StatusOfMyOrders"}',
    );
  });
});

describe('a page of entries', () => {
  const page = async (found: readonly string[], lookedTo: string | null, asked: object = {}) => {
    const filters: AccessFilter[] = [];
    const store = {
      newest: async (filter: AccessFilter) => {
        filters.push(filter);
        return { entries: found.map((entryId) => ({ entryId }) as AccessEntry), lookedTo };
      },
    };
    const { entries, ...about } = await listEntries({ first: 2, ...asked } as EntriesRequest, store);
    return { ids: entries.map(({ entryId }) => entryId), ...about, filter: filters[0] };
  };

  it('ends with its last entry, or where a search has looked to', async () => {
    expect(await page(['c', 'b', 'a'], null)).toMatchObject({
      ...{ ids: ['c', 'b'], endCursor: 'b', hasNextPage: true },
    });
    expect(await page(['c'], '0')).toMatchObject({ ids: ['c'], endCursor: '0', hasNextPage: true });
    expect(await page([], '0')).toMatchObject({ ids: [], endCursor: '0', hasNextPage: true });
    expect(await page(['c', 'b', 'a'], '0')).toMatchObject({ endCursor: 'b', hasNextPage: true });
    expect(await page(['c'], null)).toMatchObject({ endCursor: 'c', hasNextPage: false });
  });

  it('has no entry of before its first moment, also where that is a part of a millisecond', async () => {
    const ms = Date.UTC(2026, 0, 5);
    const { filter } = await page([], null, {
      from: '2026-01-05T00:00:00.0000001Z',
      to: '2026-01-05T00:00:01.0000000Z',
    });
    expect(filter).toMatchObject({ fromMs: ms + 1, toMs: ms + 1_000 });
  });
});

it.each([
  ['https://siem.example/in?token=abc', 'https://siem.example/in?…'],
  ['https://ada:secret@siem.example/in?token=abc', 'https://…@siem.example/in?…'],
  ['https://ada:sec@ret@siem.example', 'https://…@siem.example'],
  ['https://ada:sec/ret@siem.example', 'https://…@siem.example'],
  ['https:\\\\ada:secret@siem.example', 'https:\\\\…@siem.example'],
  ['HTTPS:ada:secret@siem.example', 'HTTPS:…@siem.example'],
])('the entry of a call with the URL %j has neither its query nor its login', async (url, shown) => {
  const entries: AccessEntry[] = [];
  const note = (entry: AccessEntry) => void entries.push(entry);
  const field = {
    type: GraphQLString,
    args: { url: { type: GraphQLString } },
    extensions: { access: { principal: 'operator' } },
    resolve: () => 'x',
  };
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: { look: field } }),
  });
  guardEveryAccess(schema, { accessLog: { note }, accessViews: { note }, nowMs: () => 0 });
  const principal = { kind: 'operator', keyId: 'k', name: 'ops' };
  const contextValue = { principal, requestId: 'r', address: '192.0.2.1', entrance: 'graphql' };
  const source = 'query($url: String) { look(url: $url) }';
  await graphql({ schema, source, variableValues: { url }, contextValue });
  expect(entries.map(({ parameters }) => JSON.parse(parameters))).toEqual([{ url: shown }]);
});

it('the entry of an operator concerns each tenant that it names', () => {
  const principal = { kind: 'operator', keyId: 'k', name: 'ops' } as const;
  const asking = { principal, requestId: 'r', address: '192.0.2.1', entrance: 'graphql' } as const;
  const tenantsOf = (parameters: object) =>
    attemptBy(asking, 'createApiKey', { at: 0, parameters }).tenantIds;
  expect(tenantsOf({ tenantIds: ['7', '9', 'x'] })).toEqual([7, 9]);
  expect([tenantsOf({ tenantId: '7' }), tenantsOf({ tenantId: 7, tenantIds: '9' })]).toEqual([[7], []]);
});

it('a name from another system is cut to length, and loses characters that a database cannot store', () => {
  expect(storableName('a\u0000b\uD800c')).toBe('a\uFFFDb\uFFFDc');
  fc.assert(
    fc.property(anyText, (text) => {
      expect(storableName(text)).not.toMatch(/\p{Cc}|\p{Cs}/u);
      expect(storableName(text).length).toBeLessThanOrEqual(LIMITS.nameCharsMax);
    }),
  );
});

it('ids of entries sort by time, and the floor of a time separates earlier ids from later ones', () => {
  const ms = fc.integer({ min: 0, max: Date.UTC(9999, 0) });
  const idAt = (at: number) => entryOf(ownAttempt('x', new Date(at)), { outcome: 'ok', rows: 0 }).entryId;
  fc.assert(
    fc.property(ms, ms, (a, b) => {
      expect(idAt(a) >= entryIdFloor(b)).toBe(a >= b);
      expect(idAt(a)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }),
  );
});
