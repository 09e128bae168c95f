import { FileHeaders, ObjectBytes } from '../../agent/source/objects/object-bytes';
import { SECTOR_BYTES } from '../../agent/sqlaudit/limits';

const object = (version: string, size = 2_000) => ({ key: 'a.sqlaudit', version, size, mtimeMs: 0 });

describe('the bytes of an object', () => {
  let reads: [version: string, offset: number, length: number][];
  const store = {
    read: async ({ version }: { version: string }, offset: number, length: number) => {
      reads.push([version, offset, length]);
      return Buffer.alloc(length, version);
    },
  };
  const headers = new FileHeaders();
  const open = (version: string, size?: number) =>
    new ObjectBytes(store as never, object(version, size) as never, headers);
  beforeEach(() => {
    reads = [];
  });

  it('have their header read once for each version of the object', async () => {
    expect((await open('1').read(0, SECTOR_BYTES)).toString('latin1', 0, 1)).toBe('1');
    expect((await open('1').read(0, 100)).toString('latin1', 0, 1)).toBe('1');
    expect((await open('2').read(0, 100)).toString('latin1', 0, 1)).toBe('2');
    expect(reads).toEqual([
      ['1', 0, SECTOR_BYTES],
      ['2', 0, 100],
    ]);
    headers.forget('a.sqlaudit');
    await open('2').read(0, 100);
    expect(reads).toHaveLength(3);
  });

  it('end where the object ends', async () => {
    expect(await open('3', 1_500).read(1_400, 500)).toHaveLength(100);
    expect(await open('3', 1_500).read(1_500, 500)).toHaveLength(0);
    expect(reads).toEqual([['3', 1_400, 100]]);
  });
});
