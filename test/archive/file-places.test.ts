import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../src/config';
import { TenantRounds } from '../../src/database/distribute/tenant-rounds';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { BucketPlace } from '../../src/modules/archive/places/bucket-place';
import { FolderPlace } from '../../src/modules/archive/places/folder-place';
import { PlaceWatch } from '../../src/modules/archive/places/place-watch';
import { type FilePlace, NoSuchFile, pathOf } from '../../src/store/archive/file-place';
import { UnlistedFiles } from '../../src/store/archive/outside-files';
import { oneTenant } from '../../src/tenant-set';
import { BUCKET, LOGIN, ObjectStore } from '../destinations/support/s3';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const PART_BYTES = 1_000;
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function bytesOf(place: FilePlace, name: Parameters<FilePlace['read']>[0]): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const bytes of place.read(name)) all.push(bytes);
  return Buffer.concat(all);
}

interface Opened {
  readonly place: FilePlace;
  /** The path of a file on disk. */
  fileOf(name: Parameters<FilePlace['read']>[0]): string;
  /** Makes the place unreachable for a while. */
  during(work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

const inFolder = async (): Promise<Opened> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'place-'));
  return {
    place: new FolderPlace(folder),
    fileOf: (name) => path.join(folder, pathOf(name)),
    during: async () => {},
    close: () => rm(folder, { recursive: true, force: true }),
  };
};

const inBucket = async (): Promise<Opened> => {
  const objects = await ObjectStore.open();
  const bucket = { endpoint: objects.url, region: 'eu-x', bucket: BUCKET, prefix: 'weeks (1)/', ...LOGIN };
  const place = new BucketPlace(bucket, Date.now, PART_BYTES);
  return {
    place,
    fileOf: (name) => path.join(objects.folder, BUCKET, `weeks (1)/${pathOf(name)}._S3rver_object`),
    during: async (work) => {
      await objects.stop();
      await work();
      await objects.startAgain();
    },
    close: async () => {
      place.close();
      await objects.close();
    },
  };
};

it('a bucket that says there is no file, and one that sends nothing of it, are no files', async () => {
  let answers = 0;
  const server = createServer((request, response) => {
    answers++;
    if (request.method === 'DELETE')
      return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    if (answers > 3) return void response.writeHead(500).end();
    response.writeHead(206, { 'Content-Range': 'bytes 0-999/5000', 'Content-Length': 0 }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const place = new BucketPlace({ endpoint, region: 'r', bucket: BUCKET, prefix: '', ...LOGIN }, Date.now);
  const name = { tenantId: 7, sha256: 'a'.repeat(64) };
  try {
    await expect(place.remove(name)).resolves.toBeUndefined();
    await expect(bytesOf(place, name)).rejects.toThrow('answered 206');
    expect(answers).toBe(2);
  } finally {
    place.close();
    server.close();
  }
});

it('a copy into a folder that fails leaves nothing beside the files', async () => {
  const { place, fileOf, close } = await inFolder();
  const local = path.join(tmpdir(), `local-${process.pid}`);
  await writeFile(local, 'week');
  const name = { tenantId: 7, sha256: 'a'.repeat(64) };
  try {
    // No file can take the place of a folder.
    await mkdir(fileOf(name), { recursive: true });
    await expect(place.put(name, local, 4)).rejects.toThrow();
    expect(await readdir(path.dirname(fileOf(name)))).toEqual([path.basename(fileOf(name))]);
  } finally {
    await close();
    await rm(local);
  }
});

describe.each([
  ['a folder', inFolder],
  ['a bucket', inBucket],
] as const)('files in %s', (_what, open) => {
  let at: Opened;
  let scratch: string;
  beforeAll(async () => {
    at = await open();
    scratch = await mkdtemp(path.join(tmpdir(), 'local-'));
  });
  afterAll(async () => {
    await at.close();
    await rm(scratch, { recursive: true, force: true });
  });

  it.each([1, PART_BYTES, PART_BYTES + 1, 300_000])('of %d bytes are what was put there', async (length) => {
    const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 7) % 251));
    const local = path.join(scratch, 'file');
    await writeFile(local, bytes);
    const name = { tenantId: 7, sha256: sha256Of(bytes) };
    await at.place.put(name, local, length);
    await at.place.put(name, local, length);
    expect((await bytesOf(at.place, name)).equals(bytes)).toBe(true);
    await at.place.remove(name);
    await expect(bytesOf(at.place, name)).rejects.toThrow(NoSuchFile);
    await at.place.remove(name);
  });

  it('are whole where several put the same one at once', async () => {
    const bytes = Buffer.alloc(300_000, 'a week ');
    const local = path.join(scratch, 'same');
    await writeFile(local, bytes);
    const name = { tenantId: 7, sha256: sha256Of(bytes) };
    const puts = Array.from({ length: 3 }, async () => {
      await at.place.put(name, local, bytes.length);
      return (await bytesOf(at.place, name)).equals(bytes);
    });
    expect(await Promise.all(puts)).toEqual([true, true, true]);
    await at.place.remove(name);
  });

  describe.each(ENGINES)('and their weeks on %s', (engine) => {
    let base: Store;
    let trial: ArchiveTrial;
    beforeAll(async () => {
      base = await Store.open(engine);
      trial = await ArchiveTrial.open(base, at.place);
    });
    afterAll(async () => {
      await trial.close();
      await base.close();
    });

    async function aWeek() {
      const store = await base.forNewTenant();
      const events = store.checked([
        { eventTime: '2026-01-06T08:00:00.0000000Z' },
        { eventTime: '2026-01-13T08:00:00.0000000Z' },
      ]);
      await store.insert(events);
      await trial.settle();
      const seal = (time: string) => trial.seal(time, store.tenantId);
      for (const time of ['2026-01-06', '2026-01-13'])
        expect((await seal(`${time}T00:00:00Z`)).outcome).toBe('sealed');
      const listed = () =>
        store.query<{ tenantId: number; sha256: string }>(
          'SELECT tenant_id AS "tenantId", sha256 FROM audit_sealed_week WHERE tenant_id = $1 ORDER BY week',
          store.tenantId,
        );
      const reader = new PostgresAuditEventReader(store.database.service);
      const [first, second] = await listed();
      if (!first || !second) throw new Error('two weeks were sealed');
      return {
        ...{ store, events, listed, first, second },
        seal: () => seal('2026-01-06T00:00:00Z'),
        restore: () => trial.restore('2026-01-06T00:00:00Z', store.tenantId),
        find: (i: number) => reader.find(oneTenant(store.tenantId), events[i]?.recordId ?? ''),
        forget: () => rm(path.join(trial.folder, 'cache'), { recursive: true, force: true }),
      };
    }
    const rounds = () => new TenantRounds(base.database.owner);
    const unlisted = (keptMs: number) => new UnlistedFiles(base.database.owner, at.place, rounds(), keptMs);

    it('are answered, with nothing in the database but the list', async () => {
      const { store, find, events, forget } = await aWeek();
      await forget();
      for (const i of [0, 1]) expect(await find(i)).toMatchObject({ recordId: events[i]?.recordId });
      const [row] = await store.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM audit_sealed_piece WHERE tenant_id = $1',
        store.tenantId,
      );
      expect(row?.n).toBe(0);
    });

    it.each([
      ['is gone', () => null],
      ['was cut', (bytes: Buffer) => bytes.subarray(0, 200)],
      ['has another bit', (bytes: Buffer) => Buffer.concat([Buffer.from([1]), bytes.subarray(1)])],
    ])('are named where a file %s, and the other week is answered', async (_how, change) => {
      const { first, find, forget, events } = await aWeek();
      await forget();
      const file = at.fileOf(first);
      const changed = change(await readFile(file));
      if (changed === null) await at.place.remove(first);
      else await writeFile(file, changed);
      await expect(find(0)).rejects.toMatchObject({
        code: 'service_unavailable',
        message: expect.stringMatching(
          /begins on 2026-01-05 .* (damaged|does not answer|does not lie where)/,
        ),
      });
      expect(await find(1)).toMatchObject({ recordId: events[1]?.recordId });
    });

    it('are named while the place does not answer, and answered when it does again', async () => {
      const { find, forget, events } = await aWeek();
      await forget();
      await at.during(async () => {
        await expect(find(0)).rejects.toMatchObject({
          code: 'service_unavailable',
          message: expect.stringContaining('does not answer'),
        });
      });
      expect(await find(0)).toMatchObject({ recordId: events[0]?.recordId });
    });

    const elsewhere: FilePlace = {
      has: async () => false,
      put: async () => {
        throw new Error('a file was put');
      },
      // biome-ignore lint/correctness/useYield: it has no file
      read: async function* () {
        throw new NoSuchFile('not here');
      },
      remove: async () => {},
      close: () => {},
    };

    it('are removed by an instance that has their place, and not forgotten by one with another place', async () => {
      const { first, restore } = await aWeek();
      expect(await restore()).toBe(1);
      const { owner } = base.database;
      for (let round = 0; round < 2; round++) await new UnlistedFiles(owner, elsewhere, rounds(), 0).remove();
      expect((await bytesOf(at.place, first)).length).toBeGreaterThan(0);
      await unlisted(0).remove();
      await expect(bytesOf(at.place, first)).rejects.toThrow(NoSuchFile);
    });

    it('make an instance that does not find them unhealthy, which its log says once', async () => {
      await aWeek();
      const said: string[] = [];
      const log = { warn: (_: unknown, text?: unknown) => void said.push(String(text)) };
      const { owner } = base.database;
      const here = new PlaceWatch(owner, at.place, log, () => true);
      await here.look();
      expect([here.healthy, said]).toEqual([true, []]);
      for (const [place, words] of [
        [null, 'has no ARCHIVE_URL'],
        [elsewhere, 'is ARCHIVE_URL that of the other'],
        [{ ...elsewhere, has: () => Promise.reject(new Error('away')) }, 'does the place answer'],
      ] as const) {
        const watch = new PlaceWatch(owner, place, log, () => true);
        for (let round = 0; round < 2; round++) await watch.look();
        expect(watch.healthy).toBe(false);
        expect(said.splice(0)).toEqual([expect.stringContaining(words)]);
      }
    });

    it('make an instance whose disk is full unhealthy until it has room, which its log says once', async () => {
      await aWeek();
      const said: string[] = [];
      const log = { warn: (_: unknown, text?: unknown) => void said.push(String(text)) };
      let hasRoom = false;
      const watch = new PlaceWatch(base.database.owner, at.place, log, () => hasRoom);
      for (let round = 0; round < 2; round++) await watch.look();
      expect([watch.healthy, said]).toEqual([false, [expect.stringContaining('DATA_DIR is full')]]);
      hasRoom = true;
      expect(watch.healthy).toBe(true);
    });

    it('are named by an instance without the place, or with another one, and nothing is put there', async () => {
      const { store, first, events, second } = await aWeek();
      for (const place of [null, elsewhere]) {
        const other = await ArchiveTrial.open(store, place);
        try {
          const reader = new PostgresAuditEventReader(store.database.service);
          const answer = reader.find(oneTenant(store.tenantId), events[0]?.recordId ?? '');
          await expect(answer).rejects.toMatchObject({
            code: 'service_unavailable',
            message: expect.stringMatching(/begins on 2026-01-05 .* does not lie where this instance/),
          });
        } finally {
          await other.close();
        }
      }
      // Back to the instance that has the files.
      const late = store.checked([{ eventTime: '2026-01-20T08:00:00.0000000Z' }]);
      await store.insert(late);
      await trial.settle();
      Object.assign(trial, { place: elsewhere });
      await expect(trial.seal('2026-01-20T00:00:00Z', store.tenantId)).rejects.toThrow(
        'files of earlier weeks are not in the place that ARCHIVE_URL names',
      );
      // Nor is the first file of a tenant: files of others lie in the place.
      const newcomer = await base.forNewTenant();
      await newcomer.insert(newcomer.checked([{ eventTime: '2026-01-20T08:00:00.0000000Z' }]));
      await trial.settle();
      await expect(trial.seal('2026-01-20T00:00:00Z', newcomer.tenantId)).rejects.toThrow(
        'files of earlier weeks are not in the place that ARCHIVE_URL names',
      );
      Object.assign(trial, { place: at.place });
      trial.open();
      expect((await trial.seal('2026-01-20T00:00:00Z', store.tenantId)).outcome).toBe('sealed');
      for (const name of [first, second]) expect((await bytesOf(at.place, name)).length).toBeGreaterThan(0);
    });

    it('lose their file some time after the week has it no more, and not before', async () => {
      const { first, second, store, restore, listed } = await aWeek();
      await unlisted(0).remove();
      expect(await restore()).toBe(1);
      await unlisted(3_600_000).remove();
      expect((await bytesOf(at.place, first)).length).toBeGreaterThan(0);
      await store.query(
        `UPDATE audit_sealed_file SET unlisted_since = '2026-01-05' WHERE unlisted_since IS NOT NULL`,
      );
      await unlisted(3_600_000).remove();
      await expect(bytesOf(at.place, first)).rejects.toThrow(NoSuchFile);
      expect(await listed()).toEqual([second]);
      expect((await bytesOf(at.place, second)).length).toBeGreaterThan(0);
    });

    it('are sealed again to the same bytes, which then stay', async () => {
      const { first, restore, seal, listed } = await aWeek();
      await restore();
      await unlisted(3_600_000).remove();
      expect((await seal()).outcome).toBe('sealed');
      await unlisted(0).remove();
      for (const name of await listed()) expect((await bytesOf(at.place, name)).length).toBeGreaterThan(0);
      expect(await listed()).toContainEqual(first);
    });

    it('leave nothing for good where the instance ended as soon as the file was written', async () => {
      const { first, seal, restore } = await aWeek();
      await restore();
      await unlisted(0).remove();
      const place: FilePlace = {
        ...elsewhere,
        has: (name) => at.place.has(name),
        put: async (...given) => {
          await at.place.put(...given);
          throw new Error('killed');
        },
      };
      Object.assign(trial, { place });
      await expect(seal()).rejects.toThrow();
      Object.assign(trial, { place: at.place });
      expect(await at.place.has(first)).toBe(true);
      await unlisted(0).remove();
      expect(await at.place.has(first)).toBe(false);
    });

    it('leave nothing for good where the file was written and the transaction did not follow', async () => {
      const { first, store, seal, restore } = await aWeek();
      await restore();
      await unlisted(0).remove();
      await store.query('UPDATE audit_archive SET generation = generation + 1 WHERE tenant_id = -1');
      // Rows that came between the file and the transaction.
      const place: FilePlace = {
        ...at.place,
        put: async (...given) => {
          await at.place.put(...given);
          await store.insert(store.checked([{ eventTime: '2026-01-06T09:00:00.0000000Z' }]));
        },
        has: (name) => at.place.has(name),
        read: (name) => at.place.read(name),
        remove: (name) => at.place.remove(name),
        close: () => {},
      };
      Object.assign(trial, { place });
      expect((await seal()).outcome).toBe('waits');
      Object.assign(trial, { place: at.place });
      const left = () => readdir(path.dirname(at.fileOf(first)));
      const before = (await left()).length;
      await unlisted(0).remove();
      expect((await left()).length).toBeLessThan(before);
    });
  });
});

describe('ARCHIVE_URL', () => {
  const placeOf = (ARCHIVE_URL: string) => loadConfig({ ARCHIVE_URL }).archivePlace;

  it('names a folder, or a bucket with its login', () => {
    expect(placeOf('file:///mnt/audit%20archive')).toEqual({ kind: 'folder', folder: '/mnt/audit archive' });
    expect(placeOf('s3://KEY:a%2Fb%2B@bucket.x/deep/weeks/?region=eu-central-1')).toEqual({
      ...{ kind: 'bucket', bucket: 'bucket.x', prefix: 'deep/weeks/', region: 'eu-central-1' },
      ...{ endpoint: 'https://s3.eu-central-1.amazonaws.com', accessKeyId: 'KEY', secretAccessKey: 'a/b+' },
    });
    expect(placeOf('s3://KEY:S@b?region=x&endpoint=http%3A%2F%2Fminio%3A9000')).toMatchObject({
      ...{ endpoint: 'http://minio:9000', prefix: '' },
    });
  });

  it.each([
    'https://bucket/',
    'file:///',
    'file://host/folder',
    's3://bucket/prefix?region=x',
    's3://KEY:S@bucket/prefix',
    's3://KEY:S@bucket/prefix?region=x&endpoint=nonsense',
    's3://KEY:a/b@bucket/prefix?region=x',
  ])('is refused as %s, without a word of its login', (url) => {
    expect(() => placeOf(url)).toThrow(/ARCHIVE_URL: must be/);
    expect(() => placeOf(url)).not.toThrow(/KEY:/);
  });
});
