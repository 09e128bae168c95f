import { SqlAuditFile } from '../../../agent/sqlaudit/reader';
import { blockOffsets } from './support/blocks';
import { fixtureFile } from './support/fixtures';
import { MemorySource, openBytes, readAll, trace } from './support/memory-source';
import { AuditFileWriter, type Row } from './support/sqlaudit-writer';

const GUID = '5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e11';
const row = (n: number): Row => ({
  action_id: 'SL',
  session_id: n,
  statement: `SELECT ${n} /* ${'x'.repeat(n * 90)} */`,
});
const file = AuditFileWriter.from(fixtureFile('schema-2017')).file(GUID, [
  [row(1), row(2)],
  [row(3)],
  [row(4), row(5), row(6)],
]);
const borders = blockOffsets(file);

/** Cuts at every byte near a border between blocks, and at one byte in 13 elsewhere. */
const cuts = [...Array(file.length + 1).keys()].filter(
  (at) => at % 13 === 0 || borders.some((border) => Math.abs(border - at) <= 80),
);

it('a file that is cut anywhere yields the events of its whole blocks, and none of the cut block', async () => {
  const whole = await openBytes(file);
  const { events } = await readAll(whole.file, whole.source);
  expect(events).toHaveLength(6);
  for (const cut of cuts) {
    const source = new MemorySource(file.subarray(0, cut));
    const opened = await SqlAuditFile.open(source);
    if (cut < 512) {
      expect(opened.kind).toBe('needMore');
      continue;
    }
    if (opened.kind !== 'opened') throw new Error(`cut at ${cut}: ${opened.kind}`);
    const reading = await readAll(opened.file, source);
    const end = borders.filter((border) => border <= cut).at(-1);
    expect(reading.outcome).toMatchObject({ kind: end === cut ? 'complete' : 'incomplete', offset: end });
    expect(reading.events.map(trace)).toEqual(events.filter((e) => e.nextBlockOffset <= cut).map(trace));
  }
});

it('a preallocated file whose last block is half written yields the events before it', async () => {
  const whole = await openBytes(file);
  const { events } = await readAll(whole.file, whole.source);
  const last = borders.at(-2) ?? 0;
  for (let cut = last; cut < file.length; cut += 7) {
    const preallocated = Buffer.alloc(file.length + 4096);
    file.copy(preallocated, 0, 0, cut);
    const opened = await openBytes(preallocated);
    const reading = await readAll(opened.file, opened.source);
    if (reading.outcome.kind === 'endOfWritten' && reading.outcome.offset === file.length) {
      // Only the padding at the end of the block was missing.
      expect(reading.events).toHaveLength(events.length);
      continue;
    }
    expect(reading.events.map(trace)).toEqual(events.filter((e) => e.blockOffset < last).map(trace));
    // The header begins with zeros: its first bytes look like the rest of the reserved space.
    const isHeaderVisible = file.subarray(last, cut).some((byte) => byte !== 0);
    const kind = isHeaderVisible ? 'corrupt' : 'endOfWritten';
    expect(reading.outcome).toMatchObject({ kind, offset: last });
  }
});
