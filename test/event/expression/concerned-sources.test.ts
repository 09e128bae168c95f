import { parseFilter } from '../../../src/event/expression/parse-filter';
import { concernedHosts, namesHosts } from '../../../src/modules/sources/concerned-sources';

const HOSTS = [
  ...['SQL01', 'sql02.corp.example', 'SQL02-VERY-LONG-NAME', 'APP01'].map((hostName) => ({
    tenantId: 1,
    hostName,
  })),
  { tenantId: 23, hostName: 'SQL02' },
];
const [SQL01, SQL02, LONG, APP01, SQL02_OF_23] = HOSTS;

const concerned = (text: string) => {
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  expect(namesHosts(parsed.expression)).toBe(true);
  return concernedHosts(parsed.expression, HOSTS);
};

describe('the hosts whose sources a filter concerns', () => {
  it.each([
    ['serverInstanceName:SQL01', [SQL01]],
    [String.raw`serverInstanceName:"sql01\\PAYROLL"`, [SQL01]],
    [String.raw`serverInstanceName:"SQL02\\PAYROLL"`, [SQL02, SQL02_OF_23]],
    ['serverInstanceName:SQL02-VERY-LONG', [LONG]],
    ['serverInstanceName:SQL02*', [SQL02, LONG, SQL02_OF_23]],
    [String.raw`serverInstanceName:"SQL02\\P"*`, [SQL02, SQL02_OF_23]],
    ['serverInstanceName~app01', [APP01]],
    ['serverInstanceName:(SQL01 OR APP01)', [SQL01, APP01]],
    ['objectName:Payroll AND serverInstanceName:SQL01', [SQL01]],
    ['serverInstanceName:SQL02 AND NOT tenantId:1', [SQL02_OF_23]],
    ['tenantId:2*', [SQL02_OF_23]],
    ['NOT (NOT serverInstanceName:SQL01 OR actionId:SL)', [SQL01]],
    ['(serverInstanceName:SQL01 AND word) OR tenantId:23', [SQL01, SQL02_OF_23]],
  ])('are those that may have its events: %s', (text, hosts) => {
    expect(concerned(text)).toEqual(hosts);
  });

  it.each([
    ...['serverInstanceName:SQL01 OR objectName:Payroll', 'NOT serverInstanceName:SQL01', 'tenantId:*'],
    ...['serverInstanceName:*', 'NOT serverInstanceName:*', 'serverInstanceName:CLUSTER', 'tenantId:9'],
    ...['NOT (serverInstanceName:SQL01 AND actionId:SL)', 'serverInstanceName:S*'],
  ])('are all where any may have them, or none bears the name: %s', (text) => {
    expect(concerned(text)).toEqual(
      text === 'serverInstanceName:S*' ? HOSTS.filter((one) => one !== APP01) : null,
    );
  });

  it('are not looked for where the filter says nothing of them', () => {
    const parsed = parseFilter('objectName:SQL01 OR SQL01 OR hostName:SQL01');
    expect('expression' in parsed && namesHosts(parsed.expression)).toBe(false);
  });
});
