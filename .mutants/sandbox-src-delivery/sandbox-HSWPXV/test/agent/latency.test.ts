import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuditFileWriter } from './sqlaudit/support/sqlaudit-writer';
import { AgentWorld, FILES_2022 } from './support/agent-world';
import { auditFileName } from './support/audit-files';
import { until } from './support/until';

it('with the default settings, an event is acknowledged within two seconds after its block is on disk', async () => {
  const world = await AgentWorld.create();
  try {
    world.configure({}, { PollIntervalMs: undefined, BatchMaxAgeMs: undefined });
    const writer = AuditFileWriter.from(readFileSync(FILES_2022[0] ?? ''));
    const path = join(world.auditFolder, auditFileName(1));
    writeFileSync(path, writer.prologue('5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e11'));
    world.follow();
    await until('the file to be known', () => world.statusOf()?.fileCount === 1);
    const times: number[] = [];
    for (let n = 1; n <= 4; n++) {
      const row = { action_id: 'SL', transaction_id: n, event_time: '2025-04-15T08:53:23.3337811Z' };
      appendFileSync(
        path,
        writer.block([{ ...row, sequence_number: 1, statement: `SELECT ${n}` }], { sequence: n }),
      );
      const since = Date.now();
      await until('the event', () => world.service.stored.size === n);
      times.push(Date.now() - since);
    }
    // A busy machine can delay one event; a slow setting would delay every event.
    expect(Math.min(...times)).toBeLessThan(2_000);
  } finally {
    await world.close();
  }
});
