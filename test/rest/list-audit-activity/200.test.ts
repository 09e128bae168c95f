import { ENGINES } from '../../support/engines';
import { useSharedWorld } from '../../support/use-world';

const ITEM_FIELDS = [
  'recordId',
  'tenantId',
  'eventTime',
  'actionId',
  'succeeded',
  'serverInstanceName',
  'databaseName',
  'schemaName',
  'objectName',
  'serverPrincipalName',
  'databasePrincipalName',
  'applicationName',
  'hostName',
  'clientIp',
  'sourceType',
  'statementPreview',
];
const META_FIELDS = [
  'totalCount',
  'page',
  'pageSize',
  'totalPages',
  'hasPreviousPage',
  'hasNextPage',
  'timestamp',
  'apiVersion',
];
/** The fields that an event may lack. */
const NULLABLE = ITEM_FIELDS.slice(5);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(ENGINES)('GET /audit-activity on %s', (engine) => {
  const at = useSharedWorld(engine);

  it("gives exactly the specification's fields, in its order", async () => {
    const acme = await at.world.tenant();
    await acme.audited();
    const { status, headers, body } = await acme.get('/audit-activity');
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toMatch(/^application\/json\b/);
    expect(Object.keys(body)).toEqual(['data', 'meta']);
    expect(Object.keys(body.data[0])).toEqual(ITEM_FIELDS);
    expect(Object.keys(body.meta)).toEqual(META_FIELDS);
  });

  it('gives the values that the agent sent', async () => {
    const acme = await at.world.tenant();
    const { statement, ...sent } = await acme.audited({ succeeded: false, actionId: 'DL' });
    const [item] = (await acme.get('/audit-activity')).body.data;
    const { file, fileGuid, blockOffset, index, parts, additional, ...fields } = sent;
    expect(item).toEqual({
      ...fields,
      recordId: expect.stringMatching(UUID),
      tenantId: acme.tenantId,
      statementPreview: statement,
    });
  });

  it('gives null for a value that an event lacks, and for an empty text', async () => {
    const acme = await at.world.tenant();
    const lacking = (value: string | null) =>
      Object.fromEntries(
        NULLABLE.map((name) => [name === 'statementPreview' ? 'statement' : name, value] as const),
      );
    await acme.audited(lacking(null));
    await acme.audited(lacking(''));
    const { data } = (await acme.get('/audit-activity')).body;
    expect(data).toHaveLength(2);
    for (const item of data) {
      expect(Object.keys(item)).toEqual(ITEM_FIELDS);
      for (const name of NULLABLE) expect(item[name]).toBeNull();
    }
  });

  it('keeps all seven decimals of a time', async () => {
    const acme = await at.world.tenant();
    const times = [
      '2026-03-04T23:59:56.8651234Z',
      '2026-03-04T23:59:56.0000001Z',
      '2026-03-04T00:00:00.0000000Z',
      '2025-12-31T23:59:59.9999999Z',
    ];
    await acme.ingest([]);
    for (const eventTime of times) await acme.audited({ eventTime });
    const { data } = (await acme.get('/audit-activity')).body;
    expect(data.map((item: { eventTime: string }) => item.eventTime)).toEqual(times);
  });

  it('states the time of the answer and the version of the API', async () => {
    const acme = await at.world.tenant();
    const before = Date.now();
    const { meta } = (await acme.get('/audit-activity')).body;
    expect(Date.parse(meta.timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(meta.timestamp)).toBeLessThanOrEqual(Date.now());
    expect(meta.apiVersion).toBe('1.0');
  });

  it('is not stored by caches', async () => {
    const acme = await at.world.tenant();
    const { headers } = await acme.get('/audit-activity');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.has('ETag')).toBe(false);
  });
});

/** Texts of hostile logins, cut statements and foreign scripts. */
const TEXTS = {
  'U+0000': 'a\0b',
  'only U+0000': '\0',
  'a high surrogate alone': 'a\uD83D',
  'a low surrogate alone': '\uDE00b',
  'surrogates in the wrong order': '\uDE00\uD83D',
  'a pair behind half of one': '\uD83D\uD83D\uDE00',
  'U+10FFFF': '\u{10FFFF}x\u{10FFFF}0000',
  'U+10FFFE': '\u{10FFFE}\u{10FFFE}y',
  'U+10FFFF beside U+0000': '\u{10FFFF}\0\u{10FFFE}\uD800',
  'other noncharacters': '\uFFFE\uFFFF\uFDD0',
  'the private plane': '\u{10F000}\u{10F800}\u{10F900}\u{10FA00}\0',
  emoji: '👩‍👧 🇩🇪 👍🏽',
  quotes: `'; DROP --"\\'`,
  'line ends and tabs': ' a\r\n\tb\n',
  'a byte order mark': '\uFEFFa',
  'two forms of one letter': '\u00E9e\u0301',
  'right to left': '\u202Eabc\u202C עברית',
  'words of JavaScript': '__proto__',
  'words of SQL': 'NULL',
  'words of JSON': '{"a":null}',
  'templates and markup': '$1 %s {{x}} <b>',
} as const;

describe.each(ENGINES)('strange texts of GET /audit-activity on %s', (engine) => {
  const at = useSharedWorld(engine);

  it.each(Object.entries(TEXTS))('%s are returned unchanged, in list and detail', async (_, text) => {
    const acme = await at.world.tenant();
    await acme.audited({ databaseName: text, serverPrincipalName: text, statement: text, actionId: text });
    const [item] = (await acme.get('/audit-activity')).body.data;
    const same = { databaseName: text, serverPrincipalName: text, actionId: text };
    expect(item).toMatchObject({ ...same, statementPreview: text });
    const { data } = (await acme.get(`/audit-activity/${item.recordId}`)).body;
    expect(data).toMatchObject({ ...same, statement: text });
  });

  // Half of a surrogate pair cannot be written in a URL.
  const filterable = Object.entries(TEXTS).filter(([, text]) => text.isWellFormed());
  it.each(filterable)('%s can be used in filters', async (_, text) => {
    const acme = await at.world.tenant();
    await acme.audited({ databaseName: text, serverPrincipalName: text, actionId: text });
    await acme.audited({ databaseName: `${text}.`, serverPrincipalName: `${text}.`, actionId: `${text}.` });
    for (const name of ['databaseName', 'principalName', 'actionId']) {
      const { data } = (await acme.get('/audit-activity', { [name]: text })).body;
      expect(data.map((item: { databaseName: string }) => item.databaseName)).toEqual([text]);
    }
  });

  it('half of a surrogate pair as bytes, which are not UTF-8, is refused and not ignored', async () => {
    const acme = await at.world.tenant();
    await acme.audited({ databaseName: '\uD83D' });
    const { status, body } = await acme.get('/audit-activity', 'databaseName=%ED%A0%BD');
    expect(status).toBe(400);
    expect(body.error.message).toContain('databaseName must be UTF-8');
  });

  it('texts that differ only in half of a surrogate pair are distinct', async () => {
    const acme = await at.world.tenant();
    for (const half of ['\uD83D', '\uD83E', '\uDE00']) await acme.audited({ databaseName: half });
    const { data } = (await acme.get('/audit-activity/summary')).body;
    expect(data.distinctDatabases).toBe(3);
  });

  it('statements of 1 MB are returned whole', async () => {
    const acme = await at.world.tenant();
    const statement = `SELECT N'${'é€😀x'.repeat(110_000)}'`;
    expect(Buffer.byteLength(statement)).toBeGreaterThan(1024 * 1024);
    await acme.audited({ statement });
    const [item] = (await acme.get('/audit-activity')).body.data;
    const { data } = (await acme.get(`/audit-activity/${item.recordId}`)).body;
    expect(data.statement === statement).toBe(true);
  });
});

const a = (count: number) => 'a'.repeat(count);
const EMOJI = '\u{1F600}';

describe.each(ENGINES)('statementPreview of GET /audit-activity on %s', (engine) => {
  const at = useSharedWorld(engine);

  it.each([
    ['one character', 'a', 'a'],
    ['199 characters', a(199), a(199)],
    ['200 characters', a(200), a(200)],
    ['201 characters', a(201), a(200)],
    ['emoji as the 200th', a(199) + EMOJI, a(199) + EMOJI],
    ['emoji as the 200th of more', `${a(199) + EMOJI}b`, a(199) + EMOJI],
    ['emoji as the 201st', a(200) + EMOJI, a(200)],
    ['emoji throughout', EMOJI.repeat(300), EMOJI.repeat(200)],
    ['200 emoji', EMOJI.repeat(200), EMOJI.repeat(200)],
    ['U+0000 throughout', '\0'.repeat(201), '\0'.repeat(200)],
    ['half a pair as the 200th', `${a(199)}\uD83Dbc`, `${a(199)}\uD83D`],
    ['half a pair as the 201st', `${a(200)}\uD83Dbc`, a(200)],
    ['U+10FFFF throughout', '\u{10FFFF}'.repeat(250), '\u{10FFFF}'.repeat(200)],
    ['half pairs throughout', '\uDE00'.repeat(250), '\uDE00'.repeat(200)],
    ['accents of their own, which are characters', 'e\u0301'.repeat(150), 'e\u0301'.repeat(100)],
  ])('holds the first 200 characters of a statement: %s', async (_, statement, preview) => {
    const acme = await at.world.tenant();
    await acme.audited({ statement });
    const [item] = (await acme.get('/audit-activity')).body.data;
    expect(item.statementPreview).toBe(preview);
    const { data } = (await acme.get(`/audit-activity/${item.recordId}`)).body;
    expect(data.statement).toBe(statement);
  });
});
