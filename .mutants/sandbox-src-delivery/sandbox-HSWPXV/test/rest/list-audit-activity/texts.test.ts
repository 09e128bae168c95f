import { ENGINES } from '../../support/engines';
import { useWorld } from '../../support/use-world';

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
  const at = useWorld(engine);

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
