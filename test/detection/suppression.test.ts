import { type Suppression, suppresses } from '../../src/modules/detection/alerts/suppression';
import type { Finding } from '../../src/rules/finding';

const FINDING = {
  ...{ ruleId: 'a', group: { clientIp: '203.0.113.11', hostName: null } },
  ...{ principals: ['CORP\\ada'], instances: ['SQL01'] },
} as unknown as Finding;
const FIELDS = { serverPrincipalName: 'corp\\ADA', serverInstanceName: 'sql01', clientIp: '203.0.113.11' };

describe('a suppression', () => {
  it.each<[string, Partial<Suppression>, Partial<Finding>, boolean]>([
    ['the values of its rule, in any letter case', {}, {}, true],
    ['those values under every rule', { ruleId: null }, {}, true],
    ['no other rule', { ruleId: 'b' }, {}, false],
    ['no other value', { fields: { ...FIELDS, clientIp: '203.0.113.12' } }, {}, false],
    ['a value that is absent', { fields: { hostName: null } }, {}, true],
    ['no value where one is to be absent', { fields: { clientIp: null } }, {}, false],
    ['no absent value where one is to be there', { fields: { hostName: 'PROBE01' } }, {}, false],
    [
      'nothing of several logins: one of them alone was meant',
      {},
      { principals: ['CORP\\ada', 'eve'] },
      false,
    ],
    ['nothing on several servers', {}, { instances: ['SQL01', 'SQL02'] }, false],
    ['nothing of nobody', {}, { principals: [] }, false],
  ])('keeps quiet %s', (_, suppression, finding, is) => {
    const one = { ruleId: 'a', fields: FIELDS, until: new Date(0), ...suppression };
    expect(suppresses(one, { ...FINDING, ...finding })).toBe(is);
  });
});
