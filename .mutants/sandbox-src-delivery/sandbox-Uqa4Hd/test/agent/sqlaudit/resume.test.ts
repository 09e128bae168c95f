import { START } from '../../../agent/sqlaudit/position';
import { nextSoundBlock } from '../../../agent/sqlaudit/resync';
import { blockOffsets } from './support/blocks';
import { fixtureFile, SCHEMAS } from './support/fixtures';
import { openBytes, readAll, trace } from './support/memory-source';
import { AuditFileWriter } from './support/sqlaudit-writer';

const GUID = '5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e11';

describe.each(SCHEMAS)('a file of %s', (schema) => {
  it('can be read from any position, and yields exactly the events from there on', async () => {
    const bytes = fixtureFile(schema);
    const { file, source } = await openBytes(bytes);
    const all = (await readAll(file, source)).events;
    expect(all.length).toBeGreaterThan(70);
    for (const [i, { blockOffset, index, next }] of all.entries()) {
      const fresh = await openBytes(bytes);
      const rest = await readAll(fresh.file, fresh.source, { blockOffset, index });
      expect(rest.events.map(trace)).toEqual(all.slice(i).map(trace));
      const again = await readAll(file, source, next);
      expect(again.events.map(trace)).toEqual(all.slice(i + 1).map(trace));
      expect(again.outcome).toEqual({ kind: 'complete', offset: bytes.length });
    }
  });
});

describe('a file that is being written', () => {
  const writer = AuditFileWriter.from(fixtureFile('schema-2022'));
  const whole = Buffer.concat([
    writer.file(GUID, [[{ action_id: 'SL', statement: 'one' }], [{ action_id: 'IN', statement: 'two' }]]),
    writer.metadata,
    writer.block([{ action_id: 'UP', statement: 'three' }, { action_id: 'DL' }], { sequence: 3 }),
  ]);

  it.each([false, true])(
    'yields each event once, however much of it is on disk at each poll (preallocated: %s)',
    async (ahead) => {
      for (const step of [1, 511, 512, 1000, 4096]) {
        const { file, source } = await openBytes(whole.subarray(0, 512));
        const seen: string[] = [];
        let position = START;
        for (let there = 512; ; there = Math.min(there + (step === 1 ? 97 : step), whole.length)) {
          const written = Buffer.alloc(ahead ? whole.length + 2048 : there);
          whole.copy(written, 0, 0, there);
          source.bytes = written;
          const { events, outcome } = await readAll(file, source, position);
          seen.push(...events.map(trace));
          position = 'offset' in outcome ? { blockOffset: outcome.offset, index: 0 } : position;
          if (there === whole.length) break;
        }
        const once = await openBytes(whole);
        expect(seen).toEqual((await readAll(once.file, once.source)).events.map(trace));
        expect(seen).toHaveLength(4);
      }
    },
  );

  it('is distinguished from another file that has taken its place', async () => {
    const { file, source } = await openBytes(whole);
    source.bytes = writer.prologue('00000000-0000-4000-8000-00000000000a');
    expect((await readAll(file, source)).outcome).toEqual({
      kind: 'replaced',
      fileGuid: '00000000-0000-4000-8000-00000000000a',
    });
  });

  it('is reported as corrupt if the saved position is not the start of a block', async () => {
    const { file, source } = await openBytes(whole);
    const { outcome, events } = await readAll(file, source, { blockOffset: 1024, index: 0 });
    expect([outcome.kind, events.length]).toEqual(['corrupt', 0]);
  });

  it.each([0, 100])(
    'that was cut before the saved position counts as incomplete (%i bytes into a block)',
    async (left) => {
      const cut = (blockOffsets(whole)[2] ?? 0) + left;
      const { file, source } = await openBytes(
        Buffer.concat([whole.subarray(0, cut), Buffer.alloc(1024, 0xee)]),
      );
      const beyond = { blockOffset: whole.length, index: 0 };
      expect(await readAll(file, source, beyond)).toMatchObject({
        events: [],
        outcome: { kind: 'incomplete' },
      });
    },
  );

  it('that lacks a single byte before the saved position counts as incomplete', async () => {
    const { file, source } = await openBytes(whole.subarray(0, -1));
    const { outcome } = await readAll(file, source, { blockOffset: whole.length, index: 0 });
    expect(outcome).toEqual({ kind: 'incomplete', offset: whole.length, missingBytes: 1 });
  });

  it('can be read on behind damage', async () => {
    const bytes = Buffer.from(whole);
    const [damaged = 0, after = 0] = blockOffsets(whole).slice(-5);
    bytes.fill(0xee, damaged, damaged + 100);
    const { file, source } = await openBytes(bytes);
    expect((await readAll(file, source)).outcome).toMatchObject({ kind: 'corrupt', offset: damaged });
    expect(await nextSoundBlock(source, damaged + 512)).toBe(after);
    const fresh = await openBytes(bytes);
    const rest = await readAll(fresh.file, fresh.source, { blockOffset: after, index: 0 });
    expect(rest.outcome.kind).toBe('complete');
    expect(rest.events.length).toBeGreaterThan(1);
  });
});
