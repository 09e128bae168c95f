import fc from 'fast-check';
import { secretBlanker } from '../../src/delivery/blank-secrets';

const SECRET = 'T0p/s&cret "clé"+42';
const BASE64 = (text: string) => Buffer.from(text).toString('base64');
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in a URL': encodeURIComponent,
  'in a URL with small letters': (secret) =>
    encodeURIComponent(secret).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  'in a form': (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  'in JSON': (secret) => JSON.stringify(secret).slice(1, -1),
  'in JSON with escaped slashes': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'in HTML': (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'in Base64': BASE64,
  'in Base64 for URLs': (secret) => Buffer.from(secret).toString('base64url'),
  'in Base64 behind another text': (secret) => BASE64(`u:${secret}`),
  'in Base64 between other texts': (secret) => BASE64(`.${secret}.`),
};
/** All texts that Base64 in a text may stand for. */
const decoded = (text: string) =>
  text
    .split(/[^\w+/-]+/)
    .flatMap((run) => [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), 'base64').toString('latin1')));

describe('the secrets of a destination', () => {
  it.each(Object.entries(FORMS))('are blanked %s', (_, write) => {
    const shown = secretBlanker(['other', SECRET])(`HTTP 401: you sent <${write(SECRET)}>.`);
    expect(shown).toBe('HTTP 401: you sent <***>.');
  });

  it('are blanked wherever and however they stand in a text, also where the text is cut', () => {
    const letters = fc.constantFrom(...'abcXYZ019+/=&% "é漢');
    const secrets = fc
      .string({ unit: letters, minLength: 8, maxLength: 60 })
      .filter((text) => text === text.trim());
    const writes = fc.constantFrom(...Object.values(FORMS));
    const fillers = fc.nat({ max: 400 }).map((length) => '.'.repeat(length));
    fc.assert(
      fc.property(
        secrets,
        fc.array(fc.tuple(writes, fillers), { minLength: 1, maxLength: 4 }),
        (secret, parts) => {
          const text = parts.map(([write, filler]) => `${filler}${write(secret)}`).join(' ');
          const shown = secretBlanker([secret])(text);
          expect(shown.length).toBeLessThanOrEqual(310);
          const latin = Buffer.from(secret).toString('latin1');
          const pieces = Array.from({ length: latin.length - 3 }, (_, i) => latin.slice(i, i + 4));
          const found = (where: string) => pieces.filter((piece) => where.includes(piece));
          expect(decoded(shown).flatMap(found)).toEqual([]);
          expect(found(Buffer.from(shown).toString('latin1'))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    ['the token behind a scheme', 'Bearer abcdefgh', 'token abcdefgh is unknown', 'token *** is unknown'],
    [
      'the password of a Basic login',
      `Basic ${BASE64('ann:pass word')}`,
      'ann, not "pass word"',
      'ann, not "***"',
    ],
    ['a value of a cookie', 'a=1; session=s3cr3t-s3cr3t', 'no session s3cr3t-s3cr3t', 'no session ***'],
    ['a value of a query', '?sig=a%2Fb%2Fc%2Fd%2Fe&x=1', 'bad sig a/b/c/d/e', 'bad sig ***'],
  ])('are blanked in part: %s', (_, secret, text, shown) => {
    expect(secretBlanker([secret])(text)).toBe(shown);
  });

  it('are not looked for in words that are no secrets, or shorter than four letters', () => {
    const text = 'HTTP 401: Bearer token missing for a key';
    expect(secretBlanker(['Bearer abcdefgh', 'key', 'p', ''])(text)).toBe(text);
    // A secret has four letters at least, and a part of one has eight.
    expect(secretBlanker(['a key', 'keys'])('two keys')).toBe('two ***');
    expect(secretBlanker(['Bearer abcdefg'])('abcdefg')).toBe('abcdefg');
  });

  it('are found in a text of any length, among the most secrets that there may be', () => {
    const secrets = Array.from({ length: 20 }, (_, i) => `${i} `.repeat(1_300));
    const shown = secretBlanker(secrets)(`${secrets.join('')}${'x'.repeat(1_000_000)}`);
    expect(shown).not.toContain('1 1');
  });
});

it('texts of a receiver stand on one line, without characters that logs and databases refuse, and cut', () => {
  const blank = secretBlanker([]);
  expect(blank(' who\r\nare\u0000you?\u0085\u001b[31m \ud800')).toBe('who are you? [31m');
  for (const shown of [blank, secretBlanker(['abcdefgh'])])
    expect(shown('x'.repeat(1_000))).toBe('x'.repeat(310));
});
