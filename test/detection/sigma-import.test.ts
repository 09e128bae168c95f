import { Engine } from '../../src/detection/engine';
import type { Rule } from '../../src/detection/rule';
import { testEvents } from '../../src/detection/rule-test';
import { RuleRefused } from '../../src/detection/sigma/problem';
import { parseRules } from '../../src/detection/sigma/rule-file';

const HEAD = 'title: A rule\nlogsource:\n  product: windows\n  service: application\n';
const rule = (detection: string) => `${HEAD}detection:\n${detection}`;

function findings(source: string, ...events: Readonly<Record<string, unknown>>[]): number {
  const active = parseRules(source).map((one: Rule) => ({ rule: one, version: 1 }));
  return new Engine(1, active).evaluate(testEvents({ name: '', finds: true, events }), 0).length;
}

function problemsOf(source: string): readonly string[] {
  try {
    parseRules(source);
    return [];
  } catch (error) {
    if (!(error instanceof RuleRefused)) throw error;
    return error.problems.map(({ line, reason }) => `${line}: ${reason}`);
  }
}

const STOPPED = { actionId: 'AL', statement: 'ALTER SERVER AUDIT [Main] WITH (STATE=OFF)' };
const FAILED = { actionId: 'LGIF', succeeded: false, serverPrincipalName: 'sa', clientIp: '203.0.113.9' };

describe('rules written for the Windows application log', () => {
  it('see audit records as SQL Server renders them, whatever the name of the instance', () => {
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

  it('see several lines of one record', () => {
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

  it('see a failed login as both events, with its address', () => {
    const source = rule(`  selection:
    Provider_Name|contains: 'MSSQL'
    EventID: 18456
  filter_main_local_ips:
    Data|contains:
      - 'CLIENT: 10.'
      - 'CLIENT: 192.168.'
      - 'CLIENT: <local machine>'
  condition: selection and not 1 of filter_main_*
`);
    expect(findings(source, FAILED)).toBe(1);
    expect(findings(source, { ...FAILED, clientIp: '10.1.2.3' })).toBe(0);
    expect(findings(source, { ...FAILED, clientIp: 'local machine' })).toBe(0);
    expect(findings(source, { ...FAILED, statement: "Login failed for user 'sa'. [CLIENT: 10.1.2.3]" })).toBe(
      0,
    );
    expect(findings(source, { ...FAILED, actionId: 'LGIS' })).toBe(0);
    expect(findings(rule('  s:\n    EventID: 33205\n  condition: s\n'), FAILED)).toBe(1);
  });
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
    ['    objectName|fieldref: schemaName', { objectName: 'DBO' }, 1],
    ["    statement|re: '^select\\s+\\d+$'", { statement: 'select 42' }, 1],
    ["    statement|re: '^select'", { statement: 'SELECT 42' }, 0],
    ["    statement|re|i: '^select'", { statement: 'SELECT 42' }, 1],
    ['    succeeded: false', { succeeded: false }, 1],
    ['    server_principal_name|contains|all: [corp, ice]', {}, 1],
    ['    - objectName: x\n    - objectName: orders', {}, 1],
    ['    - payroll\n    - salesweb', {}, 1],
    ["    '|all': [orders, nothing]", {}, 0],
    ['    objectName|neq: orders', {}, 0],
  ])('%s on %j: %i', (selection, event, count) => {
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
  ])('condition %s: %i', (condition, count) => {
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
  condition: ${condition}
`);
    expect(findings(source, { actionId: 'SL' })).toBe(count);
  });
});

describe('correlations', () => {
  const base = (name: string, action: string) =>
    `title: ${name}\nname: ${name}\nlogsource:\n  product: sqlserver\ndetection:\n  s:\n    actionId: ${action}\n  condition: s\n`;
  const correlation = (text: string) => `---\ntitle: Several\ncorrelation:\n${text}`;

  it('of several documents, with aliases, tell of the correlation alone', () => {
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

  it('find a burst that arrives late as one that arrived in time', () => {
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

  it('and filters of the same file narrow what they name', () => {
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

describe('what is not supported', () => {
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
    [HEAD.replace('windows', 'linux'), '1: a document must have detection'],
    [
      rule('  s:\n    objectName: x\n  condition: s\n').replace('windows', 'linux'),
      '2: this logsource is not supported',
    ],
    ['title: x\naction: global\n', '2: action'],
    ['a: [', '1: no YAML'],
    ['- x\n', '1: a document must be a map'],
  ])('is refused with its line: %#', (source, problem) => {
    expect(problemsOf(source).join('\n')).toContain(problem);
  });

  it('is told all at once', () => {
    const source = rule('  s:\n    Image: a\n    objectName|base64: b\n  condition: s\n');
    expect(problemsOf(source)).toHaveLength(2);
  });

  it('refuses a correlation of another type, and one that names a rule which is not there', () => {
    const source = 'title: x\ncorrelation:\n  type: value_sum\n  rules: [a]\n  timespan: 1m\n';
    expect(problemsOf(source)).toEqual(['3: a correlation of type value_sum is not supported']);
    const other =
      'title: x\ncorrelation:\n  type: event_count\n  rules: [a]\n  timespan: 1m\n  condition: {gte: 1}\n';
    expect(problemsOf(other)).toEqual(['4: there is no rule a in this file']);
  });
});
