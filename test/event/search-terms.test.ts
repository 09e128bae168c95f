import fc from 'fast-check';
import { markWords, WORD_MARK } from '../../src/event/mark-words';
import { fold, parseSearch, WORD_CLASS } from '../../src/event/search';
import { needleOf, searchableText, wholeWordsOf } from '../../src/event/search-terms';
import { LIMITS } from '../../src/limits';

const termsOf = (input: string) => {
  const parsed = parseSearch(input);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.terms;
};
/** Every second piece stands between two marks. */
const wordsOf = (text: string) =>
  searchableText([text])
    .split(WORD_MARK)
    .filter((_, i) => i % 2 === 1);
const word = fc.stringMatching(/^[\p{L}\p{N}]{1,12}$/u);
const MARKED = ['İ', 'i', '\u0307', 'ΐ', 'ι', '\u0308', '\u0301', '\u0345', '\u0302'];

describe('words of a text', () => {
  it.each([
    ['SELECT * FROM dbo.Employees', ['select', 'from', 'dbo', 'employees']],
    ['CORP\\alice', ['corp', 'alice']],
    ['10.20.30.40', ['10', '20', '30', '40']],
    ['snake_case-and-kebab', ['snake', 'case', 'and', 'kebab']],
    ['Änderung Straße ΟΔΟΣ 東京2', ['änderung', 'strasse', 'οδοσ', '東京2']],
    ['İstanbul i\u0307stanbul', ['i\u0307stanbul', 'i\u0307stanbul']],
    ['', []],
    ['-- ***', []],
  ])('%j has the words %j', (text, expected) => expect(wordsOf(text)).toEqual(expected));

  it('are runs of letters and digits, whatever stands between them', () => {
    const separator = fc.constantFrom(' ', '\t', '.', '_', '[', "'", '\0', '\u{1F600}', '\uD800');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, separator)), (pieces) => {
        expect(wordsOf(pieces.flat().join(''))).toEqual(pieces.map(([text]) => fold(text)));
      }),
    );
  });
});

describe('a text with its words marked', () => {
  const unit = fc.oneof(
    fc.constantFrom('a', 'ß', 'Σ', 'ς', 'İ', 'ŉ', 'ΐ', '\u0307', '\x7f', ' ', '\uD835', '\uDC00', '𝒜', '𐐀'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  const text = fc.array(unit, { maxLength: 40 }).map((units) => units.join(''));

  it('consists of its folded pieces, with a mark before and after each word', () => {
    const piece = new RegExp(`([${WORD_CLASS}]+)|[^${WORD_CLASS}]+`, 'gu');
    const marked = (given: string) =>
      given.replace(piece, (all, letters) => (letters ? `\x7f${fold(letters)}\x7f` : fold(all)));
    fc.assert(
      fc.property(text, (given) => expect(markWords(given)).toBe(marked(given))),
      { numRuns: 2_000 },
    );
    const longest = '\u0390'.repeat(10_000);
    expect(markWords(longest)).toBe(marked(longest));
  });
});

describe('a searchable text', () => {
  const character = fc.oneof(
    fc.constantFrom('a', 'B', 'ß', 'Σ', '1', ' ', '.', '\x7f', '"', '\u{1F600}', '\uD800', '\uFFFF'),
    fc.constantFrom(...MARKED),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  );
  const text = fc.array(character, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const standIn = (t: string) => fold(t).replaceAll('\x7f', '\uFFFF');

  it('contains a phrase exactly if one of the fields does', () => {
    const cut = fc.tuple(fc.array(text, { minLength: 1, maxLength: 3 }), fc.nat(8), fc.nat(8));
    fc.assert(
      fc.property(cut, text, ([fields, from, to], other) => {
        for (const phrase of [[...fields.join('')].slice(from, to).join(''), other].filter(Boolean)) {
          const holds = fields.some((field) => standIn(field).includes(standIn(phrase)));
          expect(searchableText(fields).includes(needleOf({ kind: 'phrase', text: phrase }))).toBe(holds);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same whether it is made by the fast way for ASCII or by the way for any Unicode', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), (fields) => {
        const beyondAscii = searchableText([...fields, '東']);
        expect(beyondAscii.startsWith(`${searchableText(fields)}${WORD_MARK}${WORD_MARK}`)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['drop table', []],
    [' drop table', ['drop']],
    ['drop table ', ['table']],
    [' drop table ', ['drop', 'table']],
    ['a drop table b', ['drop', 'table']],
    ['drop', []],
    [' drop', []],
    [' drop ', ['drop']],
  ])('needs, for the phrase "%s", the words %j as a whole', (text, words) => {
    expect(wholeWordsOf({ kind: 'phrase', text })).toEqual(words);
  });

  it('has every word that a phrase in it requires', () => {
    fc.assert(
      fc.property(text, fc.nat(8), fc.nat(8), (t, from, to) => {
        const phrase = [...t].slice(from, to).join('');
        for (const needed of wholeWordsOf({ kind: 'phrase', text: phrase }))
          expect(wordsOf(t)).toContain(needed);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('folding', () => {
  it('makes no character of a word to another one, and no other character to one of a word', () => {
    const isWord = new RegExp(`^[${WORD_CLASS}]+$`, 'u');
    const isNone = new RegExp(`^[^${WORD_CLASS}]+$`, 'u');
    const changed: string[] = [];
    for (let code = 0; code < 0x110000; code++) {
      const character = String.fromCodePoint(code);
      if (!(isWord.test(character) ? isWord : isNone).test(fold(character))) changed.push(code.toString(16));
    }
    expect(changed).toEqual([]);
  });

  it('makes all spellings of a word equal that differ only in letter case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(fold(text.toUpperCase())).toBe(fold(text));
        expect(fold(fold(text))).toBe(fold(text));
      }),
    );
    expect(fold('STRASSE')).toBe(fold('straße'));
    expect(fold('ΟΔΟΣ')).toBe(fold('οδος'));
  });

  it('of a prefix is a prefix of the folded text, so that a search by prefix misses nothing', () => {
    fc.assert(
      fc.property(word, fc.nat({ max: 12 }), (text, end) => {
        const beginning = [...text].slice(0, end).join('');
        expect(fold(text).startsWith(fold(beginning))).toBe(true);
      }),
    );
  });
});

describe('a search', () => {
  it('asks for each of its words', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: LIMITS.searchTermsMax }), (words) => {
        expect(termsOf(words.join(' '))).toEqual(words.map((text) => ({ kind: 'word', text: fold(text) })));
      }),
    );
  });

  it('asks for a prefix if a star follows the word', () => {
    expect(termsOf('emp* dbo')).toEqual([
      { kind: 'prefix', text: 'emp' },
      { kind: 'word', text: 'dbo' },
    ]);
    // A star that stands alone or before a word is a separator like any other.
    expect(termsOf('* emp *dbo')).toEqual([
      { kind: 'word', text: 'emp' },
      { kind: 'word', text: 'dbo' },
    ]);
  });

  it('asks for quoted text as it is written, except for letter case', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('"')),
        (text) => expect(termsOf(`"${text}"`)).toEqual([{ kind: 'phrase', text }]),
      ),
    );
    expect(termsOf('a"b c"d')).toEqual([
      { kind: 'word', text: 'a' },
      { kind: 'phrase', text: 'b c' },
      { kind: 'word', text: 'd' },
    ]);
  });

  it.each([
    ['', 'must have at least one word'],
    ['* ... *', 'must have at least one word'],
    ['"open', 'not closed'],
    ['closed "a" but "b', 'not closed'],
    ['"" word', 'nothing between'],
    ['a '.repeat(LIMITS.searchTermsMax + 1), `at most ${LIMITS.searchTermsMax} words`],
  ])('%j is refused, since it must never match everything', (input, problem) => {
    expect(parseSearch(input)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('always gives a condition or a problem, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (input) => {
        const parsed = parseSearch(input);
        if ('terms' in parsed) {
          expect(parsed.terms.length).toBeGreaterThan(0);
          for (const { text } of parsed.terms) expect(text).not.toBe('');
        }
      }),
    );
  });
});
