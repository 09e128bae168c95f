import { createHash } from 'node:crypto';
import { FEED_FORMATS } from '../../../src/event/formats/formats';
import { LIMITS } from '../../../src/limits';
import { ENGINES } from '../../support/engines';
import { anEvent } from '../../support/events';
import { QUICK_LOG, useLimits } from '../../support/use-limits';
import { useWorld } from '../../support/use-world';
import type { TestTenant } from '../../support/world';
import { PATH as EXPORT, linesOf, rowsOf } from '../export/support';
import { drain, type Item, PATH, sequenced } from './support';

const LARGE = LIMITS.largeStatementBytes;
/** So many bytes at least, of the stored form. */
const much = (text: string) => text.repeat(Math.ceil(LARGE / Buffer.byteLength(text)) + 1);

/** Texts with everything that is escaped, in JSON, in CSV or in the database, and with characters of every length. */
const STATEMENTS: Readonly<Record<string, string>> = {
  'is plain': `GRANT SELECT, UPDATE ON dbo.Employees TO [bob] -- ${much('x')}`,
  'is one byte too short': 'y'.repeat(LARGE - 1),
  'is just as long': 'z'.repeat(LARGE),
  'has quotes and control characters': much('"\\\r\n\t\u0001\u007f/,\''),
  'has characters of two, three and four bytes': `a${much('ß€😀\u2028')}`,
  'has U+0000, halves of pairs and byte order marks': `ab${much('\0\ud83d \ude00\uFEFF')}`,
  'has escapes of two characters across the beginning': `${'a'.repeat(4_095)}${much('\u{10F123}')}`,
  'has escapes of two characters across pieces': `${'a'.repeat(4_092)}${much('\u{10F123}')}`,
};
const NAMES = Object.keys(STATEMENTS);
const minute = (i: number, second = 0) => `2026-03-05T10:0${i}:0${second}.0000000Z`;
/** A difference of megabytes takes minutes to print. */
const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

describe.each(ENGINES)('events with large statements on %s', (engine) => {
  useLimits(QUICK_LOG);
  const open = useWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await open.world.tenant();
    for (const [i, statement] of Object.values(STATEMENTS).entries())
      await acme.ingest([
        anEvent({ eventTime: minute(i), actionId: i === 0 ? 'G' : 'SL', statement }),
        anEvent({ eventTime: minute(i, 1), actionId: 'UP' }),
      ]);
    await sequenced(acme, 2 * NAMES.length);
  });
  const large = (events: readonly Item[]): Item[] => events.filter((_, i) => i % 2 === 0);

  it.each(NAMES)('are in the tail and in a detail as they were sent, where one %s', async (name) => {
    const statement = STATEMENTS[name] ?? '';
    const { items } = await drain(acme, { from: 'beginning', limit: 3 });
    const item = large(items)[NAMES.indexOf(name)];
    expect(item.statement === statement).toBe(true);
    const detail = await acme.get(`/audit-activity/${item.recordId}`);
    expect(detail.status).toBe(200);
    expect(detail.body.data.statement === statement).toBe(true);
    // Not a byte differs from what JSON.stringify makes.
    expect(detail.text === JSON.stringify(detail.body)).toBe(true);
    expect(detail.headers.get('Content-Length')).toBe(String(Buffer.byteLength(detail.text)));
    const query = 'query($id: String!) { auditEvent(recordId: $id) { statement recordId } }';
    const asked = await open.world.graphql(acme.key, query, { id: item.recordId });
    expect(hashOf(asked.body.data.auditEvent)).toBe(hashOf({ statement, recordId: item.recordId }));
  });

  it('are in lines of the tail and in every schema', async () => {
    const { items } = await drain(acme, { from: 'beginning' });
    for (const format of ['native', 'ocsf', 'ecs'] as const) {
      const answer = await open.world.get(PATH, acme.key, {
        query: { from: 'beginning', format, limit: 2 },
        headers: { Accept: 'application/x-ndjson' },
      });
      const event = items[0];
      const { position, receivedAt } = event;
      const wanted = FEED_FORMATS[format].toObject({ event, position: Number(position), receivedAt });
      const [line = ''] = answer.text.split('\n');
      expect([format, hashOf(JSON.parse(line))]).toEqual([format, hashOf(wanted)]);
    }
  });

  it('are in an export as lines and as CSV', async () => {
    const lines = linesOf(await acme.get(EXPORT, {}));
    expect(large(lines).map(({ statement }) => hashOf(statement))).toEqual(
      Object.values(STATEMENTS).map(hashOf),
    );
    const [names, ...rows] = rowsOf(await acme.get(EXPORT, { format: 'csv' }));
    const at = names?.indexOf('statement') ?? -1;
    // UTF-8 has no halves of pairs.
    const wanted = Object.values(STATEMENTS).map((text) => Buffer.from(text).toString());
    expect(large(rows).map((row) => hashOf(row[at]))).toEqual(wanted.map(hashOf));
  });

  it('pass filters of the tail by what stands deep in them', async () => {
    const [, deep = ''] = /(.{12})$/.exec(STATEMENTS['is one byte too short'] ?? '') ?? [];
    const cases: [object, number][] = [
      [{ search: `"${deep}"` }, 1],
      [{ filter: 'statement:"😀"', limit: 1 }, 1],
      [{ filter: 'statement:"nowhere"' }, 0],
      [{ filter: 'NOT statement:"x" AND NOT statement:"z"', actionId: 'SL' }, NAMES.length - 2],
      [{ actionId: 'G' }, 1],
    ];
    for (const [filters, count] of cases) {
      const { items } = await drain(acme, { from: 'beginning', ...filters }, filters as never);
      expect([filters, items.length]).toEqual([filters, count]);
    }
  });

  it('count as further calls of the key, one for each whole MiB', async () => {
    const event = anEvent({ statement: 'w'.repeat(3.5 * 1024 * 1024) });
    const other = await open.world.tenant('Other');
    await other.ingest([event]);
    const { body } = await other.get('/audit-activity');
    const { key } = await open.world.key({ tenantIds: [other.tenantId], rate: 20 });
    const path = `/audit-activity/${body.data[0].recordId}`;
    const left = async () => {
      const answer = await open.world.get(path, key);
      return Number(/r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.[1]);
    };
    expect([await left(), await left()]).toEqual([19, 15]);
  });
});
