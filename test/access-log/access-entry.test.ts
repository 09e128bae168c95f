import fc from 'fast-check';
import { entryIdFloor, entryOf, ownAttempt, parametersText, storableName } from '../../src/caller/access-log';
import { newKey } from '../../src/caller/key-format';
import { LIMITS } from '../../src/limits';

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
