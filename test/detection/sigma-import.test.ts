import { parseDocument } from 'yaml';
import { Engine } from '../../src/rules/engine';
import { testEvents } from '../../src/rules/rule-test';
import { parseRules } from '../../src/rules/sigma/rule-file';
import { findings, HEAD, problemsOf, rule } from './support/sigma';

const STOPPED = { actionId: 'AL', statement: 'ALTER SERVER AUDIT [Main] WITH (STATE=OFF)' };
const FAILED = { actionId: 'LGIF', succeeded: false, serverPrincipalName: 'sa', clientIp: '203.0.113.9' };

describe('rules written for the Windows application log', () => {
  it('match audit records as SQL Server renders them, whatever the name of the server instance', () => {
    const source = rule(`  selection:
    Provider_Name|contains: MSSQL
    EventID: 33205
    Data|contains:
      - 'statement:ALTER SERVER AUDIT'
      - 'statement:DROP SERVER AUDIT'
  condition: selection
`);
    expect(findings(source, STOPPED)).toBe(1);
    expect(findings(source, { ...STOPPED, serverInstanceName: 'SQL01\\PROD' })).toBe(1);
    expect(findings(source, { ...STOPPED, statement: 'alter server audit x' })).toBe(1);
    expect(findings(source, { actionId: 'SL', statement: 'SELECT 1' })).toBe(0);
    const exact = source.replace('Provider_Name|contains: MSSQL', 'Provider_Name: MSSQLSERVER$AUDIT');
    expect(findings(exact, STOPPED, { ...STOPPED, serverInstanceName: 'SQL01\\PROD' })).toBe(2);
  });

  it('match several lines of one record', () => {
    const source = rule(`  selection:
    EventID: 33205
    Data|contains|all:
      - 'object_name:sysadmin'
      - 'statement:alter server role [sysadmin] add member '
  condition: selection
`);
    const statement = 'ALTER SERVER ROLE [sysadmin] ADD MEMBER [eve]';
    expect(findings(source, { actionId: 'APRL', objectName: 'sysadmin', statement })).toBe(1);
    expect(findings(source, { actionId: 'APRL', objectName: 'dbcreator', statement })).toBe(0);
  });

  it('match a failed login as either event, with its address', () => {
    const source = rule(`  selection:
    Provider_Name|contains: 'MSSQL'
    EventID: 18456
  filter_main_local_ips:
    Data|contains:
      - 'CLIENT: 10.'
      - 'CLIENT: 192.168.'
      - 'CLIENT: <local machine>'
      - 'CLIENT: <named pipe>'
  condition: selection and not 1 of filter_main_*
`);
    expect(findings(source, FAILED)).toBe(1);
    expect(findings(source, { ...FAILED, clientIp: '10.1.2.3' })).toBe(0);
    expect(findings(source, { ...FAILED, clientIp: 'local machine' })).toBe(0);
    expect(findings(source, { ...FAILED, clientIp: 'named pipe' })).toBe(0);
    expect(findings(source, { ...FAILED, statement: "Login failed for user 'sa'. [CLIENT: 10.1.2.3]" })).toBe(
      0,
    );
    expect(findings(source, { ...FAILED, actionId: 'LGIS' })).toBe(0);
    expect(findings(rule('  s:\n    EventID: 33205\n  condition: s\n'), FAILED)).toBe(1);
  });
});

it.each(['application', 'mssql', 'sqlserver', 'mssqlserver'])(
  'a rule for Windows may have the service %s',
  (service) => {
    const source = rule('  s:\n    Data|contains: "action_id:SL"\n  condition: s\n').replace(
      'application',
      service,
    );
    expect(findings(source, { actionId: 'SL' })).toBe(1);
  },
);

describe('a rule for event 15457', () => {
  const source = rule(`  selection:
    Provider_Name|contains: MSSQL
    EventID: 15457
    Data|contains: xp_cmdshell
  condition: selection
`);
  it.each([
    ["EXEC sp_configure 'xp_cmdshell', 1; RECONFIGURE", 1],
    ["exec sys.sp_configure @configname = N'XP_CMDSHELL', @configvalue = 0", 1],
    ["EXEC [sys].[sp_configure]/* */N'xp_cmdshell' , '1'", 1],
    ["EXEC sp_configure 'xp_cmdshell'", 0],
    ["EXEC sp_configure 'show advanced options', 1", 0],
    ["EXEC xp_cmdshell 'whoami'", 0],
  ])('%s makes %i findings', (statement, count) => {
    expect(findings(source, { actionId: 'EX', statement })).toBe(count);
  });

  it('matches each change of a statement with several', () => {
    const exact = source.replace('xp_cmdshell', "option 'xp_cmdshell' changed from 0 to 1.");
    const statement = "EXEC sp_configure 'show advanced options', 1; EXEC sp_configure 'xp_cmdshell', 1";
    expect(findings(exact, { actionId: 'EX', statement })).toBe(1);
  });

  it('does not match a change that failed', () => {
    expect(findings(source, { statement: "EXEC sp_configure 'xp_cmdshell', 1", succeeded: false })).toBe(0);
  });
});

it('keywords are searched in values, and in rules for Windows also in the text of the log', () => {
  const source = rule('  k: [permission, "name:orders", 33205]\n  condition: k\n');
  expect(findings(source, {})).toBe(1);
  const ofAudit = source.replace('windows', 'sqlserver').replace('  service: application\n', '');
  expect(findings(ofAudit, {})).toBe(0);
  expect(findings(ofAudit, { statement: 'The SELECT PERMISSION was denied' })).toBe(1);
  expect(findings(ofAudit.replace('permission', 'login failed'), FAILED)).toBe(1);
});

it('rules for event 8128 match calls of extended procedures', () => {
  const source = rule(`  selection:
    Provider_Name: MSSQLSERVER
    EventID: 8128
    Message|contains: maggie
  condition: selection
`);
  const called = { actionId: 'EX', objectName: 'maggie', additional: { classType: 'X ' } };
  expect(findings(source, called)).toBe(1);
  expect(findings(source, { ...called, objectName: 'xp_dirtree' })).toBe(0);
  expect(findings(source, { ...called, succeeded: false })).toBe(0);
  expect(findings(source, { ...called, additional: { classType: 'P' } })).toBe(0);
});

describe('selections', () => {
  const one = (selection: string, condition = 's') => rule(`  s:\n${selection}\n  condition: ${condition}\n`);
  it.each([
    ['    objectName: PAYROLL', { objectName: 'Payroll' }, 1],
    ['    objectName|cased: PAYROLL', { objectName: 'Payroll' }, 0],
    ['    objectName: pay*x?', { objectName: 'Payroll1' }, 0],
    ['    objectName: pay*ll?', { objectName: 'Payroll1' }, 1],
    ['    objectName: pay\\*', { objectName: 'payroll' }, 0],
    ['    objectName: pay\\*', { objectName: 'pay*' }, 1],
    ["    serverPrincipalName: 'CORP\\alice'", {}, 1],
    ['    objectName|startswith: [x, ord]', {}, 1],
    ['    objectName|endswith: ders', {}, 1],
    ['    objectName: null', { objectName: '' }, 1],
    ['    objectName: null', {}, 0],
    ['    objectName|exists: false', { objectName: '' }, 1],
    ['    additional.responseRows|gt: 500', { additional: { responseRows: 501 } }, 1],
    ['    additional.responseRows|gte: 501', { additional: { responseRows: '501' } }, 1],
    ['    response_rows|lt: 10', {}, 0],
    ['    clientIp|cidr: 10.0.0.0/8', {}, 1],
    ['    clientIp|cidr: 10.2.0.0/16', {}, 0],
    ['    clientIp|cidr: 10.0.0.0/8', { clientIp: '::ffff:10.1.2.3' }, 1],
    [
      '    clientIp: 203.0.113.9',
      { clientIp: '', statement: "Login failed for user 'sa'. [CLIENT: 203.0.113.9]" },
      1,
    ],
    ['    objectName|fieldref: schemaName', { objectName: 'DBO' }, 1],
    ["    statement|re: '^select\\s+\\d+$'", { statement: 'select 42' }, 1],
    ["    statement|re: '^select'", { statement: 'SELECT 42' }, 0],
    ["    statement|re|i: '^select'", { statement: 'SELECT 42' }, 1],
    ['    succeeded: false', { succeeded: false }, 1],
    ['    server_principal_name|contains|all: [corp, ice]', {}, 1],
    ['    statement|contains: ΟΔΟΣ', { statement: 'xΟΔΟΣy' }, 1],
    ['    statement|contains: οδος', { statement: 'xΟΔΟΣy' }, 1],
    ['    - objectName: x\n    - objectName: orders', {}, 1],
    ['    - payroll\n    - salesweb', {}, 1],
    ["    '|all': [orders, nothing]", {}, 0],
    ['    objectName|neq: orders', {}, 0],
    ["    statement|re: '\\(?=x'", { statement: '=x' }, 1],
    ["    statement|re|s: 'a.b'", { statement: 'a\nb' }, 1],
    ["    statement|re: 'a.b'", { statement: 'a\nb' }, 0],
    ["    statement|re|m: '^b$'", { statement: 'a\nb' }, 1],
    ["    statement|re: '^b$'", { statement: 'a\nb' }, 0],
    ["    clientIp|cidr: '2001:db8::/32'", { clientIp: '2001:DB8::7' }, 1],
    ["    clientIp|cidr: '2001:db8::/32'", { clientIp: '2001:db9::7' }, 0],
    ["    clientIp|cidr: '::/0'", { clientIp: 'local machine' }, 0],
    ["    clientIp|cidr: '::/0'", { clientIp: '10.1.2.3' }, 0],
    ["    clientIp|cidr: 'fe80::/10'", { clientIp: 'fe80::1%eth0' }, 1],
    ['    clientIp|cidr: 10.0.0.0/8', { clientIp: '::ffff:10.1.2.3' }, 1],
    ['    additional.made|lt: 5', { additional: { made: ' ' } }, 0],
    ['    additional.made|lte: 5', { additional: { made: 5 } }, 1],
    ["    objectName: 'pay\\\\*'", { objectName: 'pay\\roll' }, 1],
    ["    objectName: 'pay\\?'", { objectName: 'payx' }, 0],
    [
      '    - objectName: x\n      actionId: SL\n    - objectName: orders\n      actionId: UP',
      { actionId: 'SL' },
      0,
    ],
    [
      '    - objectName: x\n      actionId: UP\n    - objectName: orders\n      actionId: SL',
      { actionId: 'SL' },
      1,
    ],
    ["    '|all': [sales, orders]", {}, 1],
    ["    - 'pay?oll'", { objectName: 'payroll' }, 1],
    ['    - 33205', {}, 1],
    ['    succeeded: 0', { succeeded: false }, 1],
    ['    succeeded: no', { succeeded: false }, 1],
    ['    succeeded|neq: 1', { succeeded: false }, 1],
    ["    succeeded: 'True'", { succeeded: false }, 0],
    ["    succeeded|contains: 'als'", { succeeded: false }, 1],
    ['    objectName|exists: no', { objectName: '' }, 1],
    ['    additional.made: 12345678901234567890', { additional: { made: '12345678901234567890' } }, 1],
    ['    additional.made: 1.10', { additional: { made: '1.10' } }, 1],
    ['    additional.made: 1.10', { additional: { made: 1.1 } }, 1],
    ['    additional.made|startswith: 1.10', { additional: { made: '1.1.7' } }, 0],
    ['    additional.made|gte: 9007199254740993', { additional: { made: '9007199254740992' } }, 0],
    ['    additional.made|lt: 9007199254740993', { additional: { made: '9007199254740992' } }, 1],
    ['    additional.made|gt: 5', { additional: { made: '12345678901234567890' } }, 1],
    ["    action_id: 'UP  '", { actionId: 'UP' }, 1],
    ["    class_type: ['SG', 'U ']", { additional: { classType: 'U' } }, 1],
    ["    objectName: 'UP  '", { objectName: 'UP' }, 0],
  ])('%s on %j makes %i findings', (selection, event, count) => {
    expect(findings(one(selection), event)).toBe(count);
  });

  it.each([
    ['a or b and not c', 1],
    ['(a or b) and c', 0],
    ['1 of a*', 1],
    ['all of them', 0],
    ['all of a*', 0],
    ['1 of them and not c', 1],
    ['not 1 of c*', 1],
    ['_hidden', 1],
    ['größe', 1],
  ])('condition %s makes %i findings', (condition, count) => {
    const source = rule(`  a:
    objectName: orders
  ab:
    objectName: other
  b:
    actionId: UP
  c:
    actionId: DL
  _hidden:
    schemaName: dbo
  größe:
    schemaName: dbo
  condition: ${condition}
`);
    expect(findings(source, { actionId: 'SL' })).toBe(count);
  });

  it.each([
    ['1 of them', 0, 1],
    ['all of them', 0, 1],
    ['any of _*', 1, 1],
    ['all of _*', 1, 1],
  ])(
    '%s heeds selections whose names begin with an underscore only by a pattern: %i, then %i findings',
    (condition, hidden, shown) => {
      const source = rule(
        `  a:\n    objectName: orders\n  _b:\n    schemaName: dbo\n  condition: ${condition}\n`,
      );
      expect(findings(source, { objectName: 'other', schemaName: 'dbo' })).toBe(hidden);
      expect(
        findings(source, { objectName: 'orders', schemaName: condition.includes('_') ? 'dbo' : 'hr' }),
      ).toBe(shown);
    },
  );
});

describe('YAML as people write it', () => {
  it.each([
    ['quoted keys', "  s:\n    'objectName': 'orders'\n    'actionId|contains': 'S'\n  'condition': 's'\n"],
    [
      'quoted keys in a list',
      "  s:\n    - 'objectName': \"orders\"\n      \"actionId\": 'SL'\n    - 'x'\n  condition: s\n",
    ],
    ['flow lists', "  s:\n    objectName: ['x',\n      'orders',]\n  condition: s\n"],
    ['folded texts', '  s:\n    objectName: >-\n      orders\n  condition: |\n    s\n'],
    ['comments', "  s: # here\n    # there\n    objectName: 'orders' # 'x'\n  condition: s\n"],
    ['an EventID that no event has, among others', '  s:\n    EventID: [17135, 33205]\n  condition: s\n'],
    [
      'a selection of another event',
      '  s1:\n    EventID: 17135\n  s2:\n    objectName: orders\n  condition: 1 of s*\n',
    ],
    ['the end of a document', '  s:\n    objectName: orders\n  condition: s\n...\n'],
    ['a document with nothing', '  s:\n    objectName: orders\n  condition: s\n---\n'],
  ])('is understood: %s', (_, detection) => {
    expect(findings(rule(detection), { actionId: 'SL' })).toBe(1);
  });
});

it('texts in double quotes have the escape sequences of YAML, and no others', () => {
  const accepted = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((character) => {
    const value = `"\\${character}00000041"`;
    const isYaml = parseDocument(value).errors.length === 0;
    expect([
      character,
      problemsOf(rule(`  s:\n    objectName: ${value}\n  condition: s\n`)).length === 0,
    ]).toEqual([character, isYaml]);
    return isYaml;
  });
  expect(accepted.join('')).toBe(' "/0LNPU\\_abefnrtuvx');
  const ends = rule('  s:\n    statement|endswith: "\\r\\n"\n  condition: s\n');
  expect(findings(ends, { statement: 'select 1\r\n' })).toBe(1);
  expect(findings(ends, { statement: 'select 1\n' })).toBe(0);
});

describe('correlations', () => {
  const base = (name: string, action: string) =>
    `title: ${name}\nname: ${name}\nlogsource:\n  product: sqlserver\ndetection:\n  s:\n    actionId: ${action}\n  condition: s\n`;
  const correlation = (text: string) => `---\ntitle: Several\ncorrelation:\n${text}`;

  it('over several documents, with aliases, makes only findings of the correlation', () => {
    const source =
      base('created', 'CR') +
      `---\n${base('granted', 'G')}` +
      correlation(`  type: temporal
  rules: [created, granted]
  group-by: [who]
  timespan: 10m
  aliases:
    who:
      created: objectName
      granted: serverPrincipalName
`);
    expect(
      findings(source, { actionId: 'G', serverPrincipalName: 'EVE' }, { actionId: 'CR', objectName: 'eve' }),
    ).toBe(1);
    expect(
      findings(source, { actionId: 'G', serverPrincipalName: 'bob' }, { actionId: 'CR', objectName: 'eve' }),
    ).toBe(0);
    expect(
      findings(
        source,
        { actionId: 'G', serverPrincipalName: 'eve' },
        { actionId: 'CR', objectName: 'eve', after: '1h' },
      ),
    ).toBe(0);
  });

  it('finds a burst that arrives late like one that arrived in time', () => {
    const source =
      base('reads', 'SL') +
      correlation('  type: event_count\n  rules: [reads]\n  timespan: 1m\n  condition: {gte: 3}\n');
    const events = testEvents({
      name: '',
      finds: true,
      events: [
        { actionId: 'SL', repeat: 3 },
        { actionId: 'SL', after: '1h' },
      ],
    });
    const late = [events[3], events[0], events[1], events[2]].flatMap((event, position) =>
      event ? [{ ...event, position }] : [],
    );
    const found = new Engine(
      1,
      parseRules(source).map((one) => ({ rule: one, version: 1 })),
    ).evaluate(late, 0);
    expect(found.map(({ recordIds }) => recordIds)).toEqual([
      events.slice(0, 3).map(({ recordId }) => recordId),
    ]);
  });

  it('a filter in the same file narrows the rules that it names', () => {
    const filter = `---
title: Not the backup account
logsource:
  product: sqlserver
filter:
  rules: [reads]
  selection:
    serverPrincipalName: svc_backup
  condition: not selection
`;
    const source = base('reads', 'SL') + filter;
    expect(findings(source, { actionId: 'SL' }, { actionId: 'SL', serverPrincipalName: 'SVC_BACKUP' })).toBe(
      1,
    );
  });
});

describe('a filter in the file of its rule', () => {
  const of = (logsource: string, rules: string) =>
    `${HEAD}name: reads\ndetection:\n  s:\n    actionId: SL\n  condition: s\n---
title: Not the backup account
logsource:
${logsource}filter:
  rules: ${rules}
  selection:
    serverPrincipalName: svc_backup
  condition: not selection
`;
  const WINDOWS = '  product: windows\n  service: application\n';
  it.each([
    [WINDOWS, '[reads]', 0],
    [WINDOWS, 'any', 0],
    ['  product: windows\n', 'any', 0],
    [WINDOWS, '[others]', 1],
    ['  product: sqlserver\n', 'any', 1],
    ['  product: windows\n  category: process_creation\n', '[reads]', 1],
  ])('for %j and rules %s leaves %i findings', (logsource, rules, count) => {
    expect(findings(of(logsource, rules), { actionId: 'SL', serverPrincipalName: 'SVC_BACKUP' })).toBe(count);
  });
});

describe('rules that could take the service from others', () => {
  const CHARS = 130_000;
  const value = (text: string) => rule(`  s:\n    statement|re: '${text}'\n  condition: s\n`);
  const event = (name: string) =>
    `title: ${name}\nname: ${name}\nlogsource:\n  product: sqlserver\ndetection:\n  s:\n    actionId: SL\n  condition: s\n`;
  it.each([
    ['quotes', '"'.repeat(CHARS)],
    ['quotes on lines of their own', '"a"\n'.repeat(CHARS / 4)],
    ['the same key', `{${'a, '.repeat(CHARS / 3)}a}`],
    ['different keys', Array.from({ length: 20_000 }, (_, i) => `a${i}: `).join('\n')],
    ['brackets', '['.repeat(CHARS)],
    ['lists in lists', '- '.repeat(CHARS / 2)],
    ['wrong lines', '\t- %\n'.repeat(CHARS / 5)],
    ['aliases', `a: &a [x, x]\nb: &b [*a, *a]\n${rule('  s: *b\n  condition: s\n')}`],
    ['a large expression', value('.{900}'.repeat(9))],
    [
      'many large expressions',
      rule(`  s:\n    statement|re:\n${"      - '.{900}x'\n".repeat(60)}  condition: s\n`),
    ],
    ['a long run with ?', rule(`  s:\n    statement: '*?${'a'.repeat(600)}*'\n  condition: s\n`)],
    [
      'correlations that multiply',
      [1, 2, 3, 4, 5].reduce(
        (text, n) =>
          `${text}---\ntitle: c${n}\nname: c${n}\ncorrelation:\n  type: temporal\n  timespan: 1m\n  rules: [${`c${n - 1}, `.repeat(20)}]\n`,
        event('c0'),
      ),
    ],
  ])('are refused quickly: %s', (_, source) => {
    const before = process.cpuUsage();
    expect(problemsOf(source)).not.toEqual([]);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(5);
  });

  it('do not use up the field names of other rules, however many they name', () => {
    const names = Array.from({ length: 3_000 }, (_, i) => `    additional.made${i}: x\n`).join('');
    parseRules(rule(`  s:\n${names}  condition: s\n`));
    const source = rule('  s:\n    additional.another: x\n  condition: s\n');
    expect(findings(source, { additional: { another: 'X' } }, { additional: { other: 'x' } })).toBe(1);
  });
});

describe('Sigma that is not supported', () => {
  it.each([
    [rule("  s:\n    statement|re: 'a(?=b)'\n  condition: s\n"), '7: look-around is not supported'],
    [
      rule("  s:\n    statement|re: '(a)\\1'\n  condition: s\n"),
      '7: the regular expression is not supported',
    ],
    [rule('  s:\n    Image: cmd.exe\n  condition: s\n'), '7: events have no field Image'],
    [rule('  s:\n    objectName|base64: x\n  condition: s\n'), '7: the modifier base64 is not supported'],
    [
      rule('  s:\n    objectName: x\n  condition: s | count() > 5\n'),
      '8: aggregations behind | are not supported',
    ],
    [rule('  s:\n    objectName: x\n  condition: s and t\n'), '8: condition: there is no selection t'],
    [rule('  s:\n    objectName: x\n  condition: (s\n'), '8: condition: a parenthesis is not closed'],
    [rule('  s:\n    objectName: x\n  timeframe: 5m\n  condition: s\n'), '8: timeframe is not supported'],
    [rule('  s:\n    clientIp|cidr: 10.0.0.0/99\n  condition: s\n'), '7: cidr takes a network'],
    [
      rule('  s:\n    objectName: x\n  timeframe: 5m\n  condition: s | count() by Data > 5\n'),
      '8: timeframe is not supported: write a correlation\n9: aggregations behind | are not supported',
    ],
    [
      rule('  s:\n    EventID: 17135\n  condition: s\n'),
      '7: no event has this EventID: there are 33205, 18456',
    ],
    [
      rule('  s:\n    EventID: 33205\n  condition: s\ncorrelation:\n  type: event_count\n'),
      '5: a document has only one of filter, correlation, detection',
    ],
    [`${HEAD}filter:\n  rules: any\n  s:\n    objectName: x\n`, '5: filter must have a condition'],
    [HEAD.replace('windows', 'linux'), '1: a document must have detection'],
    [
      rule('  s:\n    objectName: x\n  condition: s\n').replace('windows', 'linux'),
      '2: this logsource is not supported',
    ],
    ['title: x\naction: global\n', '2: action'],
    ['title: x\nlogsource:\n  service: apache\ndetection:\n  k: [a]\n  condition: k\n', '2: this logsource'],
    [rule('  s:\n    objectName: !made x\n  condition: s\n'), '7: tags (!name) of YAML are not supported'],
    [
      rule('  s:\n    objectName: x\n    objectName: y\n  condition: s\n'),
      '8: the key objectName stands twice',
    ],
    [rule('  s:\n    objectName|base64offset|contains: x\n  condition: s\n'), '7: the modifier base64offset'],
    [rule('  s:\n    objectName: x\n  condition: s | near s\n'), '8: aggregations behind | are not'],
    [
      'title: x\nfilter:\n  s:\n    objectName: x\n  condition: not s\n',
      '2: filter.rules must name rules, or say any\n1: a filter must have a logsource',
    ],
    [
      'title: x\nlogsource:\n  product: sqlserver\nfilter:\n  rules: {a: b}\n  s:\n    objectName: x\n  condition: not s\n',
      '5: filter.rules must name rules, or say any',
    ],
    [rule('  s: []\n  condition: s\n'), '6: a list of selections or keywords is empty'],
    [rule('  s:\n    objectName: x\n  condition: []\n'), '8: the list of conditions is empty'],
    [rule('  s:\n    succeeded: maybe\n  condition: s\n'), '7: succeeded is true or false'],
    ['a: [', '1: no YAML'],
    ['- x\n', '1: a document must be a map'],
  ])('is refused with its line: %#', (source, problem) => {
    expect(problemsOf(source).join('\n')).toContain(problem);
  });

  it('is refused with all problems at once', () => {
    const source = rule('  s:\n    Image: a\n    objectName|base64: b\n  condition: s | count() > 5\n');
    expect(problemsOf(source).map((problem) => problem.split(':')[0])).toEqual(['7', '8', '9']);
  });

  it('includes unknown types of correlations, and names of rules that are not in the file', () => {
    const source = 'title: x\ncorrelation:\n  type: value_sum\n  rules: [a]\n  timespan: 1m\n';
    expect(problemsOf(source)).toEqual(['3: a correlation of type value_sum is not supported']);
    expect(problemsOf(source.replace('  type: value_sum\n', ''))).toEqual([
      '3: a correlation must have a type',
    ]);
    const other =
      'title: x\ncorrelation:\n  type: event_count\n  rules: [a]\n  timespan: 1m\n  condition: {gte: 1}\n';
    expect(problemsOf(other)).toEqual(['4: there is no rule a in this file']);
  });
});
