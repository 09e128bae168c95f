import fc from 'fast-check';
import { parseFilter } from '../../src/event/expression/parse-filter';
import { holds, statedOf, type Term, textsOf, type WrittenFilter, withoutCase } from './brute-force';
import type { IngestedEvent } from './events';
import { ACTIONS, INSTANCES, NAMES, speakable, WORDS } from './texts';

/** Each expression is generated with its meaning, without any code of the service. */
type Part = WrittenFilter;

const FIELDS = {
  actionId: 'actionId',
  databaseName: 'databaseName',
  PrincipalName: 'serverPrincipalName',
  serverPrincipalName: 'serverPrincipalName',
  SERVERINSTANCENAME: 'serverInstanceName',
  schemaName: 'schemaName',
  objectName: 'objectName',
  databasePrincipalName: 'databasePrincipalName',
  applicationName: 'applicationName',
  clientIp: 'clientIp',
  hostName: 'hostName',
  sourceType: 'sourceType',
  classType: 'classType',
  targetServerPrincipalName: 'targetServerPrincipalName',
  ROLEMEMBER: 'roleMember',
} as const;
const name = fc.constantFrom(...(Object.keys(FIELDS) as (keyof typeof FIELDS)[]));
const ownValue = (event: IngestedEvent, field: keyof typeof FIELDS) =>
  ({ ...event, ...statedOf(event) })[FIELDS[field]] ?? '';

const someText = fc.oneof(
  fc.constantFrom(
    ...NAMES,
    ...ACTIONS,
    ...INSTANCES,
    ...WORDS,
    'DirectFile',
    'ip 3',
    'ip 1',
    'OR',
    'a:b',
    '-x',
    '*',
  ),
  speakable,
);

const quoted = (text: string, isSparing: boolean) =>
  `"${text.replaceAll(isSparing ? /"|\\(?=["\\]|$)/g : /["\\]/g, '\\$&')}"`;
/** Writes a text without quotation marks if that is possible. */
const written = (text: string, way: number) =>
  way === 0 && !/[\s()*\uFEFF]/.test(text) && !text.startsWith('"') ? text : quoted(text, way === 1);

interface Value {
  readonly text: string;
  readonly fits: (value: string, isFolded: boolean) => boolean;
}
const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ text: '*', fits: (own: string) => own !== '' }) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(someText, fc.nat(2), fc.boolean(), fc.integer({ min: 1, max: 4 }))
      .map(([whole, way, isBeginning, length]) => {
        const text = isBeginning ? Array.from(whole).slice(0, length).join('') : whole;
        const fits = (own: string, isFolded: boolean) => {
          const [a, b] = isFolded ? [withoutCase(own), withoutCase(text)] : [own, text];
          return isBeginning ? a.startsWith(b) : a === b;
        };
        return { text: written(text, way) + (isBeginning ? '*' : ''), fits };
      }),
  },
);
const colon = fc.constantFrom(':' as const, ':' as const, '~' as const);

const single: fc.Arbitrary<Part> = fc.tuple(name, colon, value).map(([field, mark, { text, fits }]) => ({
  text: `${field}${mark}${text}`,
  holds: (event) => fits(ownValue(event, field), mark === '~'),
}));
/** Values of one field in parentheses. A value that would be read as an operator is in quotation marks. */
const group: fc.Arbitrary<Part> = fc
  .tuple(
    name,
    colon,
    fc.array(value, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(' OR ', ' AND ', ' '),
    fc.boolean(),
  )
  .map(([field, mark, values, operator, isNot]) => {
    const plain = values.map(({ text }) => (/^(-|OR$)/.test(text) ? `"${text}"` : text));
    return {
      text: `${field}${mark}(${isNot ? 'NOT ' : ''}${plain.join(operator)})`,
      holds: (event) => {
        const each = values.map(
          ({ fits }, i) => fits(ownValue(event, field), mark === '~') !== (isNot && i === 0),
        );
        return operator === ' OR ' ? each.some(Boolean) : each.every(Boolean);
      },
    };
  });
const statement: fc.Arbitrary<Part> = fc
  .tuple(speakable, fc.nat(2), fc.integer({ min: 1, max: 9 }))
  .map(([whole, start, length]) => {
    const text =
      Array.from(whole)
        .slice(start, start + length)
        .join('') || whole;
    const term: Term = { kind: 'phrase', text };
    return {
      text: `statement:${quoted(text, false)}`,
      holds: (event) => event.statement !== null && holds(term, [withoutCase(event.statement)]),
    };
  });
const word: fc.Arbitrary<Part> = fc
  .tuple(fc.constantFrom(...WORDS), fc.constantFrom('word' as const, 'prefix' as const, 'phrase' as const))
  .map(([text, kind]) => ({
    text: { word: text, prefix: `${text}*`, phrase: `"${text}"` }[kind],
    holds: (event) => holds({ kind, text }, textsOf(event)),
  }));
const number = fc.constantFrom('0', '4', '5', '6', '999', '1000', '9223372036854775807');
const end = fc.option(number, { nil: '*', freq: 4 });
/** A number, a comparison or a range; what is absent satisfies none of them. */
const compared: fc.Arbitrary<Part> = fc
  .tuple(
    fc.constantFrom(
      'responseRows' as const,
      'affectedRows' as const,
      'sessionId' as const,
      'transactionId' as const,
    ),
    fc.oneof(
      fc.tuple(fc.constantFrom('', '>', '>=', '<', '<='), number).map(([sign, limit]) => ({
        text: sign + limit,
        fits: (n: bigint) =>
          ({
            '': n === BigInt(limit),
            '>': n > BigInt(limit),
            '>=': n >= BigInt(limit),
            '<': n < BigInt(limit),
            '<=': n <= BigInt(limit),
          })[sign] === true,
      })),
      fc.tuple(end, end).map(([a, b]) => {
        const [from, to] = a !== '*' && b !== '*' && BigInt(a) > BigInt(b) ? [b, a] : [a, b];
        return {
          text: `(${from} TO ${to})`,
          fits: (n: bigint) => (from === '*' || n >= BigInt(from)) && (to === '*' || n <= BigInt(to)),
        };
      }),
    ),
  )
  .map(([field, { text, fits }]) => ({
    text: `${field}:${text}`,
    holds: (event) => {
      const value = statedOf(event)[field];
      return value !== null && fits(BigInt(value));
    },
  }));
/** Networks, and the beginnings of the addresses in them that events of these tests have (`addresses`). */
const NETWORKS = {
  '10.0.0.0/8': /^(::ffff:)?10\./,
  '10.1.0.0/16': /^(::ffff:)?10\.1\./,
  '10.1.2.3/32': /^(::ffff:)?10\.1\.2\.3$/,
  '0.0.0.0/0': /^(::ffff:)?\d+\.\d+\.\d+\.\d+$/,
  '2001:db8::/32': /^2001:db8/i,
  'fe80::/10': /^fe80/,
  '::/0': /^(?!::ffff:)[0-9a-f:]+(%\d+)?$/i,
};
export const ADDRESSES = [
  '10.1.2.3',
  '10.200.0.1',
  '11.0.0.1',
  '::ffff:10.1.9.9',
  '2001:DB8::5',
  'fe80::1%4',
];
const network: fc.Arbitrary<Part> = fc
  .constantFrom(...(Object.keys(NETWORKS) as (keyof typeof NETWORKS)[]))
  .map((text) => ({
    text: `clientIp:${text}`,
    holds: ({ clientIp }) => /[.:]/.test(clientIp ?? '') && NETWORKS[text].test(clientIp ?? ''),
  }));
const outcome: fc.Arbitrary<Part> = fc.boolean().map((succeeded) => ({
  text: `succeeded:${succeeded}`,
  holds: (event) => event.succeeded === succeeded,
}));

const leaf = fc.oneof(
  { weight: 6, arbitrary: single },
  { weight: 2, arbitrary: group },
  { weight: 1, arbitrary: statement },
  { weight: 1, arbitrary: word },
  { weight: 1, arbitrary: outcome },
  { weight: 3, arbitrary: compared },
  { weight: 1, arbitrary: network },
);

/** Leaves out expressions that exceed a bound of the language. */
const isWithinBounds = ({ text }: Part): boolean => {
  const parsed = parseFilter(text);
  return !('problem' in parsed && parsed.problem.includes('at most'));
};

/** Expressions of every form in the language. */
export const writtenFilters: fc.Arbitrary<WrittenFilter> = fc
  .letrec<{ any: Part; part: Part }>((tie) => ({
    part: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.tuple(tie('part'), fc.constantFrom('NOT ', '-', 'NOT -NOT ')).map(([part, mark]) => ({
        text: mark + part.text,
        holds: (event: IngestedEvent) => !part.holds(event),
      })),
      tie('any').map((part) => ({ ...part, text: `( ${part.text})` })),
    ),
    any: fc
      .array(fc.array(fc.tuple(tie('part'), fc.constantFrom(' AND ', ' ')), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 2,
      })
      .map((alternatives) => ({
        text: alternatives
          .map((parts) => parts.map(([part, joint], i) => (i === 0 ? '' : joint) + part.text).join(''))
          .join(' OR '),
        holds: (event: IngestedEvent) =>
          alternatives.some((parts) => parts.every(([part]) => part.holds(event))),
      })),
  }))
  .any.filter(isWithinBounds);
