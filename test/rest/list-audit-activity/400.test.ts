import { LIMITS } from '../../../src/limits';
import { ONE_ENGINE } from '../../support/engines';
import { useSharedWorld } from '../../support/use-world';
import { type Query, type TestTenant } from '../../support/world';
import { expectError } from '../support/operations';

const SORTS = [
  'Timestamp',
  'eventTime',
  'actionId',
  'databaseName',
  'principalName',
  'serverPrincipalName',
  'succeeded',
];

describe.each(ONE_ENGINE)('400 of GET /audit-activity on %s', (engine) => {
  const at = useSharedWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
    await acme.audited();
  });
  /** @returns the message of the refusal */
  const refused = async (query: Query | string): Promise<string> => {
    const answer = await acme.get('/audit-activity', query);
    expectError(answer, 400, 'invalid_parameter');
    return answer.body.error.message;
  };

  it.each(['0', '-1', '1.5', '1e1', 'one', ' 1', '0x1', '٣', '2147483648', '9'.repeat(400)])(
    'page=%s',
    async (page) => expect(await refused({ page })).toMatch(/\bpage\b.*whole number.*\b1\b/),
  );

  it.each(['0', '101', '-20', '20.0', '1e2', 'all', '100 '])(
    'pageSize=%s, naming the bounds',
    async (pageSize) => expect(await refused({ pageSize })).toMatch(/\bpageSize\b.*\b1\b.*\b100\b/),
  );

  it.each(['recordId', 'timestamp', 'TIMESTAMP', 'statement', 'actionId,succeeded', 'constructor'])(
    'sortBy=%s, naming the allowed values',
    async (sortBy) => {
      const message = await refused({ sortBy });
      for (const allowed of ['sortBy', ...SORTS]) expect(message).toContain(allowed);
    },
  );

  it.each(['ASC', 'Desc', 'up', 'descending'])(
    'sortDirection=%s, naming both values',
    async (sortDirection) =>
      expect(await refused({ sortDirection })).toMatch(/\bsortDirection\b.*\basc\b.*\bdesc\b/),
  );

  it.each(['True', 'FALSE', '1', '0', 'yes', 'null', ' true', 'true,false'])(
    'succeeded=%s, naming both values',
    async (succeeded) => expect(await refused({ succeeded })).toMatch(/\bsucceeded\b.*\btrue\b.*\bfalse\b/),
  );

  describe.each(['startTime', 'endTime'])('%s', (name) => {
    it.each([
      ['a word', 'yesterday'],
      ['seconds since 1970', '1767225600'],
      ['a month', '2026-01'],
      ['a month that does not exist', '2026-13-01'],
      ['a day that does not exist', '2026-02-29'],
      ['an hour that does not exist', '2026-01-01T24:00:00Z'],
      ['a minute that does not exist', '2026-01-01T00:60:00Z'],
      ['a second that does not exist', '2026-01-01T00:00:60Z'],
      ['an offset that does not exist', '2026-01-01T00:00:00+24:00'],
      ['a space for the T', '2026-01-01 00:00:00'],
      ['an American date', '01/02/2026'],
      ['something before the time', ' 2026-01-01'],
      ['something behind the time', '2026-01-01T00:00:00Z!'],
      ['a year of five digits', '12026-01-01'],
    ])('%s', async (_, text) => {
      const message = await refused({ [name]: text });
      expect(message).toContain(`${name} must be an ISO 8601`);
    });
  });

  it('an offset whose + became a space, with a hint how to write it', async () => {
    expect(await refused('startTime=2026-01-01T00:00:00+02:00')).toContain('%2B');
  });

  it('startTime after endTime, compared to 100 ns and across offsets', async () => {
    const wrong = /startTime.*after endTime/;
    expect(await refused({ startTime: '2026-01-02', endTime: '2026-01-01' })).toMatch(wrong);
    const [startTime, endTime] = ['2026-01-01T12:00:00.0000001+02:00', '2026-01-01T10:00:00Z'];
    expect(await refused({ startTime, endTime })).toMatch(wrong);
  });

  it.each([
    ['a mistyped one', 'databasename=Payroll', 'databasename'],
    ['one of another API', 'limit=5', 'limit'],
    ['an empty name', '=Payroll', '""'],
    ['a name JavaScript knows', '__proto__=x', '__proto__'],
    ['a list in brackets', 'actionId[]=SL', 'actionId[]'],
    ['one behind a thousand empty ones', `${'&'.repeat(1_000)}databasename=Payroll`, 'databasename'],
  ])('an unknown parameter: %s', async (_, query, named) => {
    expect(await refused(query)).toContain(named);
  });

  it('not a filter behind a thousand empty parameters: it is applied', async () => {
    const { body } = await acme.get('/audit-activity', `${'&'.repeat(1_500)}databaseName=None`);
    expect(body.meta.totalCount).toBe(0);
  });

  it('a range in the wrong order, together with other problems', async () => {
    const message = await refused('startTime=2026-01-02&endTime=2026-01-01&page=0&limit=5');
    for (const named of ['after endTime', 'page must', '"limit"']) expect(message).toContain(named);
  });

  it('very many problems: the first ones are named, and the rest are counted', async () => {
    const unknown = Array.from({ length: 9_000 }, (_, i) => `x${i}`).join('&');
    const message = await refused(unknown);
    expect(message).toContain('"x0"');
    expect(message).toMatch(/and 8900 more\.$/);
    expect(message.length).toBeLessThan(5_000);
  });

  it.each(['principalName=M%FCller', 'filter=principalName:M%FCller', 'search=M%FCller', 'page=%FF'])(
    'bytes that are not UTF-8: %s',
    async (query) =>
      expect(await refused(query)).toMatch(new RegExp(`^${query.split('=')[0]} must be.*UTF-8`)),
  );

  it('not a percent sign that encodes nothing: it stands for itself', async () => {
    await acme.audited({ objectName: 'ü 100%' });
    const { body } = await acme.get('/audit-activity', 'objectName=%C3%BC+100%');
    expect(body.meta.totalCount).toBe(1);
  });

  it.each(['page', 'actionId', 'search', 'startTime', 'sortBy', 'succeeded'])(
    '%s given twice',
    async (name) => {
      const value =
        { page: '1', startTime: '2026-01-01', sortBy: 'eventTime', succeeded: 'true' }[name] ?? 'SL';
      expect(await refused(`${name}=${value}&${name}=${value}`)).toContain(`${name} must be given once`);
    },
  );

  it.each([
    'page',
    'pageSize',
    'search',
    'sortBy',
    'sortDirection',
    'actionId',
    'databaseName',
    'principalName',
    'serverInstanceName',
    'succeeded',
    'startTime',
    'endTime',
  ])('%s without a value: it must not count as not given', async (name) => {
    expect(await refused(`${name}=`)).toContain(name);
    expect(await refused(name)).toContain(name);
  });

  it('texts longer than any stored name can be', async () => {
    for (const name of ['actionId', 'databaseName', 'principalName', 'serverInstanceName', 'search']) {
      expect(await refused({ [name]: 'x'.repeat(LIMITS.filterCharsMax + 1) })).toMatch(
        new RegExp(`\\b${name}\\b.*\\b512\\b`),
      );
    }
  });

  it('names every problem, not only the first', async () => {
    const message = await refused(
      'page=0&pageSize=101&sortBy=x&sortDirection=y&endTime=z&dbName=D&actionId=',
    );
    for (const name of ['page ', 'pageSize', 'sortBy', 'sortDirection', 'endTime', 'dbName', 'actionId'])
      expect(message).toContain(name);
  });
});

describe.each(ONE_ENGINE)('400 of a search of GET /audit-activity on %s', (engine) => {
  const at = useSharedWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
  });
  const refused = async (search: string): Promise<string> => {
    const answer = await acme.get('/audit-activity', { search });
    expectError(answer, 400, 'invalid_parameter');
    expect(answer.body.error.message).toContain('search');
    return answer.body.error.message;
  };

  // These searches have no condition, and would otherwise find everything.
  it.each([' ', '*', '---', '.,;', '\u{1F600}', '\0', '% _'])('no word: %j', async (search) => {
    expect(await refused(search)).toContain('word');
  });

  it.each(['"', 'abc "def', '"abc" "def', 'abc"'])(
    'a quotation mark that is not closed: %s',
    async (search) => {
      expect(await refused(search)).toContain('not closed');
    },
  );

  it.each(['""', 'abc ""'])('nothing in quotation marks: %s', async (search) => {
    expect(await refused(search)).toContain('quotation marks');
  });

  it('more words than a search may have, with their number', async () => {
    const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');
    expect(await refused(words(LIMITS.searchTermsMax + 1))).toContain(String(LIMITS.searchTermsMax));
    const { status } = await acme.get('/audit-activity', { search: words(LIMITS.searchTermsMax) });
    expect(status).toBe(200);
  });
});
