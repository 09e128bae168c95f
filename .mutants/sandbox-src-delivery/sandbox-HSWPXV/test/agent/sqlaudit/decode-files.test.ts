import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeFiles, decodeFilesRaw } from '../../../agent/sqlaudit/decode-files';
import { blockOffsets, eventBlock, fileHeader } from './support/blocks';
import { collect } from './support/collect';
import { fixtureFile } from './support/fixtures';
import { splitRow } from './support/parts';
import { AuditFileWriter, type Row } from './support/sqlaudit-writer';

const GUID = '5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e11';
const writer = AuditFileWriter.from(fixtureFile('schema-2022'));
const row: Row = { action_id: 'SL', session_id: 51, succeeded: true };
const sound = writer.file(GUID, [[{ ...row, statement: 'one' }], [{ ...row, statement: 'two' }]]);
const [, , , secondBlock = 0, end = 0] = blockOffsets(sound);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'decode-files-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, bytes: Buffer): string {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
}
const decode = async (paths: string[]) =>
  (await collect(decodeFiles(paths))).map((item) =>
    item.kind === 'record' ? [item.record.statement, item.record.parts] : [item.offset, item.reason],
  );
const ONE = ['one', 1];
const TWO = ['two', 1];

describe('decodeFiles', () => {
  it('yields the records of a sound file, preallocated or not', async () => {
    expect(await decode([write('a', sound)])).toEqual([ONE, TWO]);
    expect(await decode([write('b', Buffer.concat([sound, Buffer.alloc(1 << 20)]))])).toEqual([ONE, TWO]);
  });

  it.each<[string, Buffer, unknown[]]>([
    ['an empty file', Buffer.alloc(0), [[0, 'empty file']]],
    ['a file cut in its header', sound.subarray(0, 100), [[100, expect.stringContaining('truncated')]]],
    [
      'a foreign file',
      Buffer.from('PK\x03\x04 and more'),
      [[0, expect.stringContaining('not a SQL Server')]],
    ],
    [
      'a file cut in a block',
      sound.subarray(0, end - 200),
      [ONE, [secondBlock, expect.stringContaining('truncated')]],
    ],
    [
      'a damaged block',
      Buffer.from(sound).fill(0xee, secondBlock + 90, secondBlock + 99),
      [ONE, [secondBlock, expect.stringContaining('checksum')]],
    ],
    [
      'a hole of zeros between blocks',
      Buffer.concat([sound.subarray(0, secondBlock), Buffer.alloc(1024), sound.subarray(secondBlock)]),
      [ONE, [secondBlock, expect.stringContaining('zeros')]],
    ],
    [
      'a file of SQL Server 2008',
      Buffer.concat([fileHeader(GUID), eventBlock(writer.event(row), 1)]),
      [[512, expect.stringContaining('no schema in file')]],
    ],
    ['a file without any metadata', fileHeader(GUID), [[0, expect.stringContaining('no schema in file')]]],
    [
      'a file of other events',
      AuditFileWriter.describing({ types: { int32: 4 }, events: { login: { c: 'int32' } } }).file(GUID, [
        [{ c: 1 }],
      ]),
      [[0, expect.stringContaining('--raw')]],
    ],
  ])('reports %s once, after the sound records', async (name, bytes, expected) => {
    expect(await decode([write(name.replaceAll(' ', '-'), bytes)])).toEqual(expected);
  });

  it('reports a file that it cannot open, and continues with the next one', async () => {
    const items = await decode([join(folder, 'missing'), folder, write('c', sound)]);
    expect(items).toEqual([
      [0, expect.stringContaining('ENOENT')],
      [0, expect.stringContaining('EISDIR')],
      ONE,
      TWO,
    ]);
  });

  describe('of several files', () => {
    const audit = (guid: string, created: string) => `My_Audit_${guid}_0_${created}.sqlaudit`;
    const A = '1F5DB4CC-8F1A-4623-8A37-D2B52BC41034';
    const [first = row, second = row] = splitRow({ ...row, statement: 'x'.repeat(4003) });
    const older = writer.file(GUID, [[first]]);
    const newer = writer.file('5b1f4d3e-8a64-4c39-9a57-0d5f5a9c1e12', [
      [second, { ...row, statement: 'two' }],
    ]);

    it('joins a record that continues in the next file of the same audit, in whatever order the files are given', async () => {
      const paths = [
        write(audit(A, '133891809831720000'), newer),
        write(audit(A.toLowerCase(), '133891808000000000'), older),
      ];
      expect(await decode(paths)).toEqual([['x'.repeat(4003), 2], TWO]);
    });

    it('does not join records over files of different audits', async () => {
      const B = '1F5DB4CC-8F1A-4623-8A37-D2B52BC41035';
      const paths = [
        write(audit(A, '133891808000000000'), older),
        write(audit(B, '133891809831720000'), newer),
      ];
      expect(await decode(paths)).toEqual([['x'.repeat(4000), 1], ['xxx', 1], TWO]);
      const unnamed = [write('1.sqlaudit', older), write('2.sqlaudit', newer)];
      expect(await decode(unnamed)).toEqual([['x'.repeat(4000), 1], ['xxx', 1], TWO]);
    });
  });
});

describe('decodeFilesRaw', () => {
  it('yields events of every kind, then the reason why it stopped', async () => {
    const items = await collect(decodeFilesRaw([write('raw', sound.subarray(0, end - 1))]));
    expect(items).toMatchObject([
      { kind: 'raw', event: { name: 'audit_event', fields: { statement: 'one' } } },
      { kind: 'problem', offset: secondBlock },
    ]);
  });
});
