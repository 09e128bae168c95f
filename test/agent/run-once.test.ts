import { systemClock } from '../../agent/clock';
import { AgentWorld, databaseEntry, FILES_2017, FILES_2022 } from './support/agent-world';
import { expectedRecords, inOrder, storedAsExpected } from './support/expected-records';

describe('audit-agent run --once', () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await AgentWorld.create();
  });
  afterEach(async () => {
    expect(world.service.mistakes).toEqual([]);
    await world.close();
  });

  it('publishes every record of the audit files once, whole and in order', async () => {
    world.copy(FILES_2022);
    expect(await world.once()).toBe(0);
    const expected = expectedRecords('schema-2022');
    expect(storedAsExpected(world.service, expected)).toEqual(inOrder(expected));
    expect(world.service.sentCount).toBe(expected.length);
    expect(world.summary).toEqual(['Payroll: 150 published (0 duplicates, 0 rejected) from 2 files']);
    expect(world.service.events[0]).toMatchObject({ sourceType: 'DirectFile', index: 0 });
  });

  it('publishes nothing the second time', async () => {
    world.copy([...FILES_2022, ...FILES_2017]);
    expect(await world.once()).toBe(0);
    expect(world.service.sentCount).toBe(230);
    expect(await world.once()).toBe(0);
    expect(world.service.sentCount).toBe(230);
    expect(world.summary[1]).toBe('Payroll: 0 published (0 duplicates, 0 rejected) from 3 files');
  });

  it.each([
    ['bytes', { MaxBytesPerSecond: 10_000 }],
    ['processor time', { MaxProcessorPercent: 1 }],
  ])('waits for the bound of %s between batches, and publishes everything', async (_, bound) => {
    const { wait } = systemClock;
    const waits: number[] = [];
    const spy = jest.spyOn(systemClock, 'wait').mockImplementation((ms, signal) => {
      waits.push(ms);
      return wait.call(systemClock, ms > 1_000 ? 1 : ms, signal);
    });
    world.copy(FILES_2022);
    for (const change of [{}, bound]) {
      waits.splice(0);
      world.service.stored.clear();
      world.configure({ TenantId: change === bound ? '8' : '7' }, { BatchMaxEvents: 15, ...change });
      world.service.tenants.add('8');
      expect(await world.once()).toBe(0);
      expect(world.service.stored.size).toBe(150);
      expect(Math.max(...waits) > 1_000).toBe(change === bound);
    }
    spy.mockRestore();
  });

  it('publishes each enabled database from its own files', async () => {
    world.copy([...FILES_2022, ...FILES_2017]);
    const disabled = { ...databaseEntry('Old', 'audit/*.sqlaudit'), Enabled: false };
    const databases = [
      databaseEntry('A', 'audit/Server*'),
      databaseEntry('B', `${world.auditFolder}/Login_*`),
    ];
    world.configure({}, { Databases: [...databases, disabled] });
    expect(await world.once()).toBe(0);
    expect(world.summary.toSorted()).toEqual([
      'A: 150 published (0 duplicates, 0 rejected) from 2 files',
      'B: 80 published (0 duplicates, 0 rejected) from 1 file',
    ]);
  });

  it('sends no request with more events than configured', async () => {
    world.copy(FILES_2022);
    world.configure({}, { BatchMaxEvents: 7 });
    expect(await world.once()).toBe(0);
    expect(Math.max(...world.service.requests.map(({ events }) => events.length))).toBe(7);
    expect(world.service.stored.size).toBe(150);
    expect(world.service.sentCount).toBe(150);
  });

  it('lets no password hash leave the host', async () => {
    world.copy([...FILES_2022, ...FILES_2017]);
    await world.once();
    expect(JSON.stringify(world.service.events)).not.toMatch(/NibbleHash/i);
  });

  it('publishes nothing and succeeds when publishing is switched off', async () => {
    world.copy(FILES_2022);
    world.configure({}, { Enabled: false });
    expect(await world.once()).toBe(0);
    expect(world.service.requests).toEqual([]);
    expect(world.log).toContain('EventHubPublisher.Enabled is false');
  });
});
