import {
  appendFileSync,
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { AgentWorld, FILES_2017, FILES_2022 } from './support/agent-world';
import { auditFileName, recordsOf, withNewGuid } from './support/audit-files';
import { until } from './support/until';

const [FIRST = '', SECOND = ''] = FILES_2022;

describe('an agent that follows', () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await AgentWorld.create();
  });
  afterEach(async () => {
    expect(world.service.mistakes).toEqual([]);
    await world.close();
  });
  const stored = (count: number) => until(`${count} stored events`, () => world.service.stored.size >= count);

  it('publishes what is appended, wherever the last write stopped', async () => {
    world.follow({ joinWaitMs: 60_000 });
    for (const model of FILES_2022) {
      const bytes = readFileSync(model);
      const growing = world.inAudit(model);
      const prefix = join(world.folder, 'prefix.sqlaudit');
      for (let at = 0; at < bytes.length; ) {
        const next = Math.min(bytes.length, at + 1 + Math.floor(Math.random() * 15_000));
        appendFileSync(growing, bytes.subarray(at, next));
        appendFileSync(prefix, bytes.subarray(at, next));
        at = next;
        // The last one may wait for another part.
        const before = model === FIRST ? 0 : (await recordsOf([FIRST])).size;
        await stored(before + (await recordsOf([prefix])).size - 1);
      }
      rmSync(prefix);
    }
    await stored(150);
    const expected = await recordsOf(FILES_2022);
    expect([...world.service.stored.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
    expect(world.service.sentCount).toBe(150);
    expect(world.log).not.toContain('error');
  });

  it('publishes what is written into a preallocated file', async () => {
    const bytes = readFileSync(FIRST);
    const path = world.inAudit(FIRST);
    writeFileSync(path, Buffer.alloc(bytes.length + 100_000));
    const handle = openSync(path, 'r+');
    world.follow();
    for (let at = 0; at < bytes.length; at += 30_000) {
      writeSync(handle, bytes, at, Math.min(30_000, bytes.length - at), at);
      const before = world.service.requests.length;
      if (at >= 30_000) await until('more events', () => world.service.requests.length > before);
    }
    closeSync(handle);
    await stored((await recordsOf([FIRST])).size);
    world.copy([SECOND]);
    await stored(150);
    expect(world.log).not.toContain('error');
  });

  it('reads and reports as before when the clock of its host is set back', async () => {
    world.copy([FIRST]);
    world.follow();
    await stored((await recordsOf([FIRST])).size);
    const wall = Date.now;
    const setBack = jest.spyOn(Date, 'now').mockImplementation(() => wall() - 20 * 60_000);
    try {
      const reports = world.service.reports.length;
      world.copy([SECOND]);
      await stored(150);
      await until('another report', () => world.service.reports.length > reports);
    } finally {
      setBack.mockRestore();
    }
  });

  it('recognises a renamed or copied file, and publishes it once', async () => {
    world.copy(FILES_2022);
    const agent = world.follow();
    await stored(150);
    renameSync(world.inAudit(FIRST), join(world.auditFolder, 'renamed.sqlaudit'));
    copyFileSync(SECOND, join(world.auditFolder, 'copy of the second.sqlaudit'));
    world.copy(FILES_2017);
    await stored(230);
    await agent.stop();
    expect(await world.once()).toBe(0);
    expect(world.service.sentCount).toBe(230);
  });

  it('reads a new file under the name of an earlier one', async () => {
    const path = join(world.auditFolder, auditFileName(1));
    writeFileSync(path, withNewGuid(FIRST));
    world.follow();
    await stored((await recordsOf([FIRST])).size);
    const other = withNewGuid(FIRST);
    // Inode and size are the same: only the header differs.
    truncateSync(path, 0);
    writeFileSync(path, other);
    await stored(2 * (await recordsOf([FIRST])).size);
    await until('the end of the first to be noted', () =>
      world.log.includes('was removed while it could still'),
    );
    expect(world.log.match(/ error /g)).toHaveLength(1);
  });

  it('publishes a statement after a while if the next part of it does not come', async () => {
    const whole = await recordsOf(FILES_2022);
    const split = [...whole.values()].find(({ parts, file }) => parts > 1 && FIRST.endsWith(file));
    const bytes = readFileSync(FIRST);
    // Up to the block after the one where the split record begins: its head, at least, is there.
    const headEnd = (split?.blockOffset ?? 0) + bytes.readUInt32LE((split?.blockOffset ?? 0) + 16);
    writeFileSync(world.inAudit(FIRST), bytes.subarray(0, headEnd));
    world.follow();
    const event = await until('the head', () =>
      world.service.events.find(
        ({ blockOffset, index }) => blockOffset === split?.blockOffset && index === split.index,
      ),
    );
    expect(event.statement?.length).toBeGreaterThanOrEqual(4000);
  });
});
