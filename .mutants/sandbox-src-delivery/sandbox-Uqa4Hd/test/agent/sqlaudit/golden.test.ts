import { decodeFiles, decodeFilesRaw } from '../../../agent/sqlaudit/decode-files';
import { collect } from './support/collect';
import { expectedRecords, fixturePaths, realXelPath, SCHEMAS } from './support/fixtures';

describe.each(SCHEMAS)('the files of %s', (schema) => {
  it.each(['in order', 'in reverse'])('decode to their expected records, given %s', async (order) => {
    const paths = fixturePaths(schema);
    const items = await collect(decodeFiles(order === 'in order' ? paths : paths.reverse()));
    const records = items.map((item) => (item.kind === 'record' ? item.record : item));
    const expected = expectedRecords(schema);
    expect(records).toHaveLength(expected.length);
    expect(records).toEqual(expected.map((record) => expect.objectContaining(record)));
  });

  it('hold split records, whose parts are joined and counted', async () => {
    const items = await collect(decodeFiles(fixturePaths(schema)));
    const split = items.flatMap((item) =>
      item.kind === 'record' && item.record.parts > 1 ? [item.record] : [],
    );
    expect(split).toHaveLength(2);
    for (const { parts, statement, additional } of split) {
      expect([parts, additional.sequenceNumber]).toEqual([2, 1]);
      expect(statement?.length).toBeGreaterThan(4000);
      expect(statement?.isWellFormed()).toBe(true);
    }
  });

  it('have one raw event for each part of a record', async () => {
    const raw = await collect(decodeFilesRaw(fixturePaths(schema)));
    const parts = expectedRecords(schema).reduce((sum, record) => sum + (record.parts ?? 0), 0);
    expect(raw).toHaveLength(parts);
    expect(raw[0]).toMatchObject({ kind: 'raw', event: { name: 'audit_event', actions: {} } });
  });
});

describe('a file that a real SQL Server 2017 wrote', () => {
  const path = realXelPath();
  if (path === null) console.warn('skipped: TestXel_0.xel is not here (../shared/data/xel)');
  const real = path === null ? it.skip : it;

  real('has the 149 events that its owners count in it', async () => {
    const items = await collect(decodeFilesRaw([path ?? '']));
    const events = items.flatMap((item) => (item.kind === 'raw' ? [item.event] : []));
    expect(items).toHaveLength(149);
    expect(events).toHaveLength(149);
    expect(events[0]?.name).toBe('rpc_completed');
    expect(events.at(-1)?.name).toBe('sql_batch_completed');
    const times = events.map((event) => event.timestamp);
    expect(times[0]).toBe('2017-10-17T20:37:03.1482054Z');
    // One logout of this file stands behind an event that is 7.7 ms younger; all other times ascend.
    const late = events.filter((event, i) => i > 0 && event.timestamp < (times[i - 1] ?? ''));
    expect(late).toMatchObject([{ name: 'logout', timestamp: '2017-10-17T20:37:04.0948161Z' }]);
    const others = times.filter((time) => time !== late[0]?.timestamp);
    expect(others).toEqual([...others].sort());
  });

  real('shows numbers, mapped values, empty values and actions as they are', async () => {
    const [first] = await collect(decodeFilesRaw([path ?? '']));
    expect(first).toMatchObject({
      event: {
        fields: {
          duration: '56',
          result: 'OK',
          object_name: 'sp_prepare',
          data_stream: null,
          output_parameters: '',
        },
        actions: { session_id: 182, server_principal_name: 'NTDEV\\DAVIDSHI-SRV$', client_pid: 4956 },
      },
    });
  });

  real('holds no audit records, and says so', async () => {
    const items = await collect(decodeFiles([path ?? '']));
    expect(items).toEqual([
      expect.objectContaining({ kind: 'problem', reason: expect.stringContaining('--raw') }),
    ]);
  });
});
