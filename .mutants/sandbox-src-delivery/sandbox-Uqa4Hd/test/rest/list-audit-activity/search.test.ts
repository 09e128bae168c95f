import { ENGINES } from '../../support/engines';
import type { IngestedEvent } from '../../support/events';
import { useWorld } from '../../support/use-world';
import type { TestTenant } from '../../support/world';

/** An event in which a search finds only the texts that a test sets. */
const SILENT = {
  serverInstanceName: null,
  databaseName: null,
  schemaName: null,
  objectName: null,
  serverPrincipalName: null,
  databasePrincipalName: null,
  applicationName: null,
  hostName: null,
  clientIp: null,
  sourceType: null,
  actionId: 'XX',
} satisfies Partial<IngestedEvent>;

describe.each(ENGINES)('search of GET /audit-activity on %s', (engine) => {
  const at = useWorld(engine);
  let acme: TestTenant;
  beforeEach(async () => {
    acme = await at.world.tenant();
  });
  const finds = async (search: string): Promise<boolean> => {
    const { status, body } = await acme.get('/audit-activity', { search });
    expect(status).toBe(200);
    return body.meta.totalCount === 1;
  };
  const stored = (fields: Partial<IngestedEvent>) => acme.audited({ ...SILENT, statement: null, ...fields });
  const says = (statement: string) => stored({ statement });

  it.each([
    ['a word', 'select', true],
    ['a word in any letter case', 'SALARY', true],
    ['a word beside punctuation', 'payroll', true],
    ['a number', '17', true],
    ['several words in any order', 'salary from select', true],
    ['the same word twice', 'salary salary', true],
    ['words parted by anything that is no letter or digit', 'dbo.Payroll/salary;17', true],
    ['part of a word', 'sala', false],
    ['the end of a word', 'lary', false],
    ['words of which one is missing', 'select bonus', false],
    ['two words without what parts them', 'dbopayroll', false],
    ['the beginning of a word with a star', 'sal*', true],
    ['a whole word with a star', 'salary*', true],
    ['the middle of a word with a star', 'ala*', false],
    ['the beginning of a number', '1*', true],
    ['a star that stands alone beside a word', 'salary *', true],
    ['a beginning and a word', 'pay* from', true],
    ['quoted text', '"salary FROM dbo"', true],
    ['quoted text with its punctuation', '"[salary], 17 from dbo.payroll"', false],
    ['quoted punctuation', '"dbo.payroll where"', true],
    ['quoted text in the middle of words', '"elect sal"', true],
    ['quoted text with other spaces', '"select  salary"', false],
    ['quoted text beside a word', '17 "dbo.pay"', true],
    ['wildcards of SQL in quotes', '"sal%"', false],
    ['a star in quotes, which is a star', '"sal*"', false],
  ])('%s: %s is found: %s', async (_, search, expected) => {
    await says('SELECT salary FROM dbo.Payroll WHERE id=17');
    expect(await finds(search)).toBe(expected);
  });

  it("ignores letter case by Unicode's rules, in words, beginnings and quoted texts", async () => {
    await says('Straße, ΟΔΟΣ, ПРИВЕТ, ÉCOLE, STRAẞENBAHN, ﬁnal');
    for (const word of ['STRASSE', 'strasse', 'Straße', 'STRAẞE', 'οδος', 'οδοσ', 'ΟΔΟΣ', 'привет', 'école'])
      expect([word, await finds(word)]).toEqual([word, true]);
    for (const word of ['strass*', 'straß*', 'οδο*', 'straßenb*', '"strasse, οδος"', '"οδοσ, при"', 'FINAL'])
      expect([word, await finds(word)]).toEqual([word, true]);
    for (const word of ['ecole', 'strase', 'привёт'])
      expect([word, await finds(word)]).toEqual([word, false]);
  });

  it('treats letters and digits of every script as parts of words', async () => {
    await says('名前 naïve_x ٣٤ x²');
    for (const word of ['名前', 'naïve', 'x', '٣٤', 'x²'])
      expect([word, await finds(word)]).toEqual([word, true]);
    for (const word of ['名', 'naïvex', '٣']) expect([word, await finds(word)]).toEqual([word, false]);
  });

  it.each([
    'actionId',
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
    'statement',
  ])('covers %s', async (field) => {
    await stored({ [field]: 'ab/Needle' });
    for (const search of ['needle', 'need*', '"b/needle"']) expect(await finds(search)).toBe(true);
  });

  it('does not cover additional values', async () => {
    await stored({ additional: { note: 'needle' }, file: 'needle.sqlaudit' });
    expect(await finds('needle')).toBe(false);
  });

  it('finds words in different fields, but a quoted text only inside one field', async () => {
    await stored({ databaseName: 'Payroll', schemaName: 'dbo', statement: 'SELECT 1' });
    expect(await finds('payroll select dbo')).toBe(true);
    for (const phrase of ['"payroll dbo"', '"payrolldbo"', '"dbo select"', '"payroll\u{10FFFE}dbo"'])
      expect([phrase, await finds(phrase)]).toEqual([phrase, false]);
    expect(await finds('"payroll" "select 1"')).toBe(true);
  });

  it('covers the whole statement, far beyond the preview', async () => {
    await says(`${'SELECT 1; '.repeat(100_000)} DROP TABLE evidence`);
    for (const search of ['evidence', 'evid*', '"table evidence"', 'select drop']) {
      expect(await finds(search)).toBe(true);
    }
    expect(await finds('drops')).toBe(false);
  });

  it("distinguishes its internal mark around words from the mark's stand-in, when texts contain either", async () => {
    const [mark, standIn] = ['\x7f', '\uFFFF'];
    const texts: [Partial<IngestedEvent>, string[]][] = [
      [{ statement: `X${mark}y z`, databaseName: 'x' }, [mark, `x${mark}Y`]],
      [{ statement: `X${standIn}y`, databaseName: standIn }, [standIn, `x${standIn}Y`]],
      [
        { databaseName: `${mark}z${standIn}`, statement: `${standIn}z${standIn}; x${mark}y` },
        [mark, standIn, `x${mark}Y`, `${mark}z${standIn}`, `${standIn}z${standIn}`],
      ],
    ];
    const both = [mark, standIn];
    const asked = both.flatMap((a) => [a, `x${a}Y`, ...both.map((b) => `${a}z${b}`)]);
    for (const [fields, held] of texts) {
      acme = await at.world.tenant();
      await stored(fields);
      for (const phrase of asked)
        expect([phrase, await finds(`"${phrase}"`)]).toEqual([phrase, held.includes(phrase)]);
      for (const word of ['x', 'y']) expect([word, await finds(word)]).toEqual([word, true]);
    }
  });

  it('does not join words at a character that cannot be stored', async () => {
    await says('half\uD83Dpair nul\0byte');
    for (const search of ['half', 'pair', 'nul byte', '"nul\0byte"']) expect(await finds(search)).toBe(true);
    for (const search of ['halfpair', 'd83d', '"d83d"', '"0000"']) expect(await finds(search)).toBe(false);
  });
});
