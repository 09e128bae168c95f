import { LIMITS } from '../../src/limits';
import { type AgentGroup, groupOf, NOTHING_WANTED } from '../../src/modules/sources/groups/agent-group';

const HOSTS = 400;
const LISTS = 5;

it('the groups of many hosts are found with a look at each pattern and each host, however many of both there are', () => {
  const { agentGroupsMax, agentGroupHostsMax } = LIMITS;
  const groups = Array.from({ length: agentGroupsMax }, (_, group): AgentGroup => {
    const hosts = Array.from({ length: agentGroupHostsMax }, (_, host) => `SQL-PROD-${group}-${host}-*`);
    return {
      ...{ groupId: `g${group}`, tenantId: 1, name: 'n', position: group, hosts, version: 1 },
      ...{ changedAt: new Date(0), settings: NOTHING_WANTED },
    };
  });
  const from = process.cpuUsage();
  for (let list = 0; list < LISTS; list++)
    for (let host = 0; host < HOSTS; host++) {
      expect(groupOf(groups, `sql-prod-${host % agentGroupsMax}-7-x${host}`)?.groupId).toBe(
        `g${host % agentGroupsMax}`,
      );
      expect(groupOf(groups, `DB${host}.example.com`)).toBeNull();
    }
  const { user } = process.cpuUsage(from);
  // Of the processor, in microseconds. To read each pattern for each host took eight seconds.
  expect(user).toBeLessThan(3_000_000);
});
