import fc from 'fast-check';
import {
  hashOfKey,
  isWellFormedKey,
  KEY_KINDS,
  type KeyKind,
  newKey,
  shownPrefix,
} from '../../src/caller/key-format';

const KINDS = Object.keys(KEY_KINDS) as KeyKind[];
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const anyKey = fc.constantFrom(...KINDS).map((kind) => newKey(kind));

describe('a new key', () => {
  it.each(KINDS)(
    'of kind %s begins with a prefix by which readers and secret scanners recognise it',
    (kind) => {
      const key = newKey(kind);
      expect(key).toMatch(new RegExp(`^${KEY_KINDS[kind]}[0-9A-Za-z]{46}$`));
      expect(isWellFormedKey(key)).toBe(true);
    },
  );

  it('is unlike any other', () => {
    const keys = Array.from({ length: 1_000 }, () => newKey('public'));
    expect(new Set(keys).size).toBe(keys.length);
    // Its shown beginning is unique too, since lists identify keys by it.
    expect(new Set(keys.map(shownPrefix)).size).toBeGreaterThan(990);
  });

  it('shares no prefix with another kind', () => {
    expect(new Set(Object.values(KEY_KINDS)).size).toBe(KINDS.length);
  });
});

describe('the checksum of a key', () => {
  it('detects any single wrong character', () => {
    fc.assert(
      fc.property(anyKey, fc.nat({ max: 49 }), fc.constantFrom(...ALPHABET), (key, at, character) => {
        fc.pre(key[at] !== character);
        expect(isWellFormedKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
      }),
    );
  });

  it('detects two neighbouring characters in the wrong order', () => {
    fc.assert(
      fc.property(anyKey, fc.integer({ min: 4, max: 48 }), (key, at) => {
        const [a, b] = [key[at], key[at + 1]];
        fc.pre(a !== b);
        expect(isWellFormedKey(`${key.slice(0, at)}${b}${a}${key.slice(at + 2)}`)).toBe(false);
      }),
    );
  });

  it('covers the prefix, so that a key is valid for one kind only', () => {
    const key = newKey('public');
    expect(isWellFormedKey(KEY_KINDS.operator + key.slice(KEY_KINDS.public.length))).toBe(false);
  });

  it.each([
    ['a key cut short', (key: string) => key.slice(0, -1)],
    ['a key with more behind it', (key: string) => `${key}0`],
    ['a key with a line end', (key: string) => `${key}\n`],
    ['a key in quotes', (key: string) => `"${key}"`],
    ['nothing', () => ''],
  ])('refuses %s', (_, change) => expect(isWellFormedKey(change(newKey('public')))).toBe(false));

  it('is checked without an exception, and refuses any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => !isWellFormedKey(text)));
  });
});

describe('the stored form of a key', () => {
  it('is its SHA-256', () => {
    expect(hashOfKey('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('has a shown beginning that is far too short to guess the key', () => {
    const key = newKey('agent');
    expect(key.startsWith(shownPrefix(key))).toBe(true);
    expect(shownPrefix(key).length).toBeLessThanOrEqual(10);
  });
});
