import { DETAIL_FIELDS, FIELD_NAMES, LIFTED_NAMES } from '../../../src/event/fields';
import { DashboardSession } from '../../support/dashboard-session';
import { ENGINES } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import { linesOf, PATH, rowsOf } from './support';

const at = (minute: number) => `2026-03-0${1 + (minute % 3)}T10:${10 + minute}:00.0000001Z`;
const ODD = ['=1+1', '"quoted", and\r\na line', ' lead', 'Ümlaut 名前 \u{1F600}', "@x'\n", '\u0007'];

describe.each(ENGINES)(`GET ${PATH} on %s`, (engine) => {
  const open = useWorld(engine);
  const record = ({ recordId }: { recordId: string }) => recordId;

  async function filled() {
    const acme = await open.world.tenant();
    for (const [i, statement] of ODD.entries())
      await acme.audited({ eventTime: at(i), statement, actionId: i % 2 ? 'UP' : 'SL', succeeded: i !== 3 });
    return acme;
  }

  it('gives every event in full, oldest first, with the total in a header', async () => {
    const acme = await filled();
    const answer = await acme.get(PATH);
    const lines = linesOf(answer);
    expect(answer.headers.get('Content-Type')).toBe('application/x-ndjson');
    expect(answer.headers.get('Content-Disposition')).toMatch(
      /^attachment; filename="audit-activity-\d{8}T\d{9}Z\.ndjson"$/,
    );
    expect(answer.headers.get('X-Total-Count')).toBe(String(ODD.length));
    expect(lines.map(({ statement }) => statement).sort()).toEqual([...ODD].sort());
    expect(lines.map(record)).toEqual(lines.map(record).sort());
    for (const line of lines) {
      expect(Object.keys(line)).toEqual([...FIELD_NAMES, 'additional', ...LIFTED_NAMES]);
      const { body } = await acme.get(`/audit-activity/${line.recordId}`);
      expect(Object.fromEntries(DETAIL_FIELDS.map((name) => [name, line[name]]))).toEqual(body.data);
    }
  });

  it('gives the same events as CSV, with every value unchanged', async () => {
    const acme = await filled();
    const lines = linesOf(await acme.get(PATH));
    const answer = await acme.get(PATH, { format: 'csv' });
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    const [names, ...rows] = rowsOf(answer);
    expect(names).toEqual([...FIELD_NAMES, 'additional', ...LIFTED_NAMES]);
    const cell = (value: unknown) => (typeof value === 'object' && value ? JSON.stringify(value) : value);
    expect(rows).toEqual(
      lines.map((line) =>
        Object.values(line).map((value) => (typeof value === 'boolean' ? String(value) : cell(value))),
      ),
    );
  });

  it.each([
    { actionId: 'UP' },
    { search: 'line' },
    { principalName: 'nobody' },
    { succeeded: 'false' },
    { succeeded: 'true', actionId: 'UP' },
    { serverInstanceName: 'SQL1' },
    { startTime: at(2), endTime: at(1) },
    { actionId: 'SL', search: 'Ümlaut 名前', databaseName: 'nowhere' },
  ])('gives the same events as the list for %j', async (query) => {
    const acme = await filled();
    if ('startTime' in query) Object.assign(query, { startTime: at(3), endTime: at(2) });
    const listed = await acme.get('/audit-activity', { ...query, sortDirection: 'asc' });
    const answer = await acme.get(PATH, query);
    expect(linesOf(answer).map(record)).toEqual(listed.body.data.map(record));
    expect(answer.headers.get('X-Total-Count')).toBe(String(listed.body.meta.totalCount));
  });

  it('continues after a cursor, and counts all events that match', async () => {
    const acme = await filled();
    const all = linesOf(await acme.get(PATH)).map(record);
    for (const [i, cursor] of all.entries()) {
      const answer = await acme.get(PATH, { cursor: i % 2 ? cursor.toUpperCase() : cursor });
      expect(linesOf(answer).map(record)).toEqual(all.slice(i + 1));
      expect(answer.headers.get('X-Total-Count')).toBe(String(all.length));
    }
    const beyond = await acme.get(PATH, { cursor: 'ffffffff-ffff-ffff-ffff-ffffffffffff' });
    expect(beyond.text).toBe('');
  });

  it('ends with a last line that has the number of events, if end is given', async () => {
    const acme = await filled();
    const all = await acme.get(PATH);
    const [, second] = linesOf(all).map(record);
    const ended = await acme.get(PATH, { end: 1 });
    expect(ended.text).toBe(`${all.text}{"end":{"count":${ODD.length}}}\n`);
    const rest = linesOf(await acme.get(PATH, { end: 1, cursor: second ?? '' }));
    expect(rest.at(-1)).toEqual({ end: { count: ODD.length - 2 } });
    const csv = await acme.get(PATH, { format: 'csv' });
    // A later part has the names too, as each answer promises, and counts its own events.
    const part = await acme.get(PATH, { format: 'csv', end: 1, cursor: second ?? '' });
    const [names, , , ...later] = rowsOf(csv);
    expect(rowsOf({ ...part, text: part.text.replace(/#end,.*\r\n$/, '') })).toEqual([names, ...later]);
    expect(part.text).toMatch(new RegExp(`\r\n#end,${ODD.length - 2}\r\n$`));
    expect((await acme.get(PATH, { format: 'csv', end: 1 })).text).toBe(`${csv.text}#end,${ODD.length}\r\n`);
    const none = await acme.get(PATH, { end: 1, principalName: 'nobody' });
    expect(none.text).toBe('{"end":{"count":0}}\n');
  });

  it("gives the events of the key's tenants only", async () => {
    const [a, b, c] = [await filled(), await filled(), await filled()];
    const both = await open.world.key({ tenantIds: [a.tenantId, b.tenantId] });
    const lines = linesOf(await open.world.get(PATH, both.key));
    expect(new Set(lines.map(({ tenantId }) => tenantId))).toEqual(new Set([a.tenantId, b.tenantId]));
    expect(lines).toHaveLength(2 * ODD.length);
    expect(lines.map(record)).toEqual(lines.map(record).sort());
    expect(linesOf(await c.get(PATH)).every(({ tenantId }) => tenantId === c.tenantId)).toBe(true);
  });

  it('gives an empty body, or a CSV of names only, if nothing matches', async () => {
    const acme = await open.world.tenant();
    expect((await acme.get(PATH)).text).toBe('');
    expect(rowsOf(await acme.get(PATH, { format: 'csv' }))).toHaveLength(1);
  });

  it('answers HEAD with the total, and an export can begin right after it', async () => {
    const acme = await filled();
    const head = await open.world.get(PATH, acme.key, { method: 'HEAD' });
    expect([head.status, head.headers.get('X-Total-Count'), head.text]).toEqual([
      200,
      String(ODD.length),
      '',
    ]);
    expect((await acme.get(PATH)).status).toBe(200);
  });

  it('gives a session of the dashboard the same events', async () => {
    const acme = await filled();
    const session = await DashboardSession.signIn(open.world, acme.key);
    const answer = await session.fetch('/dashboard/api/export?actionId=UP');
    expect(answer.text).toBe((await acme.get(PATH, { actionId: 'UP' })).text);
    expect((await open.world.fetch('/dashboard/api/export')).status).toBe(401);
    const operator = await DashboardSession.signIn(open.world, open.world.operatorKey);
    expect((await operator.fetch('/dashboard/api/export')).status).toBe(403);
  });

  it.each([
    ['format=xml', 'format must be one of ndjson, csv'],
    ['end=0', 'end must be one of 1'],
    ['cursor=x&page=1', '"page" is not a parameter here; cursor must be a UUID'],
    ['search=%22', 'search has a quotation mark that is not closed'],
  ])('refuses %s', async (query, message) => {
    const acme = await open.world.tenant();
    const { status, body } = await acme.get(PATH, query);
    expect([status, body.error.code, body.error.message]).toEqual([400, 'invalid_parameter', `${message}.`]);
  });
});
