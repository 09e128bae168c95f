import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guidOf, row, writer } from '../gaps/support';
import { AgentWorld } from '../support/agent-world';
import { auditFileName } from '../support/audit-files';
import { refuse } from '../support/fake-ingest-service';
import { until } from '../support/until';

describe('an agent that is cut off from its service while SQL Server removes files', () => {
  let world: AgentWorld;
  let isDown = false;
  beforeEach(async () => {
    world = await AgentWorld.create();
    isDown = true;
    world.service.fault = (_, response) => {
      if (isDown) refuse(response, 503, 'service_unavailable');
      return isDown;
    };
  });
  afterEach(() => world.close());

  const path = (file: number) => join(world.auditFolder, auditFileName(file));
  const write = (file: number, ...records: number[]): number => {
    const blocks = records.map((n, i) => writer.block([row(n)], { sequence: i + 1 }));
    const bytes = Buffer.concat([writer.prologue(guidOf(file)), ...blocks]);
    writeFileSync(path(file), bytes);
    return bytes.length;
  };
  const spool = () => join(world.dataDir, 'spool/7/Payroll');
  const copies = () => (existsSync(spool()) ? readdirSync(spool()) : []);
  const spooled = (file: number) => until(`file ${file} in the spool`, () => copies().includes(guidOf(file)));
  const gaps = () => world.service.reports.flatMap((report) => report.gaps);
  const follow = () => world.follow({ spoolAfterMs: 0 });
  const statements = () => world.service.events.map(({ statement }) => statement).toSorted();
  const numbered = (...numbers: number[]) => numbers.map((n) => `SELECT ${n}`);

  it('publishes all records from the spool, and keeps no copy', async () => {
    world.configure({}, { BatchMaxEvents: 1 });
    write(0, 1, 2, 3);
    follow();
    write(1, 4);
    await spooled(0);
    rmSync(path(0));
    write(1, 4, 5);
    write(2, 6);
    await spooled(1);
    rmSync(path(1));
    write(3, 7);
    await spooled(2);
    isDown = false;
    await until('all events', () => world.service.stored.size === 7);
    expect(statements()).toEqual(numbered(1, 2, 3, 4, 5, 6, 7));
    await until('an empty spool', () => copies().length === 0);
    expect(world.service.sentCount).toBe(7);
    expect(gaps()).toEqual([]);
  });

  it('does not report reserved space as lost', async () => {
    const size = write(0, 1, 2);
    truncateSync(path(0), size + 300_000);
    const agent = follow();
    write(1, 3);
    await spooled(0);
    rmSync(path(0));
    isDown = false;
    await until('all events', () => world.service.stored.size === 3);
    await until('an empty spool', () => copies().length === 0);
    write(1, 3, 4);
    await until('the next event', () => world.service.stored.size === 4);
    await agent.stop();
    expect([await world.once(), world.log.match(/ error .*/g)]).toEqual([0, null]);
  });

  it('publishes all records after a restart in the middle of the outage', async () => {
    world.configure({}, { BatchMaxEvents: 1 });
    const size = write(0, 1, 2, 3);
    truncateSync(path(0), size + 300_000);
    write(1, 4);
    const agent = follow();
    await spooled(0);
    await agent.stop();
    rmSync(path(0));
    isDown = false;
    expect(await world.once()).toBe(0);
    expect(statements()).toEqual(numbered(1, 2, 3, 4));
    expect(copies()).toEqual([]);
    expect(await world.once()).toBe(0);
    expect(gaps()).toEqual([]);
  });

  it('notes no gap for a published file that stopped growing and was removed in an outage that a restart ended', async () => {
    write(0, 1);
    isDown = false;
    const agent = follow();
    await until('its event', () => world.service.stored.size === 1);
    isDown = true;
    write(1, 2);
    await spooled(0);
    rmSync(path(0));
    await agent.stop();
    isDown = false;
    expect(await world.once()).toBe(0);
    expect(statements()).toEqual(numbered(1, 2));
    expect([gaps(), copies()]).toEqual([[], []]);
  });

  it('notes a gap for a file that had no room in the spool, when the file is lost and not before', async () => {
    const size = write(0, 1, 2);
    world.configure({}, { BatchMaxEvents: 1, SpoolMaxBytes: size });
    follow();
    write(1, 3, 4, 5, 6);
    await spooled(0);
    await until('the message', () => world.log.includes('the spool is full'));
    expect(gaps()).toEqual([]);
    rmSync(path(1));
    write(2, 7);
    await until('the gap', () => gaps().length > 0);
    expect(gaps()).toMatchObject([{ reason: 'SPOOL_FULL', fileGuid: guidOf(1), fileName: auditFileName(1) }]);
    isDown = false;
    await until('the others', () => world.service.stored.size >= 3);
    expect(statements()).toEqual(expect.arrayContaining(numbered(1, 2, 7)));
    await until('an empty spool', () => copies().length === 0);
  });

  it('still reports after a restart that there was no room for a lost file', async () => {
    world.configure({}, { BatchMaxEvents: 1, SpoolMaxBytes: 1 });
    write(0, 1, 2);
    write(1, 3);
    const agent = follow();
    await until('the message', () => world.log.includes('the spool is full'));
    await agent.stop();
    rmSync(path(0));
    isDown = false;
    await world.once();
    expect(statements()).toEqual(numbered(3));
    expect(gaps()).toMatchObject([{ reason: 'SPOOL_FULL', fileGuid: guidOf(0) }]);
    expect(copies()).toEqual([]);
  });
});
