import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { fold } from '../../src/event/search';
import type { DetectionEvent } from '../../src/rules/event';
import { codeOf } from '../../src/rules/event-values';
import { fieldSlot } from '../../src/rules/field-names';
import { needsOfPattern } from '../../src/rules/need';
import { nodesOf } from '../../src/rules/rule';
import { testEvents } from '../../src/rules/rule-test';
import { Seen } from '../../src/rules/seen';
import { Sieve } from '../../src/rules/sieve';
import { parseRules } from '../../src/rules/sigma/rule-file';
import { WordFinder } from '../../src/rules/word-finder';
import { readForms } from './support/forms';

const FOLDER = path.join(__dirname, '../../rules');
const MATCHERS = readdirSync(FOLDER)
  .flatMap((name) => parseRules(readFileSync(path.join(FOLDER, name), 'utf8')))
  .flatMap(({ root }) => nodesOf(root).flatMap((node) => (node.kind === 'event' ? [node.matcher] : [])));
const FINDER = WordFinder.of(MATCHERS.flatMap(({ needs }) => needs?.words ?? []));

const EVENTS = ['attacks.txt', 'harmless.txt']
  .flatMap(readForms)
  .flatMap(({ events }) => testEvents({ name: '', finds: true, events }).slice(0, 1));

const wide = (char: string) => String.fromCodePoint((char.codePointAt(0) as number) + 0xfee0);
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
/** Other spellings of a statement at one of its places. */
const SPELLINGS: readonly ((sql: string, at: number) => string)[] = [
  (sql) => sql,
  (sql) => sql.toUpperCase(),
  (sql) => sql.replaceAll(' ', '/* x */'),
  (sql, at) => sql.slice(0, at) + sql.slice(at).replace(/[a-z]/i, wide),
  (sql, at) => `${sql.slice(0, at)}\\\r\n${sql.slice(at)}`,
  (sql, at) => `EXEC(N${quoted(sql.slice(0, at))}+${quoted(sql.slice(at))})`,
  (sql) => `DECLARE @s nvarchar(max)=REVERSE(${quoted([...sql].reverse().join(''))});EXEC(@s)`,
  (sql) => `EXEC sp_executesql ${quoted(`EXEC(${quoted(sql)})`)}`,
  (sql) => sql.replace(/'(\w+)'/, (_, text: string) => `'${text.slice(0, 2)}'+'${text.slice(2)}'`),
];

/** What holds for an event, and what the sieve lets through. */
function looked(event: DetectionEvent) {
  const action = fold(codeOf(event.fields.actionId ?? ''));
  const needs = MATCHERS.map((matcher) => matcher.needs?.of(action) ?? null);
  const sieve = new Sieve(needs, FINDER);
  const seen = new Seen(event);
  sieve.look(seen);
  return MATCHERS.map(({ test, actions }, i) => ({
    holds: (actions?.has(action) ?? true) && test(seen),
    passes: sieve.mayHold(i) && needs[i]?.length !== 0,
  }));
}

it('no condition that holds is ruled out before it is looked at, however the statement is spelled', () => {
  let [holding, ruledOut] = [0, 0];
  fc.assert(
    fc.property(
      fc.constantFrom(...EVENTS),
      fc.constantFrom(...SPELLINGS),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (event, spelling, share) => {
        const sql = event.fields.statement ?? '';
        const statement = spelling(sql, Math.floor(share * sql.length));
        const all = looked({ ...event, fields: { ...event.fields, statement } });
        expect([statement, all.filter(({ holds, passes }) => holds && !passes)]).toEqual([statement, []]);
        holding += all.filter(({ holds }) => holds).length;
        ruledOut += all.filter(({ passes }) => !passes).length;
      },
    ),
    { numRuns: 400 },
  );
  expect(holding).toBeGreaterThan(100);
  expect(ruledOut).toBeGreaterThan(10_000);
});

it('a text that fits a regular expression has a word that the expression needs', () => {
  const field = fieldSlot('plainCode') as NonNullable<ReturnType<typeof fieldSlot>>;
  const pieces = fc.constantFrom(
    ...[
      'ab',
      'cd',
      ' ',
      'e?',
      'f*',
      'g{0,2}',
      '(?:ab|cd)',
      '[^ab]',
      '.',
      '|',
      '\\b',
      '\\[',
      '(ab)?',
      '+',
      '\\w',
    ],
  );
  const texts = fc.array(fc.constantFrom('ab', 'cd', ' ', 'e', 'f', 'g', '[', 'x'), { maxLength: 8 });
  let fitting = 0;
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 7 }), texts, (given, parts) => {
      const [pattern, text] = [given.join(''), parts.join('')];
      const compiled = compile(pattern);
      fc.pre(compiled !== null);
      const needs = needsOfPattern(field, pattern).of('');
      if (!compiled?.test(text)) return;
      fitting += needs ? 1 : 0;
      expect([pattern, text, needs?.some(({ word }) => text.includes(word)) ?? true]).toEqual([
        pattern,
        text,
        true,
      ]);
    }),
    { numRuns: 1_500 },
  );
  expect(fitting).toBeGreaterThan(20);
});

function compile(pattern: string) {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}
