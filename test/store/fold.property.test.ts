import fc from 'fast-check';
import { matchesFilter } from '../../src/event/expression/matches';
import { FILTER_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter } from '../../src/event/query';
import { Engine } from '../../src/rules/engine';
import type { Rule } from '../../src/rules/rule';
import { testEvents } from '../../src/rules/rule-test';
import { parseRules } from '../../src/rules/sigma/rule-file';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';
import { findings, rule } from '../detection/support/sigma';
import { anEvent } from '../support/events';

/** Letters that are folded to several, to a mark, or to the same as others. */
const LETTERS = [
  ...['ß', 'ẞ', 's', 'S', 'ſ', 'İ', 'i', 'I', 'ı', '\u0307', 'σ', 'ς', 'Σ', 'ΐ', 'ι', '\u0308', '\u0301'],
  ...['\u0345', 'ŉ', 'ʼ', 'n', 'K', 'k', 'ﬀ', 'f', '𐐀', '𐐨', 'ǰ', ' ', '.'],
];
const text = fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 4 }).map((all) => all.join(''));
/** Unicode's full case folding by its file CaseFolding.txt, for these letters; besides, the i without a dot is an i. */
const FOLDED: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'ss',
  S: 's',
  ſ: 's',
  İ: 'i\u0307',
  I: 'i',
  ı: 'i',
  ς: 'σ',
  Σ: 'σ',
  ΐ: 'ι\u0308\u0301',
  '\u0345': 'ι',
  ŉ: 'ʼn',
  K: 'k',
  ﬀ: 'ff',
  𐐀: '𐐨',
  ǰ: 'j\u030C',
};
const foldedText = (given: string) => Array.from(given, (letter) => FOLDED[letter] ?? letter).join('');

/** A text, with another one or with a part of itself in which each letter may be written in another case. */
const pair = fc.oneof(
  fc.tuple(text, text),
  fc
    .tuple(text, fc.array(fc.nat(), { minLength: 8, maxLength: 8 }), fc.nat(2), fc.nat(4))
    .map(([value, picks, from, length]): [string, string] => {
      const letters = Array.from(value, (letter, i) => {
        const alike = LETTERS.filter((one) => foldedText(one) === foldedText(letter));
        return alike[(picks[i] ?? 0) % alike.length] ?? letter;
      });
      return [
        value,
        letters
          .slice(from % letters.length)
          .slice(0, length + 1)
          .join(''),
      ];
    }),
);

it('searches, filters and rules fold letters alike', () => {
  fc.assert(
    fc.property(pair, ([value, wanted]) => {
      const texts = Object.entries(anEvent()).map(([name, own]) => [
        name,
        typeof own === 'string' ? null : own,
      ]);
      const event = { ...Object.fromEntries(texts), objectName: value };
      const passes = (query: Record<string, string>) => {
        const filter = toAuditEventFilter(parseParameters(FILTER_PARAMETERS, query));
        return matchesFilter(filter, {
          ...event,
          recordId: '',
          tenantId: '1',
          additional: {},
        } as unknown as StoredAuditEvent);
      };
      const isFound = (selection: string) =>
        findings(rule(`  s:\n    ${selection}: ${JSON.stringify(wanted)}\n  condition: s\n`), {
          objectName: value,
        }) > 0;
      const isExcepted = () => {
        const source = rule('  s:\n    objectName|exists: true\n  condition: s\n');
        const [excepting] = parseRules(source, () => ({ exceptions: [{ objectName: wanted }] })) as [Rule];
        const events = testEvents({ name: '', finds: false, events: [{ objectName: value }] });
        return new Engine(1, [{ rule: excepting, version: 1 }]).evaluate(events, 0).length === 0;
      };
      const [own, other] = [foldedText(value), foldedText(wanted)];
      const cases: readonly (readonly [string, boolean, readonly boolean[]])[] = [
        [
          ...(['equals', own === other] as const),
          [isFound('objectName'), isExcepted(), passes({ filter: `objectName~"${wanted}"` })],
        ],
        [
          ...(['begins', own.startsWith(other)] as const),
          [isFound('objectName|startswith'), passes({ filter: `objectName~"${wanted}"*` })],
        ],
        [
          ...(['holds', own.includes(other)] as const),
          [isFound('objectName|contains'), passes({ search: `"${wanted}"` })],
        ],
      ];
      for (const [how, holds, answers] of cases)
        expect([how, value, wanted, ...answers]).toEqual([how, value, wanted, ...answers.map(() => holds)]);
    }),
    { numRuns: 400 },
  );
});
