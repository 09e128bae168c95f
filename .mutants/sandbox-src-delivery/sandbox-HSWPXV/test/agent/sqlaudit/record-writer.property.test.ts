import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { JsonText } from '../../../agent/json-text';
import { toAuditPart, toAuditRecord } from '../../../agent/sqlaudit/audit-record';
import type { DecodedEvent } from '../../../agent/sqlaudit/event';
import { eventsOf, SqlAuditFile } from '../../../agent/sqlaudit/reader';
import { recordWriterOf } from '../../../agent/sqlaudit/record-writer';
import { FILES_2022 } from '../support/agent-world';
import { CountingSource } from './support/counting-source';
import { fixturePaths, SCHEMAS } from './support/fixtures';
import { AuditFileWriter, type Row, wide } from './support/sqlaudit-writer';

const POSITION = { file: '', fileGuid: '', blockOffset: 0, index: 0 };
const TIME = '2025-04-15T08:53:23.3337811Z';
const GUID = '5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e10';

/** The part of a record's JSON behind its position. */
function written(event: DecodedEvent): string | null {
  const writer = recordWriterOf(event.type);
  if (!writer?.isWhole(event)) return null;
  // The buffer starts without room, so it must grow.
  const out = new JsonText(Buffer.alloc(0));
  writer.write(out, event);
  return out.bytes.toString('utf8', 0, out.at);
}

function expected(event: DecodedEvent): string {
  const part = toAuditPart(event, POSITION);
  if (!part) throw new Error('no audit record');
  return JSON.stringify(toAuditRecord(part, part.texts, 1)).slice(JSON.stringify(POSITION).length - 1, -1);
}

async function eventsIn(bytes: Buffer): Promise<DecodedEvent[]> {
  const source = new CountingSource(bytes);
  const opened = await SqlAuditFile.open(source);
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  const events: DecodedEvent[] = [];
  for await (const item of opened.file.blocks(source))
    if (item.kind === 'events') for (const { event } of eventsOf(item)) events.push(event);
  return events;
}

const unit = fc.oneof(
  fc.constantFrom(
    ...['a', '"', '\\', '\n', '\0', '\x1f', '\x7f', '\x80', '\u07ff', '\u0800', '\u2028', '\uffff'],
  ),
  fc.integer({ min: 0xd7ff, max: 0xe000 }).map((code) => String.fromCharCode(code)),
);
const text = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''));

it('a text in UTF-16 is written as the JSON of that text', () => {
  fc.assert(
    fc.property(text, fc.nat(3), fc.boolean(), (value, padding, odd) => {
      const bytes = Buffer.concat([Buffer.alloc(padding, 1), wide(value), Buffer.alloc(4, 0xdc)]);
      const out = new JsonText(Buffer.alloc(0));
      out.utf16(bytes, padding, padding + 2 * value.length + Number(odd));
      out.text(value);
      expect(out.bytes.toString('utf8', 0, out.at)).toBe(JSON.stringify(value).repeat(2));
    }),
    { numRuns: 2000 },
  );
});

it('a value is written as the JSON of that value', () => {
  const value = fc.oneof(
    fc.integer(),
    fc.nat(100),
    fc.double(),
    fc.constantFrom(true, false, null, -0, 2 ** 31, 1e10),
    text,
  );
  fc.assert(
    fc.property(value, (given) => {
      const out = new JsonText(Buffer.alloc(0));
      out.value(given);
      expect(out.bytes.toString('utf8', 0, out.at)).toBe(JSON.stringify(given));
    }),
    { numRuns: 2000 },
  );
});

const long = fc.constantFrom(3_999, 4_000, 4_001).map((length) => 'x'.repeat(length));
const hash = fc.constantFrom('', '<a/>', '<PasswordFirstNibbleHash>A</PasswordFirstNibbleHash>', '<b>ü</b>');
const row: fc.Arbitrary<Row> = fc.record(
  {
    event_time: fc.constantFrom(
      ...[TIME, TIME, TIME, '2024-02-29T23:59:59.9999999Z'],
      '1601-01-01T00:00:00.0000000Z',
      '9998-12-31T23:59:59.9999999Z',
    ),
    sequence_number: fc.constantFrom(0, 1, 1, 1, 2, -1),
    action_id: fc.constantFrom('SL', 'LGIS', ''),
    succeeded: fc.boolean(),
    session_id: fc.integer({ min: 0, max: 400 }),
    class_type: fc.constantFrom('U', 'LX'),
    object_id: fc.integer({ min: -2, max: 2 ** 31 - 1 }),
    transaction_id: fc.bigInt(-2n, 2n ** 63n - 1n),
    database_name: text,
    object_name: text,
    client_ip: text,
    statement: fc.oneof({ arbitrary: text, weight: 9 }, long),
    additional_information: fc.oneof({ arbitrary: hash, weight: 9 }, text, long),
  },
  { requiredKeys: ['event_time'] },
);

it('a record that is written directly equals the JSON of the record as an object', async () => {
  const writer = AuditFileWriter.from(readFileSync(FILES_2022[0] ?? ''));
  let whole = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
      const events = await eventsIn(
        Buffer.concat([writer.prologue(GUID), writer.block(rows, { sequence: 1, time: TIME })]),
      );
      expect(events).toHaveLength(rows.length);
      for (const event of events) {
        const json = written(event);
        if (json === null) continue;
        whole += 1;
        expect(json).toBe(expected(event));
      }
    }),
    { numRuns: 300 },
  );
  expect(whole).toBeGreaterThan(200);
});

it.each(SCHEMAS.flatMap(fixturePaths))(
  'the records of %s are written directly as the JSON of what is read',
  async (path) => {
    for (const event of await eventsIn(readFileSync(path))) {
      const json = recordWriterOf(event.type) === null ? null : written(event);
      if (json !== null) expect(json).toBe(expected(event));
    }
  },
);
