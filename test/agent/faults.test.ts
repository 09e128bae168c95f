import { ANY_ENGINE } from '../support/engines';
import { NETWORK_FAULTS, TcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { AgentWorld, FILES_2022 } from './support/agent-world';

/** The number of records in the files. */
const RECORDS = 150;
const TIMES = { requestTimeoutMs: 400, reportTimeoutMs: 400 };

describe('a broken network between an agent and the service', () => {
  const at = useWorld(ANY_ENGINE);

  it.each(NETWORK_FAULTS)(
    '%s: every record is stored once, as soon as the network works again',
    async (fault) => {
      const tenant = await at.world.tenant();
      const proxy = await TcpProxy.to(at.world.service.url);
      const agent = await AgentWorld.create();
      const [first = '', ...others] = FILES_2022;
      const { tenantId, agentKey } = tenant;
      agent.configure({ BaseUrl: proxy.url.replace(/\/$/, ''), ApiKey: agentKey, TenantId: tenantId });
      const total = async (): Promise<number> => (await tenant.get('/audit-activity')).body.meta.totalCount;
      try {
        agent.copy([first]);
        agent.follow(TIMES);
        await until(total, (count) => count > 0);
        proxy[fault]();
        agent.copy(others);
        await until(
          () => proxy.wasMet,
          (wasMet) => wasMet,
        );
        proxy.mend();
        await until(total, (count) => count === RECORDS);
        await until(
          () => agent.statusOf()?.waitingBytes,
          (bytes) => bytes === 0,
        );
        expect(await total()).toBe(RECORDS);
        expect(agent.log).not.toMatch(/[1-9]\d* rejected/);
      } finally {
        await agent.close();
        await proxy.close();
      }
    },
  );
});
