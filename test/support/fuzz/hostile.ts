import fc from 'fast-check';

/** Texts that often break parsers, databases or comparisons. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    ...['', ' ', '\0', '\u0000x', '\uD800', '\uDFFFa', '\u{10FFFF}', '\u202E', 'ﬃ', 'İ', 'ß'],
    ...[
      "'",
      "' OR 1=1 --",
      '"',
      '""',
      '"a',
      '*',
      'a*',
      '%',
      '_',
      '\\',
      '$1',

      '{{x}}',
      '<b>',
      '../..',
    ],
    ...['null', 'undefined', 'NaN', 'true', '-1', '0', '1e9', '0x10', '９', '1.5', '+1', '9'.repeat(30)],
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '2026-02-30', '2026-01-05T08:00:00+99:99'],
    ...['x'.repeat(600), '€'.repeat(513), 'a '.repeat(40), '0001-01-01', '9999-12-31T23:59:59.9999999Z'],
  ),
);

/** Values of any JSON type. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom(null, true, 0, -1, 1e308, 2 ** 53, [], {}, [null], [[]]) },
);
