import fc from 'fast-check';
import { parseTicks } from '../../src/event/event-time';
import { AUDIT_EVENT_FIELDS, type FieldSpec, INGEST_FIELDS } from '../../src/event/fields';
import { recordIdOf } from '../../src/event/record-id';
import { LIMITS } from '../../src/limits';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { additionalJsonOf } from '../../src/store/bytes/checked-event';
import { anEvent } from '../support/events';

const NOW = Date.parse('2026-01-06T00:00:00Z');
const check = (given: unknown) => checkEvent(1, given, NOW);
const specOf = (name: (typeof INGEST_FIELDS)[number]): FieldSpec => AUDIT_EVENT_FIELDS[name];
function rejectionOf(given: unknown) {
  const checked = check(given);
  if ('event' in checked) throw new Error('the event was taken');
  return checked.rejection;
}
function eventOf(given: unknown) {
  const checked = check(given);
  if ('rejection' in checked) throw new Error(checked.rejection.message);
  return checked.event;
}

const MAX = LIMITS.unknownFieldsMax;
const unknownFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`new${i}`, i]));

describe('a field that this release does not know', () => {
  const NAMES = ['userName', 'toString', 'StatementText', 'File', 'constructor', '__proto__', '', '0'];
  const withField = (name: string, value: unknown, event: object = anEvent()) =>
    JSON.parse(`${JSON.stringify(event).slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`);

  it.each(NAMES)('is kept in additional, whatever its name: %j', (name) => {
    for (const value of ['x', '', 7, -1.5, false, null]) {
      const { record, stated } = eventOf(withField(name, value));
      const kept = JSON.parse(stated);
      expect(Object.entries(kept)).toEqual(
        expect.arrayContaining([
          ['sessionId', 55],
          ['classType', 'U'],
          [name, value],
        ]),
      );
      expect(Object.keys(kept)).toHaveLength(3);
      expect(Object.hasOwn(record, name)).toBe(false);
    }
  });

  it('changes neither a known field nor the record id', () => {
    const sent = anEvent();
    const { record, recordId } = eventOf({ ...sent, ...unknownFields(3) });
    expect(record).toEqual({ ...sent, additional: { ...sent.additional, ...unknownFields(3) } });
    expect(recordId).toBe(eventOf(sent).recordId);
  });

  it('is kept even if the event has no additional values', () => {
    for (const additional of [undefined, null])
      expect(JSON.parse(eventOf({ ...anEvent(), additional, userName: 'sa' }).stated)).toEqual({
        userName: 'sa',
      });
  });

  it('is kept up to the limit of additional values, and a null counts too', () => {
    const { stated } = eventOf({ ...anEvent(), additional: {}, ...unknownFields(MAX - 1), none: null });
    expect(Object.keys(JSON.parse(stated))).toHaveLength(MAX);
  });

  it('is kept as JSON text if it is a list or an object', () => {
    const value = { a: [1, 'two', null], b: { c: true } };
    const { stated } = eventOf({ ...anEvent(), additional: {}, list: [], value });
    expect(JSON.parse(stated)).toEqual({ list: '[]', value: JSON.stringify(value) });
  });

  it('does not replace an additional value of the same name: both are kept, or one if they are equal', () => {
    const additional = { sessionId: 55, 'event.classType': 'V', classType: 'U', same: '1' };
    const given = { ...anEvent({ additional }), sessionId: '55', classType: 'W', same: '1' };
    expect(JSON.parse(eventOf(given).stated)).toEqual({
      ...additional,
      'event.sessionId': '55',
      'event.event.classType': 'W',
    });
  });

  it('never replaces another value, whatever the names and values', () => {
    const name = fc.oneof(fc.constantFrom('a', 'event.a', 'event.event.a', '__proto__'), fc.string());
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const values = fc.dictionary(name, scalar, { maxKeys: 8 });
    fc.assert(
      fc.property(values, values, (additional, beside) => {
        const { additional: _, ...event } = anEvent();
        const unknown = Object.entries(beside).filter(([key]) => !(key in { ...event, additional }));
        const given = { ...event, ...Object.fromEntries(unknown), additional };
        const kept = JSON.parse(eventOf(JSON.parse(JSON.stringify(given))).stated);
        for (const [key, value] of Object.entries(additional)) expect(kept[key]).toEqual(value);
        const isKept = ([key, value]: [string, unknown]) =>
          Object.entries(kept).some(
            ([at, is]) => is === value && at.replace(/^(event\.)*/, '') === key.replace(/^(event\.)*/, ''),
          );
        expect(unknown.filter((pair) => !isKept(pair))).toEqual([]);
      }),
    );
  });
});

describe('a valid event', () => {
  it('keeps every value, and gets the record id of its time, tenant and position', () => {
    const sent = anEvent({ fileGuid: 'ABCDEF00-1111-2222-3333-444455556666' });
    const event = eventOf(sent);
    expect(event.record).toEqual(sent);
    const source = {
      fileGuid: sent.fileGuid.toLowerCase(),
      blockOffset: sent.blockOffset,
      index: sent.index,
    };
    expect(event.recordId).toBe(recordIdOf(1, parseTicks(sent.eventTime) ?? 0n, source));
  });

  it('keeps the further values and the position of its record beside the public fields', () => {
    const { record } = eventOf(anEvent({ fileGuid: 'ABCDEF00-1111-2222-3333-444455556666', parts: 3 }));
    expect(JSON.parse(additionalJsonOf(record))).toEqual({
      sessionId: 55,
      classType: 'U',
      file: 'Payroll_Audit.sqlaudit',
      blockOffset: 5632,
      index: 0,
      parts: 3,
      fileGuid: 'abcdef00-1111-2222-3333-444455556666',
    });
  });

  it('may lack any nullable field or have it empty, since SQL Server does not distinguish the two on disk', () => {
    for (const name of INGEST_FIELDS.filter((n) => specOf(n).nullable)) {
      const event = anEvent();
      for (const value of [null, undefined, '']) {
        expect(eventOf({ ...event, [name]: value }).recordId).toBe(eventOf(event).recordId);
      }
    }
  });

  it('may hold any text, however hostile', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (statement) => {
        expect(eventOf(anEvent({ statement })).record.statement).toBe(statement);
      }),
    );
  });
});

describe('an event is refused, and its problem named, when', () => {
  it.each(INGEST_FIELDS.filter((n) => !specOf(n).nullable))('it lacks %s', (name) => {
    for (const value of [undefined, null]) {
      expect(rejectionOf({ ...anEvent(), [name]: value }).message).toContain(`${name} is missing`);
    }
  });

  it.each(INGEST_FIELDS)('%s has a wrong type', (name) => {
    for (const value of [7, {}, ['x'], specOf(name).kind === 'boolean' ? 'true' : true]) {
      expect(rejectionOf({ ...anEvent(), [name]: value })).toMatchObject({
        code: 'invalid_event',
        message: expect.stringContaining(`${name} must be`),
      });
    }
  });

  it.each(INGEST_FIELDS.filter((n) => specOf(n).charsMax))('%s is too long', (name) => {
    const max = specOf(name).charsMax ?? 0;
    expect(rejectionOf({ ...anEvent(), [name]: 'x'.repeat(max + 1) }).message).toContain(`${name} is longer`);
    eventOf({ ...anEvent(), [name]: 'x'.repeat(max) });
  });

  it.each([
    ['file', ''],
    ['file', 'x'.repeat(1025)],
    ['fileGuid', 'not a guid'],
    ['blockOffset', -1],
    ['blockOffset', 1.5],
    ['blockOffset', 2 ** 53],
    ['blockOffset', '512'],
    ['index', null],
    ['parts', 'two'],
    ['additional', []],
    ['additional', 'text'],
    ['additional', { text: 'x'.repeat(LIMITS.additionalCharsMax) }],
  ])('its position or size is invalid: %s', (name, value) => {
    expect(rejectionOf({ ...anEvent(), [name]: value }).message).toContain(name);
  });

  it.each(['2026-01-05T08:00:00', '2026-01-05T08:00:00+00:00', '2026-01-05', '2026-02-30T00:00:00Z', 'now'])(
    'its time is not UTC with at most seven decimals: %s',
    (eventTime) =>
      expect(rejectionOf(anEvent({ eventTime })).message).toContain('eventTime must be a UTC time'),
  );

  it.each(['recordId', 'tenantId'])('it states %s, which the service sets', (name) => {
    for (const value of ['x', null])
      expect(rejectionOf({ ...anEvent(), [name]: value }).message).toContain(`"${name}" is not a field`);
  });

  it('it has more unknown fields than the limit, which the message names', () => {
    const { brief, message, code } = rejectionOf({ ...anEvent(), ...unknownFields(MAX + 1) });
    expect([code, brief]).toEqual([
      'invalid_event',
      `the event has ${MAX + 1} unknown fields, and may have at most ${MAX}; and ${MAX + 1} more`,
    ]);
    expect(message).toContain('"new0" is not a field of an event');
  });

  it('an unknown field is too large for the additional values, or is nested too deep', () => {
    const long = rejectionOf({ ...anEvent(), text: 'x'.repeat(LIMITS.additionalCharsMax) });
    expect(long.message).toContain(`additional is longer than ${LIMITS.additionalCharsMax} characters`);
    for (const levels of [LIMITS.jsonDepthMax + 1, 100_000]) {
      const deep = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
      expect(rejectionOf({ ...anEvent(), deep }).message).toContain(
        `"deep" has more than ${LIMITS.jsonDepthMax} levels`,
      );
    }
  });

  it.each([null, 'event', 7, [], [anEvent()]])('it is not an object: %j', (given) =>
    expect(rejectionOf(given).code).toBe('invalid_event'),
  );

  it('it has several problems, which are all named at once', () => {
    const { message } = rejectionOf({ ...anEvent(), succeeded: 1, actionId: '', index: 'x', extra: 1 });
    for (const name of ['succeeded', 'actionId', 'index', 'extra']) expect(message).toContain(name);
  });

  it('its additional values are nested too deep to be stored', () => {
    const text = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect(rejectionOf({ ...anEvent(), additional: JSON.parse(text) }).message).toContain('additional');
  });
});

it('the check of an event never throws, whatever the value', () => {
  const anything = fc.anything({ withBigInt: false });
  fc.assert(
    fc.property(
      fc.oneof(anything, fc.dictionary(fc.constantFrom(...INGEST_FIELDS, 'file', 'index'), anything)),
      (given) => {
        expect(Object.keys(check(given)).length).toBe(1);
      },
    ),
  );
});
