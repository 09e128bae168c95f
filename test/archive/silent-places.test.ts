import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LIMITS } from '../../src/limits';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { AskedFolder } from '../../src/modules/archive/places/asked-folder';
import { BucketPlace } from '../../src/modules/archive/places/bucket-place';
import { FolderPlace } from '../../src/modules/archive/places/folder-place';
import type { openPlace } from '../../src/modules/archive/places/open-place';
import { Archive, openArchive } from '../../src/store/archive/archive';
import { FileCache } from '../../src/store/archive/file-cache';
import { type FileName, type FilePlace, NoSuchFile, pathOf } from '../../src/store/archive/file-place';
import type { Ask } from '../../src/store/columns/ask';
import { oneTenant } from '../../src/tenant-set';
import { BUCKET, LOGIN } from '../destinations/support/s3';
import { compiledService } from '../support/child-service';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

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

describe('questions about a week whose place does not answer', () => {
  const [OLD, LATER] = ['2026-01-06T08:00:00.0000000Z', '2026-01-13T08:00:00.0000000Z'] as const;
  /** More than an instance has connections for requests. */
  const QUESTIONS = LIMITS.databaseConnections + 2;
  let store: Store;
  let trial: ArchiveTrial;
  let folder: string;
  let answer: () => void = () => {};
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'held-'));
    store = await Store.open(ANY_ENGINE);
    trial = await ArchiveTrial.open(store, new FolderPlace(folder));
  });
  afterAll(async () => {
    answer();
    await trial.close();
    await store.close();
    await rm(folder, { recursive: true });
  });

  it.each([1, 2])('end after %d ms, name the week, and keep no connection', async (waitMs) => {
    const of = await store.forNewTenant();
    const [old, later] = of.checked([{ eventTime: OLD }, { eventTime: LATER }]);
    if (!old || !later) throw new Error('two events were made');
    await of.insert([old, later]);
    await trial.settle();
    expect(await trial.seal(OLD, of.tenantId)).toMatchObject({ outcome: 'sealed' });
    const place = new FolderPlace(folder);
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const silent: FilePlace = Object.assign(Object.create(place), {
      async *read(name: FileName) {
        await held;
        yield* place.read(name);
      },
    });
    const cache = new FileCache(path.join(folder, `cache-${waitMs}`), 1024 * 1024, silent);
    const { service, owner } = of.database;
    openArchive(new Archive(trial.tenants, cache, trial.worker, waitMs), service, owner);
    const reader = new PostgresAuditEventReader(service);
    const find = ({ recordId }: { readonly recordId: string }) =>
      reader.find(oneTenant(of.tenantId), recordId);

    const ends = await Promise.all(
      Array.from({ length: QUESTIONS }, () => find(old).catch((error: Error) => error)),
    );
    for (const end of ends)
      expect(end).toMatchObject({
        code: 'service_unavailable',
        message: expect.stringMatching(`2026-01-05 of tenant ${of.tenantId} was not read in time`),
      });
    expect(await find(later)).toMatchObject({ recordId: later.recordId });

    answer();
  });

  it('are forgotten when they ended: of those that waited, none fetches the file again', async () => {
    let reads = 0;
    let fail: (error: Error) => void = () => {};
    const held = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const silent: FilePlace = Object.assign(Object.create(new FolderPlace(folder)), {
      // biome-ignore lint/correctness/useYield: it fails before its first bytes
      async *read() {
        reads += 1;
        await held;
      },
    });
    const cache = new FileCache(path.join(folder, 'cache'), 1024 * 1024, silent);
    const file = { ...nameOf('a'), week: 1 };
    const ask: Ask = async ({ text }) => (text.includes('audit_sealed_file') ? [{} as never] : []);
    const use = (waitMs: number | null) =>
      cache.using([file], ask, async () => 'read', waitMs).catch((error: Error) => error.message);
    const [late, other, patient] = [use(1), use(2), use(null)];
    for (const end of [await late, await other]) expect(end).toContain('was not read in time');
    fail(new Error('the place fails'));
    expect(await patient).toContain('does not answer');
    expect(reads).toBe(2);
  });

  it.each([1, 2])('wait for a file in the database longer than %d ms', async (waitMs) => {
    const bytes = Buffer.from('a week');
    const inDatabase = {
      tenantId: TENANT,
      week: 1,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
    const inPlace = { ...nameOf('b'), week: 2 };
    let give: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      give = resolve;
    });
    const silent: FilePlace = Object.assign(Object.create(new FolderPlace(folder)), {
      // biome-ignore lint/correctness/useYield: it says nothing
      async *read() {
        await held;
      },
    });
    const ask: Ask = async ({ text, values }) => {
      if (text.includes('audit_sealed_file')) return [{} as never];
      if (!values.includes(inDatabase.sha256)) return [];
      await held;
      return [{ bytes } as never];
    };
    const cache = new FileCache(path.join(folder, `pieces-${waitMs}`), 1024 * 1024, silent);
    const use = (file: typeof inPlace) =>
      cache.using([file], ask, async () => 'read', waitMs).catch((error: Error) => error.message);
    const [first, second] = [use(inDatabase), use(inDatabase)];
    // The time of the others is over, too.
    expect(await use(inPlace)).toContain('was not read in time');
    give();
    expect([await first, await second]).toEqual(['read', 'read']);
  });
});
