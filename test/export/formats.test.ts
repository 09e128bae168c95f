import { parseTicks } from '../../src/event/event-time';
import { FIELD_NAMES, LIFTED_NAMES } from '../../src/event/fields';
import { recordIdFloor } from '../../src/event/record-id';
import { formatOf } from '../../src/modules/export/formats';
import { parseExport } from '../../src/modules/export/parameters';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';

const event = (statement: string | null): StoredAuditEvent => ({
  ...(Object.fromEntries(FIELD_NAMES.map((name) => [name, null])) as unknown as StoredAuditEvent),
  recordId: recordIdFloor(parseTicks('2026-01-05T08:00:00Z') ?? 0n),
  tenantId: '7',
  eventTime: '2026-01-05T08:00:00.0000000Z',
  actionId: 'SL',
  succeeded: false,
  statement,
  additional: { a: '"', responseRows: 7 },
});

describe('an export', () => {
  it('in CSV has lines that end as RFC 4180 says, texts in quotation marks, and absent values without', () => {
    const csv = formatOf('csv', 'native');
    expect(csv.mediaType).toBe('text/csv; charset=utf-8');
    expect(csv.head).toBe(
      `${[...FIELD_NAMES, 'additional', ...LIFTED_NAMES].map((name) => `"${name}"`).join(',')}\r\n`,
    );
    const [line = '', ...rest] = [event('=1+1,"x"\n'), event('')].map(csv.line).join('').split('\r\n');
    expect(rest).toHaveLength(2);
    const cells = FIELD_NAMES.map((name) => {
      if (name === 'succeeded') return 'false';
      const value = event('=1+1,""x""\n')[name];
      return value === null ? '' : `"${value}"`;
    });
    const lifted = LIFTED_NAMES.map((name) => (name === 'responseRows' ? '"7"' : ''));
    expect(line).toBe([...cells, '"{""a"":""\\"""",""responseRows"":7}"', ...lifted].join(','));
    expect(rest[0]).toContain(',"",');
    expect(csv.end(3)).toBe('#end,3\r\n');
  });

  it('in NDJSON has one line for each event, in each schema, and a last line that counts', () => {
    for (const schema of ['native', 'ocsf', 'ecs'] as const) {
      const { line: lineOf, head, mediaType, end } = formatOf('ndjson', schema);
      const lines = [event('a\nb'), event(null)].map(lineOf).join('').split('\n');
      expect([head, mediaType, lines.length, lines[2]]).toEqual(['', 'application/x-ndjson', 3, '']);
      for (const line of lines.slice(0, 2)) expect(JSON.parse(line)).toEqual(expect.any(Object));
      expect(end(2)).toBe('{"end":{"count":2}}\n');
    }
    expect(JSON.parse(formatOf('ndjson', 'native').line(event('x')))).toEqual({
      ...event('x'),
      ...Object.fromEntries(LIFTED_NAMES.map((name) => [name, null])),
      responseRows: '7',
    });
  });
});

it.each(['ocsf', 'ecs'])('events of the schema %s are nested, so CSV does not hold them', (schema) => {
  expect(() => parseExport({ schema, format: 'csv' })).toThrow(
    `schema=${schema} is written with format=ndjson only`,
  );
  expect(parseExport({ schema })).toMatchObject({ schema, format: 'ndjson' });
});
