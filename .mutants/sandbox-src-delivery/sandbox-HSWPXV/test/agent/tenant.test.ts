import { writeFileSync } from 'node:fs';
import { AgentWorld, FILES_2017, FILES_2022 } from './support/agent-world';
import { until } from './support/until';

describe('an agent without a tenant id', () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await AgentWorld.create();
    world.copy(FILES_2022);
    world.configure({ TenantId: undefined });
  });
  afterEach(() => world.close());

  it('logs what to set, and fails with --once', async () => {
    expect(await world.once()).toBe(1);
    expect(world.log).toContain(`${world.configPath}: CentralApi.TenantId is not set: nothing is published`);
    expect(world.service.requests).toEqual([]);
  });

  it('publishes as soon as the configuration names it', async () => {
    world.follow();
    await until('the message', () => world.log.includes('CentralApi.TenantId is not set'));
    world.configure();
    await until('all published', () => world.service.stored.size === 150);
    expect(world.log.match(/TenantId is not set/g)).toHaveLength(1);
  });

  it('keeps working with the old configuration while the file is broken', async () => {
    world.configure();
    world.follow();
    await until('all published', () => world.service.stored.size === 150);
    writeFileSync(world.configPath, '{"CentralApi": {');
    await until('the complaint', () => world.log.includes('is not valid JSON'));
    world.copy(FILES_2017);
    await until('all published', () => world.service.stored.size === 230);
    expect(world.log.match(/is not valid JSON/g)).toHaveLength(1);
  });

  it('does not start if its configuration is invalid', async () => {
    writeFileSync(world.configPath, '{}');
    expect(await world.once()).toBe(1);
    expect(world.log).toMatch(/CentralApi is missing.*EventHubPublisher is missing/s);
  });
});
