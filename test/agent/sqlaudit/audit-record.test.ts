import { countOf } from '../../../agent/sqlaudit/audit-columns';
import { toAuditRecord } from '../../../agent/sqlaudit/audit-record';
import { filetimeText } from '../../../agent/sqlaudit/filetime';
import type { AuditRecord } from '../../../src/event/audit-record';
import { RECORD_FIELDS } from '../../../src/event/fields';
import type { Description } from './support/metadata';
import { partsOf } from './support/parts';
import { AuditFileWriter, type EventOptions, type Row } from './support/sqlaudit-writer';

function recordOf(row: Row, writer?: AuditFileWriter, options?: EventOptions): AuditRecord {
  const [part] = partsOf([row], writer, options);
  if (!part) throw new Error('no part');
  return toAuditRecord(part, part.texts, 1);
}

const TYPES = {
  int32: 4,
  int64: 8,
  uint64: 8,
  filetime: 8,
  boolean: 1,
  unicode_string: 0,
  guid: 0,
  binary_data: 0,
};
const columns = { action_id: 'int32', succeeded: 'boolean', session_id: 'int32' };
const describing = (more: Record<string, string>) =>
  AuditFileWriter.describing({ types: TYPES, events: { audit_event: { ...columns, ...more } } });

describe('an audit record', () => {
  it('has every field of the field table, null where absent, and the further values of the event', () => {
    const record = recordOf({
      event_time: '2025-04-15T09:00:00.1234567Z',
      action_id: 'SL',
      succeeded: true,
      class_type: 'U',
      statement: 'SELECT 1',
      transaction_id: 9_007_199_254_740_993n,
      server_principal_sid: Buffer.from([1, 5, 0xff]),
      session_context: 'x',
    });
    expect(Object.keys(record)).toEqual(expect.arrayContaining([...RECORD_FIELDS, 'parts', 'additional']));
    expect(record).toMatchObject({
      eventTime: '2025-04-15T09:00:00.1234567Z',
      actionId: 'SL',
      succeeded: true,
      objectName: null,
      clientIp: null,
      statement: 'SELECT 1',
      additional: {
        classType: 'U',
        transactionId: '9007199254740993',
        serverPrincipalSid: '0x0105ff',
        sessionContext: 'x',
        objectId: 0,
      },
    });
    for (const absent of ['statement', 'actionId', 'additionalInformation', 'userDefinedInformation']) {
      expect(record.additional).not.toHaveProperty(absent);
    }
  });

  it('takes the time of the event if event_time is missing, zero or out of range', () => {
    const time = '2025-04-10T01:00:00.0000000Z';
    expect(recordOf({ action_id: 'SL' }, describing({})).eventTime).toBe(time);
    expect(recordOf({ action_id: 'SL' }, describing({ event_time: 'filetime' })).eventTime).toBe(time);
    const late = { action_id: 'SL', event_time: 2n ** 64n - 1n };
    expect(recordOf(late, describing({ event_time: 'filetime' })).eventTime).toBe(time);
  });

  it.each(['2025-02-30T08:00:00Z', '2025-04-15Tx', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00', 'x'])(
    'takes the time of the event if event_time is the text %s, which the service takes for no time',
    (event_time) => {
      const time = '2025-04-10T01:00:00.0000000Z';
      const writer = describing({ event_time: 'unicode_string' });
      expect(recordOf({ action_id: 'SL', event_time }, writer, { time }).eventTime).toBe(time);
    },
  );

  it('takes its own time where the lower half of that is zero', () => {
    const filetime = 31_173_000n << 32n;
    const own = recordOf({ action_id: 'SL', event_time: filetime }, describing({ event_time: 'filetime' }));
    expect(own.eventTime).toBe(filetimeText(filetime));
  });

  it('reads a time whose type in the file is a plain number', () => {
    const row = { action_id: 'SL', event_time: 133_887_488_000_000_001n };
    expect(recordOf(row, describing({ event_time: 'uint64' })).eventTime).toBe(
      '2025-04-10T08:53:20.0000001Z',
    );
  });

  it.each<[string, Description]>([
    ['a number', { types: { ...TYPES, code: 4 } }],
    ['a mapped number', { types: TYPES, maps: { code: { size: 4, texts: { 538987603: 'SELECT' } } } }],
    ['a wide number', { types: { ...TYPES, code: 8 } }],
    ['text', { types: { ...TYPES, code: 0 } }],
  ])('reads the action code from its bytes when it is %s', (kind, description) => {
    const writer = AuditFileWriter.describing({
      ...description,
      events: { audit_event: { ...columns, action_id: 'code' } },
    });
    const bytes = Buffer.from(kind === 'text' ? 'S\0L\0' : 'SL  \0\0\0\0');
    expect(
      recordOf({ action_id: bytes.subarray(0, kind === 'a wide number' ? 8 : 4) }, writer).actionId,
    ).toBe('SL');
  });

  describe('of a file without the column client_ip', () => {
    const old = describing({ additional_information: 'unicode_string' });
    const information = (address: string) => `<action_info><address>${address}</address></action_info>`;

    it.each(['LGIS', 'LGIF', 'LGO'])(
      'takes the address of a %s from its additional information',
      (action_id) => {
        const row = { action_id, additional_information: information('10.0.0.1') };
        expect(recordOf(row, old).clientIp).toBe('10.0.0.1');
        expect(
          recordOf({ ...row, additional_information: information('&lt;named pipe&gt;') }, old).clientIp,
        ).toBe('<named pipe>');
      },
    );

    it('takes no address from additional information that states none', () => {
      expect(
        recordOf({ action_id: 'SL', additional_information: information('10.0.0.1') }, old).clientIp,
      ).toBeNull();
      expect(
        recordOf({ action_id: 'LGIS', additional_information: information(' ') }, old).clientIp,
      ).toBeNull();
      const withColumn = describing({
        client_ip: 'unicode_string',
        additional_information: 'unicode_string',
      });
      const row = { action_id: 'LGIS', additional_information: information('10.0.0.1') };
      expect(recordOf(row, withColumn).clientIp).toBeNull();
    });
  });
});

it('a part counts from 1: what is no such count is a whole record', () => {
  const counted = [1, 2, '3', null, 0, -1, 1.5, 'x', true].map((value) => countOf(value));
  expect(counted).toEqual([1, 2, 3, 1, 1, 1, 1, 1, 1]);
});
