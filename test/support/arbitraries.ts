import fc from 'fast-check';
import { formatTicks } from '../../src/event/event-time';
import { type Question, SORT_VALUES, type Term } from './brute-force';
import { anEvent, type IngestedEvent } from './events';
import {
  ACTIONS,
  INSTANCES,
  NAMES,
  oneOf,
  phraseOf,
  SEPARATORS,
  speakable,
  UNSPEAKABLE,
  WORDS,
} from './texts';
import { ADDRESSES, writtenFilters } from './written-filters';

const TIMES = [
  '2026-02-01T23:59:59.9999999Z',
  '2026-02-02T00:00:00.0000000Z',
  '2026-02-02T00:00:00.0000001Z',
  '2026-02-02T00:00:00.0010000Z',
  '2026-02-08T12:00:00.0000000Z',
];
const BOUNDS = [...TIMES, '2026-01-01T00:00:00.0000000Z', '2026-02-02T00:00:00.0000002Z'];

const name = fc.option(oneOf(NAMES), { freq: 5 });
const anyText = phraseOf(
  fc.oneof({ weight: 9, arbitrary: oneOf(SEPARATORS) }, { weight: 1, arbitrary: oneOf(UNSPEAKABLE) }),
);
const statement = fc.oneof(
  { weight: 8, arbitrary: anyText },
  { weight: 1, arbitrary: anyText.map((text) => '\u{1F600}'.repeat(195) + text) },
  { weight: 1, arbitrary: fc.constant(null) },
);

/** Values of lifted fields as agents and other collectors state them, and some that are no such values. */
const STATED_NUMBERS = [
  '0',
  '5',
  '1000',
  '-5',
  '9223372036854775807',
  '9223372036854775808',
  '007',
  '',
  'many',
];
const statedNumber = fc.constantFrom(...STATED_NUMBERS, 0, 5, 1000, 1.5, 2 ** 53, true, null);
const statedText = fc.oneof(
  oneOf(NAMES),
  fc.constantFrom('', 5, false, null, 'x'.repeat(513), 'U ', 'U'),
  speakable,
);
const additional = fc.record(
  {
    responseRows: statedNumber,
    affectedRows: statedNumber,
    sessionId: statedNumber,
    transactionId: statedNumber,
    classType: statedText,
    targetServerPrincipalName: statedText,
    targetDatabasePrincipalName: statedText,
    note: speakable,
  },
  { requiredKeys: [] },
);

const fields = fc.record({
  additional,
  eventTime: oneOf(TIMES),
  actionId: oneOf([...ACTIONS, 'APRL', 'DPRL ']),
  succeeded: fc.boolean(),
  databaseName: name,
  serverPrincipalName: name,
  databasePrincipalName: name,
  schemaName: name,
  serverInstanceName: fc.option(oneOf(INSTANCES), { freq: 5 }),
  objectName: fc.option(anyText, { freq: 2 }),
  applicationName: fc.option(speakable, { freq: 2 }),
  sourceType: fc.constantFrom('DirectFile', null),
  statement,
});

export interface Sent {
  /** The index of one of the two tenants. */
  readonly tenant: 0 | 1;
  readonly event: IngestedEvent;
}

/** Events, half of which have their index in `clientIp` in place of an address. */
export const sentEvents: fc.Arbitrary<Sent[]> = fc
  .array(
    fc.tuple(fc.constantFrom(0 as const, 1 as const), fields, fc.option(oneOf(ADDRESSES), { freq: 1 })),
    { maxLength: 40, size: 'max' },
  )
  .map((all) =>
    all.map(([tenant, change, address], i) => ({
      tenant,
      event: anEvent({
        ...change,
        hostName: null,
        blockOffset: i,
        clientIp: address ?? `ip ${i}`,
      }),
    })),
  );

/** Batches of the events in any order. Some events occur repeatedly, and some perhaps never. */
export const batchesOf = (sent: readonly Sent[]): fc.Arbitrary<Sent[][]> =>
  sent.length === 0
    ? fc.constant([])
    : fc.tuple(
        fc.shuffledSubarray([...sent], { minLength: Math.floor(sent.length / 2) }),
        fc.array(fc.constantFrom(...sent), { maxLength: 10 }),
        fc.shuffledSubarray([...sent]),
      );

const term: fc.Arbitrary<Term> = fc.oneof(
  oneOf([...WORDS, ...NAMES.filter((text) => /^(?:\p{L}|\u0307)+$/u.test(text)), 'ip', '3']).map((text) => ({
    kind: 'word' as const,
    text,
  })),
  fc.tuple(oneOf(WORDS), fc.integer({ min: 1, max: 4 })).map(([word, length]) => ({
    kind: 'prefix' as const,
    text: Array.from(word).slice(0, length).join(''),
  })),
  fc.tuple(speakable, fc.nat(2), fc.integer({ min: 1, max: 9 })).map(([text, start, length]) => ({
    kind: 'phrase' as const,
    text:
      Array.from(text)
        .slice(start, start + length)
        .join('') || text,
  })),
);
const anyCase = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
);
const search = fc.array(
  fc.tuple(term, anyCase).map(([{ kind, text }, change]) => ({ kind, text: change(text) })),
  { minLength: 1, maxLength: 2 },
);

/** Gives most questions few conditions, since many conditions together find nothing. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const perhaps = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

export const questions: fc.Arbitrary<Question> = fc
  .record({
    actionId: seldom(oneOf([...ACTIONS, 'none'])),
    databaseName: seldom(oneOf([...NAMES, 'none'])),
    principalName: seldom(oneOf([...NAMES, 'none'])),
    serverInstanceName: seldom(oneOf([...INSTANCES, 'SQL1 PAY'])),
    succeeded: seldom(fc.boolean()),
    search: seldom(search),
    filter: perhaps(writtenFilters),
    bounds: fc.tuple(seldom(oneOf(BOUNDS)), seldom(oneOf(BOUNDS))),
    sortBy: perhaps(oneOf(SORT_VALUES)),
    sortDirection: perhaps(fc.constantFrom('asc' as const, 'desc' as const)),
    page: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4 })),
    pageSize: fc.integer({ min: 1, max: 9 }),
  })
  .map(({ bounds: [a, b], ...question }) => {
    const swapped = a !== undefined && b !== undefined && a > b;
    return { ...question, startTime: swapped ? b : a, endTime: swapped ? a : b };
  });

/** @returns the query parameters of a question */
export function toQuery({ search: terms, filter, ...others }: Question): Record<string, string> {
  const rest = { ...others, filter: filter?.text };
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const query = Object.fromEntries(given.map(([key, value]) => [key, String(value)]));
  if (!terms) return query;
  const written = { word: (t: string) => t, prefix: (t: string) => `${t}*`, phrase: (t: string) => `"${t}"` };
  return { ...query, search: terms.map(({ kind, text }) => written[kind](text)).join(' ') };
}

/** Events as `sentEvents` makes them, but at other times. @param time in ticks */
export const sentAt = (time: fc.Arbitrary<bigint>): fc.Arbitrary<Sent[]> =>
  fc.tuple(sentEvents, fc.array(time, { minLength: 40, maxLength: 40 })).map(([all, times]) =>
    all.map(({ tenant, event }, i): Sent => {
      const ticks = times[i];
      return ticks === undefined
        ? { tenant, event }
        : { tenant, event: { ...event, eventTime: formatTicks(ticks) } };
    }),
  );

/** The parameters of a time range. Either end may be open. @param time in ticks */
export const rangeOf = (time: fc.Arbitrary<bigint>) => {
  const end = fc.option(time, { nil: undefined });
  const textOf = (ticks: bigint | undefined) => (ticks === undefined ? undefined : formatTicks(ticks));
  return fc
    .tuple(end, end)
    .map(([a, b]) => (a !== undefined && b !== undefined && a > b ? [b, a] : [a, b]))
    .map(([from, to]) => ({ startTime: textOf(from), endTime: textOf(to) }));
};
