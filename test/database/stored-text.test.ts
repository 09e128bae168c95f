import fc from 'fast-check';
import { fold } from '../../src/event/search';
import {
  fromStored,
  fromStoredJson,
  storedCharsFor,
  toStored,
  toStoredJson,
} from '../../src/store/rows/stored-text';

/** Any UTF-16 text, in which characters that are hard to store are frequent. */
const hard = fc.constantFrom(
  ...['\0', '\uD800', '\uDBFF', '\uDC00', '\uDFFF', '\u{10FFFF}', '\u{10FFFE}', '\uFFFF', '\uFFFE', '\uFDD0'],
  ...['\u{10F000}', '\u{10F0FF}', '\u{10F800}', '\u{10F900}', '\u{10FA00}', '\u{1F600}'],
  ...['x', 'y', '0', 'd', 'd800', '0000', 'ffff', '"', '\\', "'"],
);
const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
const text = fc
  .array(fc.oneof(hard, hard, unit, fc.string()), { maxLength: 30 })
  .map((pieces) => pieces.join(''));
const RUNS = { numRuns: 2_000 };

describe('a stored text', () => {
  it('is read back exactly as it was, whatever it held', () => {
    fc.assert(
      fc.property(text, (t) => fromStored(toStored(t)) === t),
      RUNS,
    );
  });

  it('holds nothing that PostgreSQL cannot store: no NUL, no half of a surrogate pair', () => {
    fc.assert(
      fc.property(text, (t) => {
        const stored = toStored(t);
        expect(stored.includes('\0')).toBe(false);
        expect(stored.isWellFormed()).toBe(true);
      }),
      RUNS,
    );
  });

  it('differs for different texts', () => {
    const near = fc.tuple(text, hard, hard, text).map(([a, x, y, b]) => [a + x + b, a + y + b] as const);
    fc.assert(
      fc.property(
        fc.oneof(near, fc.tuple(text, text)),
        ([a, b]) => (toStored(a) === toStored(b)) === (a === b),
      ),
      RUNS,
    );
  });

  it('is the text itself if nothing needs an escape, so that people can read the database', () => {
    for (const plain of ["SELECT N'東京' -- 😀", '', 'CORP\\alice', '\uFFFF\uFDD0'])
      expect(toStored(plain)).toBe(plain);
  });

  it('contains a stored phrase exactly if the text contains the phrase, so a search never matches an escape', () => {
    const wellFormed = text.map((t) => t.toWellFormed());
    const cut = fc.tuple(wellFormed, fc.nat(30), fc.nat(30)).map(([t, from, to]) => {
      const characters = [...t];
      return [t, characters.slice(from, to).join('')] as const;
    });
    fc.assert(
      fc.property(fc.oneof(cut, fc.tuple(text, wellFormed)), ([t, phrase]) => {
        expect(toStored(fold(t)).includes(toStored(fold(phrase)))).toBe(fold(t).includes(fold(phrase)));
      }),
      RUNS,
    );
    for (const code of ['x', 'y', '0', '0000', 'd800']) {
      expect(toStored('a\0b\uD800c\u{10FFFF}d\u{10FFFE}').includes(toStored(code))).toBe(false);
    }
  });

  it('is longer than the text by a bounded factor, so that SQL can cut a preview of it', () => {
    fc.assert(
      fc.property(text, (t) => [...toStored(t)].length <= storedCharsFor([...t].length)),
      RUNS,
    );
  });

  it('of a name of the greatest length fits into an index entry', () => {
    const name = fc.array(unit, { minLength: 512, maxLength: 512 }).map((units) => units.join(''));
    fc.assert(fc.property(name, (n) => Buffer.byteLength(toStored(n)) <= 2_300));
    expect(Buffer.byteLength(toStored('\uD800'.repeat(512)))).toBeLessThanOrEqual(2_300);
    expect(Buffer.byteLength(toStored('\u{10FFFF}'.repeat(256)))).toBeLessThanOrEqual(2_300);
  });
});

describe('a flat JSON value', () => {
  const flat = fc.dictionary(text, fc.oneof(text, fc.boolean(), fc.integer(), fc.constant(null)), {
    noNullPrototype: true,
  });

  const stored = (value: object) => JSON.parse(toStoredJson(JSON.stringify(value)));

  it('is read back exactly as it was, names included', () => {
    fc.assert(fc.property(flat, (value) => expect(fromStoredJson(stored(value))).toEqual(value)));
  });

  it('holds nothing that PostgreSQL cannot store', () => {
    fc.assert(
      fc.property(flat, (value) => {
        for (const text of Object.entries(stored(value)).flat()) {
          expect(String(text).includes('\0')).toBe(false);
          expect(String(text).isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
