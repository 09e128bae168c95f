import { carriedBaselines, formerRules } from '../../src/modules/detection/detector/carry-baselines';
import { RuleAbouts } from '../../src/modules/detection/rules/rule-abouts';
import { LocalHost, type StoredState } from '../../src/rules/host';
import { testEvents } from '../../src/rules/rule-test';
import { unseenInLogins } from './support/sigma';

const RULE_ID = '00000000-0000-4000-8000-000000000001';
const SOURCE = unseenInLogins('Seldom seen', 'serverPrincipalName', RULE_ID);
const FILTER = `title: Robots
logsource:
  product: sqlserver
filter:
  rules: any
  s:
    serverPrincipalName: robot
  condition: not s
`;
const CLOCK = { nowMs: 0, isReady: true };
const logins = (...names: readonly string[]) =>
  testEvents({
    name: '',
    finds: true,
    events: names.map((serverPrincipalName) => ({
      actionId: 'LGIS',
      serverPrincipalName,
      after: '1d',
    })),
  });

describe('a learned baseline', () => {
  it('stays when its rule gets another version, and is never given to a different baseline', async () => {
    const host = new LocalHost();
    const rule = { ruleId: RULE_ID, source: SOURCE, tuning: null, version: 1, filters: [] };
    await host.open(1, [rule], []);
    const { changes } = await host.learn(1, logins(...Array(9).fill('ada')));
    const rows = changes.filter((row): row is StoredState & { body: string } => row.body !== null);
    const versions = new Map([[RULE_ID, 3]]);
    expect([...formerRules(rows, versions)]).toEqual([RULE_ID]);
    const about = await new RuleAbouts().of({ ruleId: RULE_ID, source: SOURCE, tuning: null }, []);
    const carried = carriedBaselines(rows, versions, new Map([[RULE_ID, about?.baselines ?? []]]));
    expect(carried).toEqual([{ from: `${RULE_ID}/1/0`, to: `${RULE_ID}/3/0` }]);
    const state = rows.map((row) => ({ ...row, node: `${RULE_ID}/3/0` }));
    await host.open(1, [{ ...rule, version: 3, filters: [FILTER] }], state);
    const after = logins(...Array(10).fill('ada'), 'robot', 'eve').slice(9);
    const { findings } = await host.evaluate(1, after, CLOCK);
    expect(findings.map(({ group, ruleVersion }) => [group.serverPrincipalName, ruleVersion])).toEqual([
      ['eve', 3],
    ]);

    const other = [{ kind: 'unseen', groups: ['clientIp'], value: 'serverPrincipalName' }] as const;
    expect(carriedBaselines(rows, versions, new Map([[RULE_ID, other]]))).toEqual([]);
    expect(carriedBaselines(rows, versions, new Map([[RULE_ID, [null]]]))).toEqual([]);
  });

  it('is that of the newest version before, and of a node whose every row fits', () => {
    const body = (first: number, names = { clientIp: 'x' }) =>
      JSON.stringify({ v: names, b: { first, last: first } });
    const row = (version: number, first: number, more: object = {}) => ({
      ...{ node: `${RULE_ID}/${version}/0`, key: `k${first}`, touched: 1, body: body(first), ...more },
    });
    const versions = new Map([[RULE_ID, 5]]);
    const baselines = new Map([[RULE_ID, [{ kind: 'unseen', groups: ['clientIp'], value: null }] as const]]);
    const carried = (...rows: readonly object[]) =>
      carriedBaselines(rows as never, versions, baselines as never).map(({ from }) => from.split('/')[1]);
    expect(carried(row(2, 1), row(4, 1), row(3, 1))).toEqual(['4']);
    // What has state of its own, or is of a later version, takes and gives nothing.
    expect(carried(row(4, 1), row(5, 1))).toEqual([]);
    expect(carried(row(6, 1))).toEqual([]);
    const strange = { body: body(2, { hostName: 'x' } as never) };
    expect(carried(row(4, 1), row(4, 2, strange), row(3, 1))).toEqual(['3']);
    expect(
      carried(row(4, 1, { body: JSON.stringify({ v: { clientIp: 'x' }, b: { days: {}, windows: [] } }) })),
    ).toEqual([]);
  });
});
