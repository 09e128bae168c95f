import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../src/rules/engine';
import { testEvents } from '../../src/rules/rule-test';
import { parseRules } from '../../src/rules/sigma/rule-file';
import { STATEMENTS } from './support/statements';

const FOLDER = path.join(__dirname, '../../rules');
const RULES = readdirSync(FOLDER).flatMap((name) =>
  parseRules(readFileSync(path.join(FOLDER, name), 'utf8')).map((rule) => ({
    rule,
    version: 1,
    number: Number(name.slice(0, 2)),
  })),
);

type Change = Readonly<Record<string, unknown>>;

/** @returns the numbers of the shipped rules that have findings in these events */
function found(...events: readonly Change[]): ReadonlySet<number> {
  const findings = new Engine(1, RULES).evaluate(testEvents({ name: '', finds: true, events }), 0);
  const numbers = new Map(RULES.map(({ rule, number }) => [rule.ruleId, number]));
  return new Set(findings.map(({ ruleId }) => numbers.get(ruleId) ?? 0));
}

describe('a shipped rule reads statements as SQL Server does', () => {
  const cases = (which: 'finds' | 'leaves') =>
    STATEMENTS.flatMap((of) => of[which].map((text): [number, string, Change] => [of.rule, text, of.event]));
  it.each(cases('finds'))('%i finds %j', (rule, statement, event) => {
    expect(found({ ...event, statement })).toContain(rule);
  });
  it.each(cases('leaves'))('%i does not find %j', (rule, statement, event) => {
    expect(found({ ...event, statement })).not.toContain(rule);
  });
});

const failed = (change: Change = {}): Change => ({
  actionId: 'LGIF',
  succeeded: false,
  clientIp: '10.0.0.9',
  serverPrincipalName: 'app',
  statement: "Login failed for user 'user{n}'. Reason: Could not find a login. [CLIENT: 10.0.0.9]",
  ...change,
});
const guessed = (change: Change) => failed({ repeat: 15, ...change });
const stale = failed({ serverInstanceName: 'SRV{n}', repeat: 3, every: '60s' });
const made = { actionId: 'CR', objectName: 'Eve', additional: { classType: 'SL' } };
const granted = {
  actionId: 'APRL',
  objectName: 'sysadmin',
  additional: { classType: 'SG' },
  statement: 'ALTER SERVER ROLE [sysadmin] ADD MEMBER [eve]',
};
const later = (serverInstanceName: string) => ({ actionId: 'SL', serverInstanceName, after: '2h' });

describe('a shipped rule', () => {
  it.each<[number, string, readonly Change[]]>([
    [1, 'codes in small letters', [guessed({ actionId: 'lgif' })]],
    [1, 'codes padded with spaces', [guessed({ actionId: 'LGIF ' })]],
    [1, 'an address that only the statement has', [guessed({ clientIp: null })]],
    [2, 'logins that only the statement has', [failed({ serverPrincipalName: null, repeat: 8 })]],
    [4, 'logins that only the statement has', [failed({ serverPrincipalName: '', repeat: 5 })]],
    [5, 'time told by one of its servers', [stale, later('SRV1')]],
    [5, 'time told by another server', [stale, later('OTHER')]],
    [9, 'a tool in what it does', [{ actionId: 'SL', applicationName: 'sqlmap' }]],
    [9, 'a short name', [{ actionId: 'LGIS', applicationName: 'hydra' }]],
    [13, 'padded classes', [{ ...made, actionId: 'CR  ', additional: { classType: 'SL ' } }]],
    [14, 'a target that only the statement has', [made, granted]],
    [
      20,
      'a target of its own',
      [
        {
          actionId: 'IMP',
          objectName: null,
          additional: { classType: 'LX', targetServerPrincipalName: 'sa' },
        },
      ],
    ],
    [30, 'padded classes', [{ actionId: 'CR', additional: { classType: 'T ' } }]],
    [37, 'padded classes', [{ actionId: 'AL', additional: { classType: 'A ' } }]],
  ])('%i finds %s', (rule, _, events) => {
    expect(found(...events)).toContain(rule);
  });

  it.each<[number, string, readonly Change[]]>([
    [
      5,
      'a success on another server',
      [stale, { actionId: 'LGIS', serverPrincipalName: 'APP', after: '5m' }, later('SRV3')],
    ],
    [5, 'an hour that is not over', [stale, { ...later('OTHER'), after: '59m' }]],
    [9, 'names that hold a short one', [{ actionId: 'LGIS', applicationName: 'Hydrawise ERP' }]],
    [14, 'another login', [made, { ...granted, statement: 'ALTER SERVER ROLE sysadmin ADD MEMBER bob' }]],
    [
      20,
      'words that hold dba',
      [{ actionId: 'IMP', objectName: 'feedback', additional: { classType: 'LX' } }],
    ],
  ])('%i leaves %s', (rule, _, events) => {
    expect(found(...events)).not.toContain(rule);
  });

  it('5 waits until the clock of its own server passes the hour, when failures arrive after later events', () => {
    const [ahead, ...rest] = testEvents({
      name: '',
      finds: true,
      events: [{ actionId: 'SL', serverInstanceName: 'OTHER' }, stale, later('OTHER'), later('SRV3')],
    });
    if (!ahead) throw new Error('there are no events');
    const late = [{ ...ahead, at: ahead.at + 9 * 3_600e6 }, ...rest].map((event, position) => ({
      ...event,
      position,
    }));
    const engine = new Engine(
      1,
      RULES.filter(({ number }) => number === 5),
    );
    expect(engine.evaluate(late.slice(0, -1), 0)).toEqual([]);
    expect(engine.evaluate(late.slice(-1), 0)).toHaveLength(1);
  });
});
