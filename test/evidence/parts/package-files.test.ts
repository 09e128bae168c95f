import { createInflateRaw } from 'node:zlib';
import { linesOf, textOf } from '../../../src/package-check/bytes';
import { openZip } from '../../../src/package-check/package-files';
import { zipOf } from '../../support/zip';

const CENTRAL = Buffer.from('PK\x01\x02', 'latin1');
/** Where the list of files states how large a file is. */
const BYTES_AT = 24;

const opened = (zip: Buffer) =>
  openZip(
    { size: zip.length, bytes: async (from, length) => zip.subarray(from, from + length) },
    async function* inflated(chunks) {
      const inflate = createInflateRaw();
      for await (const chunk of chunks) inflate.write(chunk);
      inflate.end();
      yield* inflate as AsyncIterable<Buffer>;
    },
  );

async function textIn(zip: Buffer, name: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of (await opened(zip)).read(name)) parts.push(part);
  return String(Buffer.concat(parts));
}

describe('the files of a zip file', () => {
  const file = (name: string, text: string) => [name, Buffer.from(text)] as const;

  it('are named where several have the name of one file of a package: people may read another one', async () => {
    const own = [file('case/events.ndjson', 'as signed'), file('case/gaps.json', '{}')];
    const others = [file('.DS_Store', 'a'), file('case/.DS_Store', 'b'), file('case/', '')];
    expect((await opened(await zipOf([...own, ...others]))).problems).toEqual([]);
    for (const name of ['events.ndjson', 'case/events.ndjson'])
      expect((await opened(await zipOf([file(name, 'another'), ...own]))).problems).toEqual([
        'events.ndjson: the zip file has several of this name',
      ]);
  });

  it.each([0, 8])('have no more than the %i bytes that the zip file states', async (stated) => {
    const zip = await zipOf([file('events.ndjson', 'as signed')]);
    expect(await textIn(zip, 'events.ndjson')).toBe('as signed');
    zip.writeUInt32LE(stated, zip.indexOf(CENTRAL) + BYTES_AT);
    await expect(textIn(zip, 'events.ndjson')).rejects.toThrow('larger than the zip file states');
  });
});

describe('the lines of a file', () => {
  const lines = async (pieces: readonly string[], bytesMax: number) => {
    const found: (string | null)[] = [];
    const chunks = (async function* () {
      yield* pieces.map((piece) => Buffer.from(piece));
    })();
    for await (const line of linesOf(chunks, bytesMax)) found.push(textOf(line));
    return found;
  };

  it('are bounded each, whatever the pieces in which they come', async () => {
    expect(await lines(['ab', 'cd\nef', 'gh\nij', 'kl'], 4)).toEqual(['abcd', 'efgh', 'ijkl']);
    await expect(lines(['ab', 'cd', 'e\n'], 3)).rejects.toThrow('more than 3 bytes');
  });
});
