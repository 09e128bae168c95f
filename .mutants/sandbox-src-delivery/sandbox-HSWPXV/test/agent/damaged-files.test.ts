import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockOffsets } from './sqlaudit/support/blocks';
import { AgentWorld, FILES_2017, FILES_2022 } from './support/agent-world';
import { recordsOf } from './support/audit-files';
import { until } from './support/until';

const [FIRST = '', SECOND = ''] = FILES_2022;

describe('damaged audit files', () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await AgentWorld.create();
  });
  afterEach(async () => {
    expect(world.service.mistakes).toEqual([]);
    await world.close();
  });

  /** Writes the first file with one damaged block of events. @returns the block's offset, and the events before it */
  async function writeDamaged(): Promise<{ at: number; lost: number; before: number }> {
    const bytes = readFileSync(FIRST);
    const at = blockOffsets(bytes).find((offset) => offset > 30_000) ?? 0;
    const inBlock = [...(await recordsOf([FIRST])).values()];
    const end = at + bytes.readUInt32LE(at + 16);
    bytes.fill(0xee, at + 77, at + 100);
    bytes.writeUInt32LE(0, at + 28);
    writeFileSync(world.inAudit(FIRST), bytes);
    return {
      at,
      lost: inBlock.filter(({ blockOffset }) => blockOffset >= at && blockOffset < end).length,
      before: inBlock.filter(({ blockOffset }) => blockOffset < at).length,
    };
  }

  it('are reported with file, offset and reason, and a single run reads the following files', async () => {
    const { at, before } = await writeDamaged();
    world.copy([SECOND]);
    writeFileSync(join(world.auditFolder, 'foreign.sqlaudit'), 'this is no audit file');
    // Within this run, the block may still be a write in progress, however long the run takes.
    expect(await world.once({ badBlockWaitMs: 600_000 })).toBe(1);
    expect(world.log).toContain(`${world.inAudit(FIRST)}: byte ${at}: checksum of the block does not match`);
    expect(world.log).toMatch(/foreign\.sqlaudit: byte 0: not a SQL Server audit file/);
    expect(world.service.stored.size).toBe(before + (await recordsOf([SECOND])).size);
  });

  it('are read on behind a block that has been damaged for a while', async () => {
    const { at, lost } = await writeDamaged();
    utimesSync(world.inAudit(FIRST), 1_700_000_000, 1_700_000_000);
    expect(await world.once()).toBe(1);
    expect(world.log).toMatch(new RegExp(`byte ${at}: checksum .*; reading goes on at byte`));
    expect(world.log).toMatch(/event blocks \d+ to \d+ are missing/);
    expect(world.service.stored.size).toBe((await recordsOf([FIRST])).size - lost);
  });

  it('are read on behind a damaged block while the audit continues, and the block is reported once', async () => {
    const { lost } = await writeDamaged();
    world.follow();
    const whole = (await recordsOf([FIRST])).size - lost;
    await until('the rest', () => world.service.stored.size === whole);
    world.copy([SECOND, ...FILES_2017]);
    await until('the others', () => world.service.stored.size === 230 - lost);
    expect(world.log.match(/checksum of the block/g)).toHaveLength(1);
  });

  it('are not reported while SQL Server may still be writing them', async () => {
    const bytes = readFileSync(FIRST);
    const half = (blockOffsets(bytes).find((offset) => offset > 30_000) ?? 0) + 700;
    const path = world.inAudit(FIRST);
    writeFileSync(path, bytes.subarray(0, half));
    const agent = world.follow({ badBlockWaitMs: 20 });
    await until('the sound part', () => world.service.stored.size > 0);
    appendFileSync(path, bytes.subarray(half));
    const whole = (await recordsOf([FIRST])).size;
    await until('the rest', () => world.service.stored.size === whole);
    await agent.stop();
    expect(world.log).not.toContain('error');
    expect(world.service.sentCount).toBe(whole);
  });

  it('are read up to a damaged last block, however long it stays so, since SQL Server may be writing it', async () => {
    const bytes = readFileSync(FIRST);
    const at = blockOffsets(bytes).at(-2) ?? 0;
    const records = [...(await recordsOf([FIRST])).values()];
    const damaged = Buffer.from(bytes);
    damaged.writeUInt32LE(0, at + 28);
    const path = world.inAudit(FIRST);
    writeFileSync(path, damaged);
    world.follow({ badBlockWaitMs: 20 });
    // The damage was reported, so the agent no longer waits for a write in progress.
    await until('the message', () =>
      world.log.includes(`${path}: byte ${at}: checksum of the block does not match`),
    );
    const before = records.filter(({ blockOffset }) => blockOffset < at).length;
    await until('what stands before it', () => world.service.stored.size === before);
    await until('a status without a gap', () => world.statusOf()?.file?.offset === at);
    writeFileSync(path, bytes);
    await until('the last block', () => world.service.stored.size === records.length);
    expect(world.statusOf()?.gaps).toEqual({ reported: 0, pending: 0 });
    expect(world.log).not.toContain('reading goes on');
  });

  it('leave a gap if the last block is still damaged when the audit continues in the next file', async () => {
    const bytes = readFileSync(FIRST);
    const at = blockOffsets(bytes).at(-2) ?? 0;
    bytes.writeUInt32LE(0, at + 28);
    writeFileSync(world.inAudit(FIRST), bytes);
    world.follow({ badBlockWaitMs: 20 });
    await until('the message', () => /byte \d+: checksum/.test(world.log));
    world.copy([SECOND]);
    const second = new Set((await recordsOf([SECOND])).keys());
    await until('the second file', () => includes(second));
    const gaps = () => world.service.reports.flatMap((report) => report.gaps);
    await until('the gap', () => gaps().length > 0);
    expect(gaps()).toMatchObject([
      { reason: 'UNREADABLE', detail: expect.stringContaining(`byte ${at}: checksum`) },
    ]);
  });

  it('that end within a block delay the next file only for a moment, and are reported', async () => {
    writeFileSync(world.inAudit(FIRST), readFileSync(FIRST).subarray(0, 30_000));
    world.copy([SECOND]);
    world.follow();
    await until('the message', () => /byte \d+: truncated, \d+ bytes/.test(world.log));
    const second = new Set((await recordsOf([SECOND])).keys());
    await until('the second file', () => includes(second));
    expect(world.service.stored.size).toBeGreaterThan(second.size);
  });

  const includes = (keys: Iterable<string>) => [...keys].every((key) => world.service.stored.has(key));
});
