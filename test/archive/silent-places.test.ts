import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AskedFolder } from '../../src/modules/archive/places/asked-folder';
import { BucketPlace } from '../../src/modules/archive/places/bucket-place';
import type { openPlace } from '../../src/modules/archive/places/open-place';
import { type FileName, type FilePlace, NoSuchFile, pathOf } from '../../src/store/archive/file-place';
import { BUCKET, LOGIN } from '../destinations/support/s3';
import { compiledService } from '../support/child-service';

const TENANT = 7;
/** Of a process, for calls of the file system. */
const THREADS = 4;
const PATIENT_MS = 50_000;

const nameOf = (letter: string): FileName => ({ tenantId: TENANT, sha256: letter.repeat(64) });

async function bytesOf(place: FilePlace, name: FileName): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const bytes of place.read(name)) all.push(bytes);
  return Buffer.concat(all);
}

describe('a folder whose files do not answer', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'].map(nameOf);
  let folder: string;
  let compiled: string;
  const places: FilePlace[] = [];
  beforeAll(async () => {
    compiled = await compiledService();
    folder = await mkdtemp(path.join(tmpdir(), 'silent-'));
    await mkdir(path.join(folder, `tenant-${TENANT}`));
    // Whoever opens a FIFO to read waits for somebody who writes.
    for (const name of names) execFileSync('mkfifo', [path.join(folder, pathOf(name))]);
  }, 60_000);
  afterAll(async () => {
    // Nobody waits any more, as when a share answers again.
    for (const name of names) {
      try {
        closeSync(openSync(path.join(folder, pathOf(name)), constants.O_WRONLY | constants.O_NONBLOCK));
      } catch {
        // Nobody waited.
      }
    }
    for (const place of places) await place.close();
    await rm(folder, { recursive: true });
  });
  const opened = <T extends FilePlace>(place: T): T => {
    places.push(place);
    return place;
  };

  it('keeps no thread of the service', async () => {
    const module: { openPlace: typeof openPlace } = require(
      path.join(compiled, 'src/modules/archive/places/open-place.js'),
    );
    const place = module.openPlace({ kind: 'folder', folder }, Date.now);
    if (!place) throw new Error('there is no place');
    opened(place);
    expect(names.length).toBeGreaterThan(THREADS);
    const ends = names.map((name) => bytesOf(place, name).catch((error: Error) => error));
    expect((await stat(folder)).isDirectory()).toBe(true);
    await place.close();
    for (const end of ends) expect(await end).toMatchObject({ code: 'service_unavailable' });
  }, 30_000);

  it.each([1, 2])('fails after %d ms', async (silenceMs) => {
    const place = opened(new AskedFolder(folder, silenceMs, program()));
    const [first] = names;
    await expect(bytesOf(place, first as FileName)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('is asked anew by the next call: a file that is there has its bytes, and one that is not is none', async () => {
    const place = opened(new AskedFolder(folder, PATIENT_MS, program()));
    const [bytes, local, whole] = [
      Buffer.alloc(2_500_000, 'a week '),
      path.join(folder, 'local'),
      nameOf('1'),
    ];
    await writeFile(local, bytes);
    await place.put(whole, local, bytes.length);
    expect((await readFile(path.join(folder, pathOf(whole)))).equals(bytes)).toBe(true);
    expect((await bytesOf(place, whole)).equals(bytes)).toBe(true);
    expect([await place.has(whole), await place.has(nameOf('2'))]).toEqual([true, false]);
    await expect(bytesOf(place, nameOf('2'))).rejects.toThrow(NoSuchFile);
    await place.remove(whole);
    expect(existsSync(path.join(folder, pathOf(whole)))).toBe(false);
  });

  const program = () => path.join(compiled, 'src/modules/archive/places/folder-process.js');
});

describe('a bucket that does not answer', () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket));
  let endpoint: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it.each([
    [1, 3],
    [2, 4],
  ])(
    'fails after %d ms where no file is asked for, and after %d for a part of one',
    async (answerMs, partMs) => {
      const bucket = { endpoint, region: 'r', bucket: BUCKET, prefix: '', ...LOGIN };
      const place = new BucketPlace(bucket, Date.now, undefined, { answerMs, partMs });
      const [late, lateForPart] = [answerMs, partMs].map((ms) => `no answer within ${ms / 1000} seconds`);
      await expect(place.has(nameOf('a'))).rejects.toThrow(late);
      await expect(place.remove(nameOf('a'))).rejects.toThrow(late);
      await expect(bytesOf(place, nameOf('a'))).rejects.toThrow(lateForPart);
      place.close();
    },
  );
});
