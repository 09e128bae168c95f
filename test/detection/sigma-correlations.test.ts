import { findings, found, problemsOf } from './support/sigma';

const ID = '5638f7c0-ac70-491d-8465-2a65075e0d86';
const base = (name: string, action: string, head = `title: ${name}\nname: ${name}\n`) =>
  `${head}logsource:\n  product: sqlserver\ndetection:\n  s:\n    actionId: ${action}\n  condition: s\n`;
const correlation = (text: string, head = '') =>
  `---\ntitle: Several\n${head}correlation:\n  timespan: 10m\n${text}`;
const [READ, CHANGE, GONE] = [{ actionId: 'SL' }, { actionId: 'UP' }, { actionId: 'DL' }];
const READS = '  type: event_count\n  group-by: [serverPrincipalName]\n  condition: {gte: 2}\n';

describe('a rule that a correlation names', () => {
  it.each([
    ['beside it', correlation(`  rules: [a]\n${READS}`, 'generate: true\n')],
    ['in it', correlation(`  rules: [a]\n  generate: true\n${READS}`)],
  ])('makes its own findings too when generate is true %s', (_, several) => {
    expect(findings(base('a', 'SL') + several, READ, READ)).toBe(3);
    const changed = (to: string) => base('a', 'SL') + several.replace('generate: true', `generate: ${to}`);
    expect(findings(changed('false'), READ, READ)).toBe(1);
    expect(findings(changed('yes'), READ, READ)).toBe(3);
    expect(problemsOf(changed('maybe'))).toEqual([expect.stringMatching(/generate is true or false$/)]);
  });

  it('is found by its id in any letter case, and then needs no title', () => {
    const source = base('a', 'SL', `id: ${ID}\n`) + correlation(`  rules: [${ID.toUpperCase()}]\n${READS}`);
    expect(findings(source, READ, READ)).toBe(1);
    expect(problemsOf(base('a', 'SL', `id: ${ID}\n`))).toEqual(['1: a rule must have a title']);
  });

  it('is known to aliases by its name and by its id', () => {
    const head = `title: a\nname: a\nid: ${ID}\n`;
    const alias = (rule: string) =>
      `  group-by: [who]\n  type: event_count\n  condition: {gte: 2}\n  aliases:\n    who:\n      ${rule}: serverPrincipalName\n`;
    for (const [named, inAlias] of [
      [ID, 'a'],
      ['a', ID],
    ] as const)
      expect(
        findings(
          base('a', 'SL', head) + correlation(`  rules: [${named}]\n${alias(inAlias)}`),
          READ,
          { ...READ, serverPrincipalName: 'eve' },
          READ,
        ),
      ).toBe(1);
  });

  it('counts an event once, however many of the named rules match', () => {
    const orders = base('b', 'SL').replace('actionId: SL', 'objectName: orders');
    const source = `${base('a', 'SL')}---\n${orders}${correlation(`  rules: [a, b]\n${READS}`)}`;
    expect(findings(source, READ)).toBe(0);
    expect(findings(source, READ, CHANGE)).toBe(1);
  });
});

it('temporal counts an event once that matched several of its rules', () => {
  const orders = base('b', 'SL').replace('actionId: SL', 'objectName: orders');
  const source = `${base('a', 'SL')}---\n${orders}---\n${base('c', 'UP')}${correlation(
    '  type: temporal\n  rules: [a, b, c]\n',
  )}`;
  expect(found(source, READ, { ...CHANGE, objectName: 'x' })).toMatchObject([
    { eventCount: 2, recordIds: [expect.any(String), expect.any(String)] },
  ]);
});

describe('a correlation of correlations', () => {
  const inner = (type: string) =>
    `title: inner\nname: inner\ncorrelation:\n  ${type}\n  rules: [a]\n  group-by: [serverInstanceName]\n  timespan: 10m\n`;
  const outer = correlation(
    '  type: temporal_ordered\n  rules: [inner, b]\n  group-by: [serverPrincipalName]\n',
  );
  it('may group by a field that the inner one does not: it takes the field of the event that completed the inner one', () => {
    const source = `${base('a', 'SL')}---\n${base('b', 'UP')}---\n${inner('type: event_count\n  condition: {gte: 2}')}${outer}`;
    const eve = { serverPrincipalName: 'eve' };
    expect(findings(source, READ, { ...READ, ...eve }, { ...CHANGE, ...eve })).toBe(1);
    expect(findings(source, { ...READ, ...eve }, READ, { ...CHANGE, ...eve })).toBe(0);
  });

  it('cannot group by other fields of an inner absence, since no event completes an absence', () => {
    const absent = `title: inner\nname: inner\ncorrelation:\n  type: absence\n  rules: [a, b]\n  group-by: [serverInstanceName]\n  timespan: 10m\n`;
    expect(problemsOf(`${base('a', 'SL')}---\n${base('b', 'UP')}---\n${absent}${outer}`)).toEqual([
      '32: inner tells of what did not happen, and has serverPrincipalName only if it groups by it',
    ]);
  });

  it('cannot do so either if the absence is behind another correlation', () => {
    const absent = `title: gone\nname: gone\ncorrelation:\n  type: absence\n  rules: [a, b]\n  group-by: [serverInstanceName]\n  timespan: 10m\n`;
    const often = `title: inner\nname: inner\ncorrelation:\n  type: event_count\n  rules: [gone]\n  group-by: [serverInstanceName]\n  timespan: 1h\n  condition: {gte: 2}\n`;
    expect(
      problemsOf(`${base('a', 'SL')}---\n${base('b', 'UP')}---\n${absent}---\n${often}${outer}`),
    ).toEqual([expect.stringMatching(/inner tells of what did not happen/)]);
  });
});

describe('a condition of a temporal correlation', () => {
  const of = (type: string, condition: string) =>
    [base('a', 'SL'), base('b', 'UP'), base('c', 'DL')].join('---\n') +
    correlation(
      `  type: ${type}\n  rules: [a, b, c]\n  group-by: [serverPrincipalName]\n  condition: ${condition}\n`,
    );
  it.each([
    ['{gte: 2}', 1],
    ['{gt: 1}', 1],
    ['{eq: 3}', 0],
    ['{gte: 3}', 0],
    ['a and b and c', 0],
  ])('states how many of the rules must match: %s', (condition, count) => {
    expect(findings(of('temporal', condition), READ, READ, GONE)).toBe(count);
    expect(findings(of('temporal', condition), READ, { ...GONE, after: '1h' })).toBe(0);
    if (count === 0) expect(findings(of('temporal', condition), READ, GONE, CHANGE)).toBe(1);
  });

  it.each([
    ['temporal', 'a and not b', 'a number of rules'],
    ['temporal', 'a or b', 'a number of rules'],
    ['temporal', '{gte: 4}', 'from 1 to 3'],
    ['temporal', '{lt: 2}', 'one of gte, gt and eq'],
    ['temporal_ordered', '{gte: 2}', 'needs all of its 3 rules'],
  ])('is refused with its line: %s, %s', (type, condition, reason) => {
    expect(problemsOf(of(type, condition))).toEqual([expect.stringMatching(new RegExp(`^34: .*${reason}`))]);
  });

  it('needs all rules, in their order, if the type is temporal_ordered', () => {
    expect(findings(of('temporal_ordered', '{gte: 3}'), READ, CHANGE, GONE)).toBe(1);
    expect(findings(of('temporal_ordered', '{gte: 3}'), CHANGE, READ, GONE)).toBe(0);
  });
});

it('value_count with several fields counts their combined values', () => {
  const source =
    base('a', 'SL') +
    correlation(
      '  type: value_count\n  rules: [a]\n  condition: {field: [objectName, schemaName], gte: 2}\n',
    );
  expect(findings(source, READ, { ...READ, schemaName: 'hr' })).toBe(1);
  expect(findings(source, READ, READ, { ...READ, schemaName: '', objectName: 'x' })).toBe(0);
});

it('event_count refuses a field and points to value_count', () => {
  const events = READS.replace('{gte: 2}', '\n    gte: 2\n    field: objectName');
  expect(problemsOf(base('a', 'SL') + correlation(`  rules: [a]\n${events}`))).toEqual([
    '18: event_count counts events: the values of a field are value_count',
  ]);
});

it('an unknown key of a correlation is refused', () => {
  expect(problemsOf(base('a', 'SL') + correlation(`  rules: [a]\n  groupby: [x]\n${READS}`))).toEqual([
    '14: groupby of a correlation is not supported',
  ]);
});
