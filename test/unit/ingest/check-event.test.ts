import fc from 'fast-check';
import { parseTicks } from '../../../src/event/event-time';
import { AUDIT_EVENT_FIELDS, type FieldSpec, INGEST_FIELDS } from '../../../src/event/fields';
import { recordIdOf } from '../../../src/event/record-id';
import { LIMITS } from '../../../src/limits';
import { checkEvent } from '../../../src/modules/ingest/check-event';
import { additionalJsonOf } from '../../../src/trail/checked-event';
import { anEvent } from '../../support/events';

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

describe('a sound event', () => {
  it('keeps every value, and gets the id of its time, tenant and place', () => {
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

  it('keeps, beside the public fields, what the record states and where it stood', () => {
    const { record } = eventOf(anEvent({ fileGuid: 'ABCDEF00-1111-2222-3333-444455556666', parts: 3 }));
    expect(JSON.parse(additionalJsonOf(record))).toEqual({
      ...{
        sessionId: 55,
        classType: 'U',
        file: 'Payroll_Audit.sqlaudit',
        blockOffset: 5632,
        index: 0,
        parts: 3,
      },
      fileGuid: 'abcdef00-1111-2222-3333-444455556666',
    });
  });

  it('may lack any nullable field, or have it empty: on disk SQL Server does not tell them apart', () => {
    for (const name of INGEST_FIELDS.filter((n) => specOf(n).nullable)) {
      const event = anEvent();
      for (const value of [null, undefined, '']) {
        expect(eventOf({ ...event, [name]: value }).recordId).toBe(eventOf(event).recordId);
      }
    }
  });

  it('may hold any text there is, however hostile', () => {
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
  ])('its place or extent is unsound: %s', (name, value) => {
    expect(rejectionOf({ ...anEvent(), [name]: value }).message).toContain(name);
  });

  it.each(['2026-01-05T08:00:00', '2026-01-05T08:00:00+00:00', '2026-01-05', '2026-02-30T00:00:00Z', 'now'])(
    'its time is not UTC with at most seven decimals: %s',
    (eventTime) =>
      expect(rejectionOf(anEvent({ eventTime })).message).toContain('eventTime must be a UTC time'),
  );

  it('it has a field nobody knows: a value dropped unread would be evidence lost', () => {
    for (const name of ['userName', 'recordId', 'tenantId', 'toString', 'StatementText']) {
      expect(rejectionOf({ ...anEvent(), [name]: 'x' }).message).toContain(`"${name}" is not a field`);
    }
  });

  it.each([null, 'event', 7, [], [anEvent()]])('it is no object: %j', (given) =>
    expect(rejectionOf(given).code).toBe('invalid_event'),
  );

  it('and every problem is named at once', () => {
    const { message } = rejectionOf({ ...anEvent(), succeeded: 1, actionId: '', index: 'x', extra: 1 });
    for (const name of ['succeeded', 'actionId', 'index', 'extra']) expect(message).toContain(name);
  });

  it('its additional values are nested too deep to be written down', () => {
    const text = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect(rejectionOf({ ...anEvent(), additional: JSON.parse(text) }).message).toContain('additional');
  });
});

it('no value whatever makes the check throw', () => {
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
