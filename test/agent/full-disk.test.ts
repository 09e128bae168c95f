import { mkdirSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until';
import { AgentWorld, FILES_2022 } from './support/agent-world';

describe('an agent that cannot write how far it is, as on a full disk', () => {
  let world: AgentWorld;
  /** In the way of what is written before it takes the place of the bookmarks. */
  const obstacle = () => join(world.dataDir, 'checkpoints/7/Payroll.json.new');
  const gapsOf = () => world.statusOf()?.gaps;
  const fails = async () => {
    const before = world.log.length;
    await until(
      () => world.log.slice(before).split('failed and is tried again').length,
      (parts) => parts > 2,
    );
  };
  beforeEach(async () => {
    world = await AgentWorld.create();
    mkdirSync(obstacle(), { recursive: true });
  });
  afterEach(() => world.close());

  it('notes a gap for a file that it saw, and that is removed before it can write again', async () => {
    const [file = ''] = FILES_2022;
    world.follow();
    world.copy([file]);
    await fails();
    unlinkSync(world.inAudit(file));
    rmSync(obstacle(), { recursive: true });
    await until(gapsOf, (gaps) => gaps?.reported === 1);
    expect(world.log).toContain('was removed before it was read to its end');
    expect(world.service.stored.size).toBe(0);
  });

  it('notes that gap too where its configuration is changed meanwhile', async () => {
    const [file = ''] = FILES_2022;
    world.follow();
    world.copy([file]);
    await fails();
    unlinkSync(world.inAudit(file));
    world.configure({}, { BatchMaxEvents: 77 });
    await until(
      () => world.log,
      (log) => log.includes('has changed and is in use now'),
    );
    rmSync(obstacle(), { recursive: true });
    await until(gapsOf, (gaps) => gaps?.reported === 1);
    expect(world.service.stored.size).toBe(0);
  });

  it('publishes each record once, and notes no gap, where the files are there still', async () => {
    world.follow();
    world.copy(FILES_2022);
    await fails();
    rmSync(obstacle(), { recursive: true });
    await until(
      () => world.service.stored.size,
      (size) => size === 150,
    );
    await until(
      () => world.statusOf()?.waitingBytes,
      (bytes) => bytes === 0,
    );
    expect([gapsOf(), world.service.sentCount]).toEqual([{ reported: 0, pending: 0 }, 150]);
  });
});
