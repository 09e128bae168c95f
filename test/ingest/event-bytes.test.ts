import fc from 'fast-check';
import type { ServiceDoor } from '../../src/database/clients';
import { DomainError } from '../../src/errors';
import { INGEST_FIELDS } from '../../src/event/fields';
import { idText } from '../../src/event/record-id';
import { checkEvent } from '../../src/modules/ingest/check-event';
import type { CheckedEvents } from '../../src/modules/ingest/checked-events';
import { readBatch } from '../../src/modules/ingest/read-batch';
import { intakeFor } from '../../src/modules/ingest/receive-batch';
import { PostgresAuditEventWriter } from '../../src/modules/ingest/stored-writer';
import { EventBytes } from '../../src/store/bytes/event-bytes';
import type { CheckpointKey } from '../../src/store/log/evidence/note-key';
import { COLUMNS, ColumnArrays } from '../../src/store/rows/event-columns';
import type { Partitions } from '../../src/store/rows/partitions';
import { fakeService } from '../support/doors';
import { anEvent } from '../support/events';

/** Both ways get the same salts. */
jest.mock('../../src/store/bytes/entry-salt', () => ({
  newSalt: () => Buffer.from('"AAECAwQFBgcICQoLDA0ODw"'),
}));
const NOW = Date.parse('2026-01-06T00:00:00Z');
const KEY = { keyId: 'key', mac: () => Buffer.alloc(0) } as unknown as CheckpointKey;

/** What is sent to the database for a body: the columns, and the leaves of the evidence log. */
async function storedOf(body: Buffer, isTwice: boolean): Promise<unknown> {
  let sent: unknown = null;
  const partitions = { ensureFor: async () => {} } as unknown as Partitions;
  const run = async (_: string, values: readonly unknown[]) => {
    // All but the id of the batch, which is random. The memory is used again, so it is copied.
    sent = values.map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value));
    (sent as unknown[]).splice(1 + COLUMNS.length, 1);
    return [{ n: 0 }];
  };
  // No week is sealed.
  const snapshot: ServiceDoor['snapshot'] = (_tenants, work) => work(async () => []);
  const writer = new PostgresAuditEventWriter(fakeService({ run, snapshot }), partitions, KEY, () => isTwice);
  try {
    const { variables } = (await readBatch(body, intakeFor(7, writer, NOW))) as {
      variables: { batch: { events: CheckedEvents } };
    };
    const { events } = variables.batch;
    await events.store();
    return { sent, rejected: events.rejected };
  } catch (error) {
    return error instanceof DomainError ? error.code : error;
  }
}

const bodyOf = (list: Buffer | string, space = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`{"query":"q","variables":{"batch":{"events":${space}`),
    Buffer.from(list),
    Buffer.from('}}}'),
  ]);

/** The same list of events read from its bytes, and, because of a space before it, as objects. */
const inBothWays = async (list: Buffer | string, isTwice = false) => [
  await storedOf(bodyOf(list), isTwice),
  await storedOf(bodyOf(list, ' '), isTwice),
];

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        'SELECT 1\r\n\t"x"',
        'CORP\\sa',
        '\ud83d',
        '\ude00',
        '\0',
        '\u001f',
        '\ufeff',
        '\u007f',
        '，',
        '\u{10F801}',
        'É',
      ),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));
const value = fc.oneof(
  text,
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, -0, 123456789012345, 1234567890123456),
);
const NAMES = INGEST_FIELDS.filter((name) => name !== 'eventTime' && name !== 'succeeded');
const one = <T>(name: string, ...values: readonly T[]) =>
  fc.constantFrom(...values).map((given) => ({ [name]: given }));
/** One member that may be unusual or invalid: with several of them, hardly any event would be read from its bytes. */
const change = fc.oneof(
  fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(text, fc.constant(null)), { maxKeys: 3 }),
  fc
    .dictionary(fc.oneof(text, fc.constantFrom('a', 'b', '1', '0', 'é', 'file')), value, { maxKeys: 5 })
    .map((additional) => ({ additional })),
  one(
    'eventTime',
    ...['2026-01-05T08:00:00Z', '2026-01-05T23:59:59.9999999Z', '2024-02-29T00:00:00.0000000Z'],
    ...['2025-02-29T00:00:00.0000000Z', '2025-13-01T00:00:00.0000000Z', '2025-00-10T00:00:00.0000000Z'],
    ...['2025-01-01T24:00:00.0000000Z', '2025-01-01T23:60:00.0000000Z', '2025-01-01T23:00:60.0000000Z'],
    ...[
      '1989-12-31T23:59:59.9999999Z',
      '0099-01-01T00:00:00.0000000Z',
      '1990-01-01T00:00:00.0000000Z',
      '2026-01-07T00:00:00.0000001Z',
    ],
    ...['2026-01-07T00:00:00.0010000Z', '2026-01-05 08:00:00.0000000Z', '2026-01-05T08:00:00.000000:Z'],
  ),
  one<unknown>('succeeded', false, null, 'true', 1),
  one<unknown>('parts', 2, null, 0, -1, 1.5, '1', 1e15),
  one<unknown>('index', 7, -1, null, 123456789012345),
  one<unknown>('blockOffset', 0, 2 ** 53, 1e21, '512', {}),
  one('file', '', 'x'.repeat(1024), 'x'.repeat(1025), 'é\ud83d\u0000', '\ufeff"\\'),
  one(
    'fileGuid',
    'C0E63AC8-793E-4F83-87CC-2A3F390F4F24',
    'c0e63ac8',
    'c0e63ac8-793e-4f83-87cc-2a3f390f4f2g',
    null,
  ),
  one('actionId', '', 'x'.repeat(16), 'x'.repeat(17), 'é'.repeat(16)),
  one('hostName', 'x'.repeat(512), 'x'.repeat(513), '"'.repeat(512), 'é'.repeat(512), 'é'.repeat(513)),
  one<unknown>('newField', 'x', null, { a: 1 }),
  one<unknown>('additional', null, [], 'x', { a: {} }, { a: 'x'.repeat(2 ** 20) }, { 0: 'b', a: 1 }),
);
const event = change.map((changes) => anEvent(changes as object));

describe('an event that is read from its bytes', () => {
  it('is stored and logged as if it had been parsed, or refused with the same words', async () => {
    await fc.assert(
      fc.asyncProperty(event, event, fc.boolean(), async (one, other, isTwice) => {
        const [bytes, objects] = await inBothWays(JSON.stringify([one, other]), isTwice);
        expect(bytes).toEqual(objects);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is read as if it had been parsed, whichever of its bytes are changed', async () => {
    const sound = Buffer.from(
      JSON.stringify([anEvent(), anEvent({ statement: 'SELECT "Ü"\n\\', index: 2 })]),
    );
    const edit = fc.record({
      at: fc.nat(sound.length - 1),
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 2 }),
        fc.uint8Array({ min: 0x1f, max: 0x7f, maxLength: 1 }),
        fc
          .constantFrom('"', '\\', '{', '}', ',', ':', '\\u00e9', '\\u0000', '1', '0', '-', 'e', ' ', 'null')
          .map((s) => Buffer.from(s)),
      ),
      drop: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 2 }), async (edits) => {
        let list = sound;
        for (const { at, bytes, drop } of edits)
          list = Buffer.concat([list.subarray(0, at), bytes, list.subarray(at + drop)]);
        const [one, other] = await inBothWays(list);
        expect(one).toEqual(other);
      }),
      { numRuns: 3_000 },
    );
  });

  it('has the id of its own file and day, however like those of the event before they are', async () => {
    const { fileGuid } = anEvent();
    const other = (at: number) =>
      fileGuid.slice(0, at) + (fileGuid[at] === '0' ? 1 : 0) + fileGuid.slice(at + 1);
    const digits = [...fileGuid].flatMap((char, at) => (char === '-' ? [] : at));
    const days = ['01-01', '01-11', '02-01', '01-21', '03-01', '10-01', '11-01', '12-11', '12-31'].flatMap(
      (day) => [`2024-${day}`, `2025-${day}`],
    );
    const events = [
      ...digits.flatMap((at) => [{ fileGuid }, { fileGuid: other(at) }]),
      ...days
        .flatMap((one) => days.flatMap((day) => [one, day]))
        .map((day) => ({ eventTime: `${day}T08:00:00.0000000Z` })),
    ];
    const [ofBytes, parsed] = await inBothWays(JSON.stringify(events.map((change) => anEvent(change))));
    expect(ofBytes).toMatchObject({ rejected: [] });
    expect(ofBytes).toEqual(parsed);
  });

  it('keeps its year if that is one of the first century, which JavaScript takes for one of the twentieth', async () => {
    const [bytes, objects] = await inBothWays(
      JSON.stringify([anEvent({ eventTime: '0099-01-01T00:00:00.0000000Z' })]),
    );
    expect(bytes).toEqual(objects);
    expect(bytes).toMatchObject({ rejected: [] });
    expect(JSON.stringify(bytes)).toContain('0099-01-01');
  });

  it.each([
    ['"parts":1', '"parts":1,"parts":2'],
    ['"additional":', '"additional":{"a":1},"additional":'],
    ['"parts":1', '"parts":01'],
    ['"parts":1', '"parts":-0'],
    ['"parts":1', '"parts":1.0'],
    ['"parts":1', '"parts":1e0'],
    ['"sessionId":55', '"sessionId":12345678901234567'],
    ['"sessionId":55', '"sessionId":-0'],
    ['"sessionId":55', '"sessionId":1.50'],
    ['"sessionId":55', '"sessionId":00'],
    ['"sessionId":55', '"sessionId":55,"sessionId":56'],
    ['"sessionId":55', '"sessionId":55,'],
    ['"sessionId":55', '"parts":55'],
    ['"classType":"U"', '"\\u0061":"U"'],
    ['"classType":"U"', '"classType":"\\u0055"'],
    ['"classType":"U"', '"classType":"\\/"'],
    ['"classType":"U"', '"classType":"\\uD83D"'],
    ['"classType":"U"', '"classType":"\\ud83d\\ude00"'],
    ['"classType":"U"', '"classType":tru'],
  ])('is read as if it had been parsed, with %s as %s', async (member, raw) => {
    const list = JSON.stringify([anEvent(), anEvent()]).replace(member, raw);
    const [bytes, objects] = await inBothWays(list);
    expect(bytes).toEqual(objects);
  });

  it('is refused with the same words if it has too many additional values', async () => {
    const additional = Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [`n${i}`, i]));
    const [bytes, objects] = await inBothWays(JSON.stringify([anEvent({ additional })]));
    expect(bytes).toEqual(objects);
    expect(bytes).toMatchObject({
      rejected: [{ message: expect.stringContaining('additional is longer than') }],
    });
  });

  it('has its values where the names say, in any order of its members', async () => {
    const members = Object.entries(anEvent());
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(members, { minLength: members.length }), async (shuffled) => {
        const list = JSON.stringify([Object.fromEntries(shuffled), Object.fromEntries(members)]);
        const [bytes, objects] = await inBothWays(list);
        expect(bytes).toEqual(objects);
        expect(bytes).toMatchObject({ rejected: [] });
      }),
      { numRuns: 100 },
    );
  });

  it('has the same texts in its columns as on the distributed engine, which writes them from an object', async () => {
    const sound = event.filter((given) => 'event' in checkEvent(7, given, NOW));
    await fc.assert(
      fc.asyncProperty(
        fc.array(sound, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (events, isTwice) => {
          const columns = new ColumnArrays();
          const bytes = new EventBytes();
          const checked = events
            .map((given) => checkEvent(7, given, NOW))
            .flatMap((c) => ('event' in c ? c.event : []));
          for (const one of checked) columns.add(bytes.of(one), isTwice);
          const arrays = columns.parameters(null);
          for (const [i, { column, type, textOf }] of COLUMNS.entries()) {
            const texts = checked.map((one) => textOf(one, isTwice));
            const found = elementsOf(arrays[i] as Buffer).map((element) => textOfElement(type, element));
            if (type !== 'jsonb') expect([column, found]).toEqual([column, texts]);
            else expect(found.map((json) => JSON.parse(json))).toEqual(texts.map((json) => JSON.parse(json)));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is never made an object if it is as an agent writes it', async () => {
    const of = jest.spyOn(EventBytes.prototype, 'of');
    const odd = { statement: 'SELECT \u0001 \ud83d "Ü" \u{1F600}\r\n', objectName: '顧客，' };
    const list = JSON.stringify([anEvent(), anEvent(odd), anEvent({ databaseName: null, additional: {} })]);
    expect(await storedOf(bodyOf(list), false)).toMatchObject({ rejected: [] });
    expect(of).not.toHaveBeenCalled();
    await storedOf(bodyOf(list, ' '), false);
    expect(of).toHaveBeenCalledTimes(3);
  });
});

/** The elements of a binary array of PostgreSQL. */
function elementsOf(array: Buffer): Buffer[] {
  const elements: Buffer[] = [];
  for (let at = 20; at < array.length; ) {
    const end = at + 4 + array.readInt32BE(at);
    elements.push(array.subarray(at + 4, end));
    at = end;
  }
  return elements;
}

function textOfElement(type: string, element: Buffer): string {
  if (type === 'uuid') return idText(element);
  if (type === 'bool') return String(element[0] === 1);
  // A jsonb begins with its version.
  return String(type === 'jsonb' ? element.subarray(1) : element);
}
