import fc from 'fast-check';
import type { DomainError } from '../../src/errors';
import { readJson } from '../../src/graphql/json-body';
import { LIMITS } from '../../src/limits';
import { BytesCheck } from '../../src/modules/ingest/check-bytes';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { CheckedEvents } from '../../src/modules/ingest/checked-events';
import { readBatch } from '../../src/modules/ingest/read-batch';
import { type Intake, parseBatch } from '../../src/modules/ingest/receive-batch';
import type { CheckedEvent } from '../../src/store/bytes/checked-event';
import { anEvent } from '../support/events';

const NOW = Date.parse('2026-01-06T00:00:00Z');
/** Keeps the events that would be stored. */
class Kept extends CheckedEvents {
  constructor(readonly events: CheckedEvent[] = []) {
    super(1, { add: (event) => void events.push(event.checked()), store: async () => events.length });
  }
}
const bytesCheck = new BytesCheck(1, NOW);
const INTAKE: Intake = {
  check: (given) => checkEvent(1, given, NOW),
  isValid: (event) => bytesCheck.isValid(event),
  open: () => new Kept(),
};
interface Body {
  readonly variables: { readonly batch: { readonly events: Kept } };
}
const read = (text: string) => readBatch(Buffer.from(text), INTAKE);
const eventsOf = async (text: string) => ((await read(text)) as Body).variables.batch.events;
const codeOf = (text: string) =>
  read(text).then(
    () => null,
    (error: DomainError) => error.code,
  );
const bodyOf = (events: readonly unknown[], write = JSON.stringify) =>
  write({ query: 'mutation', variables: { batch: { tenantId: '1', events } } });
const withEvents = (list: string) => `{"query":"q","variables":{"batch":{"events":${list}}}}`;
/** Of many groups. */
const MANY = Array.from({ length: 400 }, (_, i) => anEvent({ statement: `SELECT '},{' [${i}] "` }));

describe('a body with a batch', () => {
  it.each([
    ['as agents write it', bodyOf(MANY)],
    ['with white space', JSON.stringify(JSON.parse(bodyOf(MANY)), null, '\t')],
    [
      'with the document last',
      JSON.stringify({ variables: { batch: { events: MANY } }, query: 'q($a: [Int])' }),
    ],
    ['with escaped names', bodyOf(MANY).replaceAll('"additional"', '"\\u0061dditional"')],
    [
      'with texts that look like events',
      bodyOf(MANY).replace('"query":"mutation"', '"query":"\\"events\\":[{}]"'),
    ],
    ['with texts of any plane', bodyOf(MANY.map((event) => ({ ...event, objectName: '顧客 \u{1F600}' })))],
  ])('is read as any JSON: %s', async (_, text) => {
    const expected = JSON.parse(text);
    const body = (await read(text)) as { variables: { batch: { events: unknown } } };
    const { events, rejected } = body.variables.batch.events as Kept;
    expect(rejected).toEqual([]);
    expect(events.map(({ record }) => record)).toEqual(expected.variables.batch.events);
    expect({ ...body, variables: { batch: { ...body.variables.batch, events: 0 } } }).toEqual({
      ...expected,
      variables: { batch: { ...expected.variables.batch, events: 0 } },
    });
  });

  it('keeps the indexes of its rejected events, among many', async () => {
    const given: unknown[] = [...MANY];
    given[3] = 'text';
    given[399] = { ...anEvent(), index: 'x' };
    const { accepted, rejected } = await eventsOf(bodyOf(given));
    expect(accepted).toBe(398);
    expect(rejected.map(({ index }) => index)).toEqual([3, 399]);
  });

  it('is refused if it is not JSON, wherever the mistake is', async () => {
    const sound = bodyOf([anEvent(), anEvent()]);
    for (const at of Array.from({ length: 60 }, (_, i) => Math.floor((sound.length * i) / 60)))
      expect(await codeOf(sound.slice(0, at))).toBe('invalid_parameter');
    for (const list of [
      '[,]',
      '[{},]',
      '[,{}]',
      '[{} {}]',
      '[{}}',
      '[{]]',
      '[{"a":1}',
      '{}]',
      '[01]',
      '[1e]',
      '[01e400]',
      '[-]',
      '[1e400.5]',
      '["]',
    ])
      expect([list, await codeOf(withEvents(list))]).toEqual([list, 'invalid_parameter']);
    for (const text of ['', '{', ']', '{}}', '{"variables":{"batch":{"events":[]}}', '"x', 'nul', '[}'])
      expect([text, await codeOf(text)]).toEqual([text, 'invalid_parameter']);
  });

  it('has the same value as JSON.parse gives, whatever it holds', async () => {
    const value = fc.jsonValue({ maxDepth: 6 });
    const body = fc.oneof(value, fc.record({ query: value, variables: fc.dictionary(fc.string(), value) }));
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(0, 1), async (given, space) => {
        // JSON.stringify does not write -0.
        const text = JSON.stringify(given, null, space);
        expect(JSON.stringify(await read(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('takes no events from a name that only ends in "events"', async () => {
    const text = '{"variables":{"batch":{"the \\"events":[1,2]}}}';
    expect(await read(text)).toEqual(JSON.parse(text));
  });

  it('that has "events" twice takes the later ones, as in any JSON', async () => {
    const [one, other] = [JSON.stringify([anEvent()]), JSON.stringify([anEvent(), anEvent()])];
    for (const text of [
      withEvents(`${one},"events":${other}`),
      withEvents(`[], "events" : ${other}`),
      `{"variables":{"batch":{"events":${one}}},"variables":{"batch":{"events":${other}}}}`,
    ]) {
      const { variables } = (await read(text)) as { variables: { batch: object } };
      const { events } = parseBatch(variables.batch);
      expect(events instanceof CheckedEvents ? events.count : events.length).toBe(2);
    }
  });

  it('with too many events is refused for their number', async () => {
    for (const events of [LIMITS.ingestBatchEventsMax + 1, 200_000]) {
      const text = withEvents(`[${Array.from({ length: events }, () => '0').join()}]`);
      const { variables } = (await read(text)) as { variables: { batch: object } };
      expect(() => parseBatch(variables.batch)).toThrow(`at most ${LIMITS.ingestBatchEventsMax} events`);
    }
    const most = JSON.stringify(Array.from({ length: LIMITS.ingestBatchEventsMax }, () => anEvent()));
    // Agents write no space there, and other clients may.
    for (const text of [withEvents(most), withEvents(` ${most}`)])
      expect((await eventsOf(text)).accepted).toBe(LIMITS.ingestBatchEventsMax);
  });
});

describe('a number among the additional values', () => {
  const additionalOf = async (additional: string, space = '') => {
    const { additional: _, ...rest } = anEvent();
    const odd = `${JSON.stringify(rest).slice(0, -1)},${space}"additional":${space}${additional}}`;
    const events = await eventsOf(
      withEvents(`[${JSON.stringify(anEvent())},${odd},${JSON.stringify(anEvent())}]`),
    );
    expect([events.accepted, events.rejected]).toEqual([3, []]);
    return events.events[1];
  };

  it.each([
    ['{"a":1e400,"b":-1e400}', { a: '1e400', b: '-1e400' }],
    ['{"a":12345678901234567890,"b":55}', { a: '12345678901234567890', b: 55 }],
    ['{"a":9007199254740993,"b":9007199254740992}', { a: '9007199254740993', b: 9007199254740992 }],
    ['{"a":0.1234567890123456789,"b":0.25}', { a: '0.1234567890123456789', b: 0.25 }],
    ['{"a":-0}', { a: '-0' }],
    ['{"a":1.50,"b":1e2}', { a: 1.5, b: 100 }],
    ['{"1e400":"1e400 \\" 1e400","a\\"":1e400}', { '1e400': '1e400 " 1e400', 'a"': '1e400' }],
    [`{"a":${'9'.repeat(10_000)}}`, { a: '9'.repeat(10_000) }],
  ])('keeps its digits, as text if its value would change, %s', async (json, expected) => {
    for (const space of ['', ' ']) {
      const event = await additionalOf(json, space);
      expect(event?.record.additional).toEqual(expected);
      expect(JSON.parse(event?.stated ?? '')).toEqual(expected);
    }
  });

  it('keeps its digits also in a field that this release does not know, and within a list', async () => {
    const sound = JSON.stringify(anEvent());
    const unknown = '"a":1e400,"b":-0,"c":12345678901234567890,"d":1.50,"e":[0.1234567890123456789,7]';
    const odd = (additional: string) => {
      const { additional: _, ...rest } = anEvent();
      return `${JSON.stringify(rest).slice(0, -1)},${additional}${unknown}}`;
    };
    const expected = { a: '1e400', b: '-0', c: '12345678901234567890', d: 1.5 };
    for (const [additional, stated] of [
      ['', {}],
      ['"additional":null,', {}],
      ['"additional":{"z":1e400},', { z: '1e400' }],
    ] as const) {
      const list = `[${sound},${odd(additional)},${sound}]`;
      for (const text of [withEvents(list), withEvents(` ${list}`)]) {
        const { events, rejected } = await eventsOf(text);
        expect([events.length, rejected]).toEqual([3, []]);
        expect(JSON.parse(events[1]?.stated ?? '')).toEqual({
          ...stated,
          ...expected,
          e: '["0.1234567890123456789",7]',
        });
      }
    }
  });

  it('keeps its digits also if the next event holds the value that a careless reader would make of it', async () => {
    const { additional: _, ...rest } = anEvent();
    const event = JSON.stringify(rest).slice(0, -1);
    const misread = '"additional":{"a":null}';
    const { events } = await eventsOf(withEvents(`[${event},"a":1e400},${event},${misread},${misread}}]`));
    expect(events.map(({ stated }) => stated)).toEqual(['{"a":"1e400"}', '{"a":null}']);
  });

  it('never causes an event to be refused, whatever it is', async () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,5})?$/);
    await fc.assert(
      fc.asyncProperty(digits, async (number) => {
        const event = await additionalOf(`{"n":${number}}`);
        const { n } = (event?.record.additional ?? {}) as { n?: unknown };
        if (typeof n === 'string') expect(n).toBe(number);
        else expect(n).toBe(Number(number));
      }),
    );
  });
});

describe('the nesting and the number of values of a body are bounded during parsing:', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}`;
  const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const [MILLION, VALUES] = [1_300_000, 1_000_000];

  it.each([
    ['objects in the variables', `{"variables":{"batch":${nested(MILLION)}}}`],
    ['objects around everything', nested(MILLION)],
    ['lists around everything', lists(MILLION)],
    ['one level more than there may be', lists(LIMITS.jsonDepthMax + 1)],
    ['many small objects', `{"variables":{"x":[${'{},'.repeat(VALUES)}0]}}`],
    ['values before the events', `{"x":[${'{},'.repeat(VALUES)}0],"variables":{"batch":{"events":[]}}}`],
    ['many names', `{${Array.from({ length: 300_000 }, (_, i) => `"${i.toString(36)}":0`).join()}}`],
    ['a second list of events', withEvents(`[],"x":1},"other":{"events":[${'{},'.repeat(VALUES)}0]`)],
  ])('the body is refused if the excess is beside the events: %s', async (_, text) => {
    expect(await codeOf(text)).toBe('payload_too_large');
    expect(() => readJson(Buffer.from(text))).toThrow(/more than/);
  });

  it('as many levels as the limit are accepted', async () => {
    const text = lists(LIMITS.jsonDepthMax);
    expect(await read(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['objects', nested(MILLION), 'levels'],
    ['lists', lists(MILLION), 'levels'],
    ['values', `{"x":[${'0,'.repeat(VALUES)}0]}`, 'values'],
  ])('one event is refused if the excess is in that event: %s', async (_, item, what) => {
    const { accepted, rejected } = await eventsOf(withEvents(`[${JSON.stringify(anEvent())},${item}]`));
    expect([accepted, rejected.map(({ index, code }) => [index, code])]).toEqual([1, [[1, 'invalid_event']]]);
    expect(rejected[0]?.message).toMatch(what);
  });

  it('other requests are served while many events are checked', async () => {
    const item = `{${Array.from({ length: 220 }, (_, i) => `"${i.toString(36)}":0`).join()}}`;
    const text = withEvents(`[${Array(LIMITS.ingestBatchEventsMax).fill(item).join()}]`);
    let others = 0;
    const timer = setInterval(() => others++, 1);
    await read(text);
    clearInterval(timer);
    expect(others).toBeGreaterThan(5);
  });
});

describe('the problems of many events', () => {
  const many = (change: (i: number) => object) =>
    bodyOf(Array.from({ length: LIMITS.ingestBatchEventsMax }, (_, i) => ({ ...anEvent(), ...change(i) })));

  it('are named within an answer under 1 MB, with the index and the code of each event', async () => {
    const name = (i: number) => '\u0001€'.repeat(30) + i;
    for (const change of [
      () => Object.fromEntries(Array.from({ length: 60 }, (_, i) => [i.toString(36), 0])),
      (i: number) => ({
        ...Object.fromEntries(Array.from({ length: 6 }, (_, n) => [name(i + n), 0])),
        succeeded: name(i),
      }),
      () => ({ eventTime: '1989-13-01T00:00:00.0000000Z' }),
    ]) {
      const { rejected } = await eventsOf(many(change));
      expect(rejected.map(({ index }) => index)).toEqual(
        Array.from({ length: rejected.length }, (_, i) => i),
      );
      expect(rejected).toHaveLength(LIMITS.rejectedEventsMax + 1);
      expect(Buffer.byteLength(JSON.stringify(rejected))).toBeLessThan(1_000_000);
      expect(rejected.filter(({ code, message }) => !code || message.length < 10)).toEqual([]);
    }
  });

  it('are looked for until a thousand events are rejected, and the rest of the batch is left to another one', async () => {
    const { ingestBatchEventsMax, rejectedEventsMax } = LIMITS;
    const isBad = (i: number) => i % 2 === 0;
    const events = Array.from({ length: ingestBatchEventsMax }, (_, i) =>
      isBad(i) ? { ...anEvent(), actionId: null } : anEvent(),
    );
    const found = await eventsOf(bodyOf(events));
    const lookedAt = 2 * rejectedEventsMax - 1;
    expect([found.count, found.accepted]).toEqual([ingestBatchEventsMax, rejectedEventsMax - 1]);
    expect(found.rejected).toHaveLength(rejectedEventsMax + 1);
    expect(found.rejected.at(-1)).toEqual({
      index: lookedAt,
      code: 'not_looked_at',
      message: `And the rest: 1000 events were rejected, so the events from ${lookedAt} to 4999 were not looked at. Send them again in another batch.`,
    });
    const fewer = await eventsOf(bodyOf(events.slice(0, lookedAt)));
    expect(fewer.rejected).toHaveLength(rejectedEventsMax);
    const oneMore = await eventsOf(bodyOf(events.slice(0, lookedAt + 1)));
    expect(oneMore.rejected.at(-1)?.message).toContain(`so the event ${lookedAt} was not looked at`);
  });

  it('are found while other requests are served, however large the batch is', async () => {
    const event = `{"a":[${'1e999,'.repeat(200)}0]}`;
    const body = withEvents(`[${Array(LIMITS.ingestBatchEventsMax).fill(event).join()}]`);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await eventsOf(body);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });

  it('are listed up to five for each event, with the number of the others', async () => {
    const names = Array.from({ length: 220 }, (_, i) => `x${i}`);
    const { rejected } = await eventsOf(
      bodyOf([{ ...anEvent(), ...Object.fromEntries(names.map((n) => [n, 0])) }]),
    );
    expect(rejected[0]?.message).toBe(
      `the event has 220 unknown fields, and may have at most ${LIMITS.unknownFieldsMax}; ${names
        .slice(0, 4)
        .map((n) => `"${n}" is not a field of an event`)
        .join('; ')}; and 216 more`,
    );
  });
});
