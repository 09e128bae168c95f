import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { BinaryArray } from '../../../src/database/binary-array';
import { ENTRY_V1_FIELDS } from '../../../src/event/entry-fields';
import { FIELD_NAMES } from '../../../src/event/fields';
import {
  AUDIT_LOG,
  CHECKPOINTS,
  CONSISTENCY,
  ENTRIES,
  PROOF,
  REMOVAL,
  REMOVALS,
} from '../../../src/modules/evidence/answer-fields';
import { checkEvent } from '../../../src/modules/ingest/check-event';
import { additionalJsonOf } from '../../../src/store/bytes/checked-event';
import { newSalt } from '../../../src/store/bytes/entry-salt';
import { EventBytes } from '../../../src/store/bytes/event-bytes';
import { type LoggedEvent, leafHashOf, writeLeafHash } from '../../../src/store/log/evidence/entry';
import { COLUMNS } from '../../../src/store/rows/event-columns';
import { toStoredJson } from '../../../src/store/rows/stored-text';
import { anEvent } from '../../support/events';

/** An event as the API returns it. Its entry is written here by hand, as an independent verifier computes it. */
const EVENT: LoggedEvent = {
  recordId: '019638ac-eaee-8246-a524-3f486ad33b01',
  tenantId: '1',
  eventTime: '2025-04-15T08:59:38.6062330Z',
  actionId: 'UP',
  succeeded: true,
  serverInstanceName: 'SQLPROD01\\PAYROLL',
  databaseName: 'Kontakte "Ü"',
  schemaName: 'dbo',
  objectName: '顧客',
  serverPrincipalName: 'bob\ud83d',
  databasePrincipalName: null,
  applicationName: null,
  hostName: '\u0000\u2028',
  clientIp: 'local machine',
  sourceType: 'DirectFile',
  statement: 'SELECT 1\r\n',
  additional: { z: null, Z: -1.5e-9, '10': 'ten', '9': 1e21, ä: true, a: '' },
};
const ENTRY =
  '["10","9","Z","a","z","ä"]' +
  '["019638ac-eaee-8246-a524-3f486ad33b01","1","2025-04-15T08:59:38.6062330Z","UP",true,"SQLPROD01\\\\PAYROLL",' +
  '"Kontakte \\"Ü\\"","dbo","顧客","bob\\ud83d",null,null,"\\u0000\u2028","local machine","DirectFile","SELECT 1\\r\\n",' +
  '"ten",1e+21,-1.5e-9,"",null,true]';

const additionalColumn = COLUMNS.find(({ column }) => column === 'additional') as (typeof COLUMNS)[number];
const text = fc.string({ unit: 'binary', maxLength: 12 });
const loneHalf = fc.constantFrom('\ud83d', '\ude00', '\0', '\ufeff', '"', '\\');
const anyText = fc.array(fc.oneof(text, loneHalf), { maxLength: 3 }).map((parts) => parts.join(''));
const value = fc.oneof(
  anyText,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

describe('the entry of an event', () => {
  it('is the canonical JSON of its fields and its additional values', () => {
    const expected = createHash('sha256').update(Buffer.of(0, 1)).update(ENTRY, 'utf8').digest('hex');
    expect(leafHashOf(EVENT)).toBe(expected);
  });

  it('has the fields of version 1 in their order: any other list is another version', () => {
    expect(ENTRY_V1_FIELDS.join(' ')).toBe(
      'recordId tenantId eventTime actionId succeeded serverInstanceName databaseName schemaName objectName ' +
        'serverPrincipalName databasePrincipalName applicationName hostName clientIp sourceType statement',
    );
  });

  it('holds every field of the field table: a new field needs a new version of the entry', () => {
    expect([...ENTRY_V1_FIELDS].sort()).toEqual([...FIELD_NAMES].sort());
  });

  it('is described in docs/evidence.md as it is, and so is each answer by which a client verifies it', async () => {
    const document = await readFile('docs/evidence.md', 'utf8');
    const lines = document.replace(/\s+/g, ' ');
    expect(lines).toContain(`in this order: ${ENTRY_V1_FIELDS.map((name) => `\`${name}\``).join(', ')}.`);
    const answers = [AUDIT_LOG, ENTRIES, CHECKPOINTS, CONSISTENCY, REMOVALS, REMOVAL, PROOF];
    for (const { fields } of answers)
      for (const name of Object.keys(fields)) expect(lines).toMatch(new RegExp(`\`(data\\.)?${name}\``));
  });

  it('does not depend on the order of additional values, and changes with any name or value', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, value, { maxKeys: 6 }), anyText, (values, other) => {
        const of = (additional: LoggedEvent['additional']) => leafHashOf({ ...EVENT, additional });
        const names = Object.keys(values);
        const reversed = Object.fromEntries(names.toReversed().map((name) => [name, values[name] ?? null]));
        expect(of(reversed)).toBe(of(values));
        for (const name of names) {
          expect(of({ ...values, [name]: 'quite another' })).not.toBe(of(values));
          const { [name]: taken = null, ...rest } = values;
          expect(of(rest)).not.toBe(of(values));
          if (!Object.hasOwn(values, other)) expect(of({ ...rest, [other]: taken })).not.toBe(of(values));
        }
      }),
    );
  });

  it.each([
    ['as the decoder writes it', {}],
    ['with a short time', { eventTime: '2026-01-05T08:00:00Z' }],
    ['with absent fields', { hostName: null, statement: '', objectName: undefined }],
    ['with a GUID in capitals', { fileGuid: 'C0E63AC8-793E-4F83-87CC-2A3F390F4F24' }],
    ['without additional values', { additional: undefined }],
    ['without a number of parts', { parts: undefined }],
    ['with an odd file', { file: 'a\u0000.sqlaudit' }],
    ['with a value under the name of the salt', { additional: { entrySalt: 'mine', 'event.entrySalt': 2 } }],
    ['with a field under the name of the salt', { entrySalt: 'mine' }],
    ['of a newer agent', { userName: 'sa', list: [1, 'é'], sessionId: '55', ['__proto__']: 1, Z: null }],
  ])('is the same at the ingest as from the stored event: an event %s', (_, change) => {
    const checked = checkEvent(3, anEvent(change as object), Date.parse('2026-01-06'));
    if ('rejection' in checked) throw new Error(checked.rejection.message);
    const { event } = checked;
    const { record } = event;
    const salt = newSalt();
    const storedAs = (additional: string) =>
      ({
        ...Object.fromEntries(
          FIELD_NAMES.map((name) => [name, (record as unknown as Record<string, unknown>)[name] || null]),
        ),
        recordId: event.recordId,
        tenantId: '3',
        succeeded: record.succeeded,
        eventTime: record.eventTime.length === 28 ? record.eventTime : '2026-01-05T08:00:00.0000000Z',
        additional: JSON.parse(additional),
      }) as unknown as LoggedEvent;
    const salted = Object.assign(new EventBytes().of(event), { salt });
    const ofTenant = (id: string, bytes: EventBytes) => {
      const hash = Buffer.alloc(32);
      writeLeafHash(Buffer.from(id), bytes, hash, 0);
      return hash.toString('hex');
    };
    const [before, now] = [additionalJsonOf(record), additionalJsonOf(record, undefined, String(salt))];
    expect(JSON.parse(now)).toEqual({ ...JSON.parse(before), entrySalt: JSON.parse(String(salt)) });
    expect(ofTenant('3', salted)).toBe(leafHashOf(storedAs(now)));
    expect(ofTenant('4', salted)).not.toBe(leafHashOf(storedAs(now)));
    expect(ofTenant('3', new EventBytes().of(event))).toBe(leafHashOf(storedAs(before)));
    // What is stored is what was hashed.
    const array = new BinaryArray('jsonb');
    additionalColumn.write(array, salted, false);
    const stored = array.parameter(null).toString('utf8');
    expect(stored).toContain(toStoredJson(now));
    expect(additionalColumn.textOf(salted.checked(), false)).toBe(toStoredJson(now));
  });

  it('has another salt for each event', () => {
    const salts = Array.from({ length: 600 }, () => String(newSalt()));
    expect(new Set(salts).size).toBe(600);
    expect(salts.every((salt) => /^"[\w-]{22}"$/.test(salt))).toBe(true);
  });
});
