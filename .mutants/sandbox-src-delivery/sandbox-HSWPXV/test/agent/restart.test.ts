import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { AuditRecord } from '../../src/event/audit-record';
import { splitRow } from './sqlaudit/support/parts';
import { AuditFileWriter, type Row } from './sqlaudit/support/sqlaudit-writer';
import { FILES_2022 } from './support/agent-world';
import { auditFileName, keyOf, recordsOf } from './support/audit-files';
import { eventsOfBatch, startTail } from './support/tail-harness';

const writer = AuditFileWriter.from(readFileSync(FILES_2022[0] ?? ''));
const CHARS = [10, 3_999, 4_000, 4_001, 8_000, 12_500];
/** How a batch ends: the agent is killed before the request, or between receipt and bookmarks, or not at all. */
const FATES = ['unsent', 'unsaved', 'saved', 'saved', 'saved'] as const;

/** Larger than the number of all parts of a schedule. */
const BATCHES_MAX = 1_000;

const statement = fc.record({ session: fc.integer({ min: 51, max: 53 }), chars: fc.constantFrom(...CHARS) });
const schedule = fc.record({
  statements: fc.array(statement, { minLength: 1, maxLength: 20 }),
  picks: fc.array(fc.nat(100), { minLength: 1, maxLength: 50 }),
  fates: fc.array(fc.constantFrom(...FATES), { maxLength: 30 }),
});

it('split records of interleaved sessions and files come out whole and once, wherever the agent was killed', async () => {
  const check = fc.asyncProperty(schedule, async ({ statements, picks, fates }) => {
    const folder = mkdtempSync(join(tmpdir(), 'audit-restart-'));
    try {
      const files = writeFiles(folder, rowsOf(statements, picks), picks);
      const delivered = new Map<string, AuditRecord>();
      const left = [...fates];
      for (let starts = 1; !(await runUntilKilled(folder, left, delivered)); starts++)
        expect(starts).toBeLessThanOrEqual(fates.length);
      const expected = await recordsOf(files);
      const seen = [...delivered].map(([key, record]) => [key, record.parts, record.statement?.length]);
      expect(seen.toSorted()).toEqual(
        [...expected].map(([key, record]) => [key, record.parts, record.statement?.length]).toSorted(),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  await fc.assert(check, { numRuns: 150 });
});

/** @returns whether the run reached the end of the files */
async function runUntilKilled(
  folder: string,
  fates: (typeof FATES)[number][],
  delivered: Map<string, AuditRecord>,
): Promise<boolean> {
  const { tail, bookmarks } = await startTail(folder, join(folder, 'checkpoint.json'), true, 2);
  let batches = 0;
  for await (const batch of tail.batches(new AbortController().signal)) {
    if (++batches > BATCHES_MAX) throw new Error('the agent comes to no end');
    const fate = fates.shift() ?? 'saved';
    if (fate === 'unsent') return false;
    for (const event of eventsOfBatch(batch)) delivered.set(keyOf(event), event);
    if (fate === 'unsaved') return false;
    await bookmarks.save(batch.snapshot);
  }
  return true;
}

/** The parts of all statements: in order within a session, in any order between sessions. */
function rowsOf(statements: readonly { session: number; chars: number }[], picks: readonly number[]): Row[] {
  const queues = new Map<number, Row[]>();
  statements.forEach(({ session, chars }, n) => {
    const row = { session_id: session, transaction_id: n, action_id: 'SL', event_time: TIME, object_id: n };
    const queue = queues.get(session) ?? [];
    queues.set(session, [...queue, ...splitRow({ ...row, statement: `${n} `.padEnd(chars, 'x') })]);
  });
  const rows: Row[] = [];
  for (let i = 0; ; i++) {
    const open = [...queues.values()].filter((queue) => queue.length > 0);
    const next = open[(picks[i % picks.length] ?? 0) % Math.max(1, open.length)]?.shift();
    if (next === undefined) return rows;
    rows.push(next);
  }
}
const TIME = '2025-04-15T08:53:23.3337811Z';

/** Blocks of one to three rows, in three files of one audit. */
function writeFiles(folder: string, rows: readonly Row[], picks: readonly number[]): string[] {
  const blocks: Row[][] = [];
  for (let at = 0, i = 0; at < rows.length; i++) {
    const count = 1 + ((picks[i % picks.length] ?? 0) % 3);
    blocks.push(rows.slice(at, at + count));
    at += count;
  }
  const perFile = Math.ceil(blocks.length / 3);
  return [0, 1, 2].map((n) => {
    const path = join(folder, auditFileName(n));
    const guid = `5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e1${n}`;
    writeFileSync(path, writer.file(guid, blocks.slice(n * perFile, (n + 1) * perFile)));
    return path;
  });
}
