import { basename } from 'node:path';
import { zipOf } from '../../support/zip';
import { FILES_2022 } from '../support/agent-world';
import { expectedRecords, inOrder, storedAsExpected } from '../support/expected-records';
import { until } from '../support/until';
import { BucketWorld, bytesOf, FOLDER, fileOf, keyOf, selects } from './support/bucket-world';

describe('a collector of a bucket', () => {
  let world: BucketWorld;
  beforeEach(async () => {
    world = await BucketWorld.create();
  });
  afterEach(() => world.close());

  it('publishes the files of a bucket as those of a folder, with their source, and reads each but once', async () => {
    const expected = expectedRecords('schema-2022').map((record) => ({
      ...record,
      file: `${FOLDER}/${record.file}`,
    }));
    for (const path of FILES_2022) await world.store.put(`${FOLDER}/${basename(path)}`, bytesOf(path));
    expect(await world.agents.once()).toBe(0);
    expect(storedAsExpected(world.agents.service, expected)).toEqual(inOrder(expected));
    expect(world.agents.service.events[0]).toMatchObject({ sourceType: 'S3' });
    const reads = world.reads.length;
    // A header each, and the files themselves.
    expect(reads).toBeLessThanOrEqual(3 * FILES_2022.length);
    expect(await world.agents.once()).toBe(0);
    expect(world.reads.length).toBe(reads);
    expect(world.agents.service.sentCount).toBe(expected.length);
  });

  it('reads files in the order of their beginning, whatever the order of their arrival, on each node', async () => {
    await world.store.put(keyOf(1), fileOf(1, 3, 4));
    await world.store.put(keyOf(0), fileOf(0, 1, 2));
    await world.store.put(keyOf(2, { node: 2 }), fileOf(2, 5, 6));
    world.agents.follow();
    await until('all of both nodes', () => world.statements.length === 6);
    expect(world.statements).toEqual(selects(1, 2, 3, 4, 5, 6));
    await world.store.put(keyOf(3), fileOf(3, 7));
    await until('a file that came later', () => world.statements.length === 7);
    await until('caught up', () => world.agents.statusOf()?.state === 'idle');
    expect(world.agents.statusOf()).toMatchObject({ problem: null, store: { requests: expect.any(Number) } });
    expect(world.gaps).toEqual([]);
  });

  it('asks for lists only while nothing comes, and does not list what was read long ago', async () => {
    world.store.pageSize = 5;
    const sixHours = 6 * 3_600_000;
    // Nine of the files began within two days before the last one.
    for (let i = 0; i < 24; i++) await world.store.put(keyOf(i * sixHours), fileOf(i, i));
    expect(await world.agents.once()).toBe(0);
    const before = world.store.requests.length;
    expect(await world.agents.once()).toBe(0);
    expect(world.store.requests.slice(before)).toHaveLength(3);
  });

  it('doubles nothing when an object is uploaded twice, under its name or another', async () => {
    await world.store.put(keyOf(0), fileOf(0, 1, 2));
    expect(await world.agents.once()).toBe(0);
    await world.store.put(keyOf(0), fileOf(0, 1, 2), Date.now() + 5_000);
    await world.store.put(keyOf(0, { folder: 'rds/copied' }), fileOf(0, 1, 2));
    await world.store.put(keyOf(1), fileOf(1, 3));
    expect(await world.agents.once()).toBe(0);
    expect(world.statements).toEqual(selects(1, 2, 3));
    expect(world.agents.service.sentCount).toBe(3);
  });

  it.each(['an object', 'an archive'])(
    'reads what %s brings that is uploaded again under its key',
    async (what) => {
      const isZip = what === 'an archive';
      const key = isZip ? `${keyOf(0)}.zip` : keyOf(0);
      const put = async (file: Buffer) => {
        // The file has reserved space at its end, so that its size tells nothing.
        const whole = Buffer.concat([file, Buffer.alloc(8_192 - file.length)]);
        await world.store.put(key, isZip ? await zipOf([['file', whole]]) : whole);
      };
      await put(fileOf(0, 1));
      expect(await world.agents.once()).toBe(0);
      await put(fileOf(0, 1, 2));
      expect(await world.agents.once()).toBe(0);
      expect(world.statements).toEqual(selects(1, 2));
      await put(fileOf(1, 3));
      expect(await world.agents.once()).toBe(0);
      expect(world.statements).toEqual(selects(1, 2, 3));
      const agent = world.agents.follow();
      await until('all read', () => world.agents.statusOf()?.caughtUpAt);
      await put(fileOf(1, 3, 4));
      await until('what came with the next upload', () => world.statements.length === 4);
      await put(fileOf(2, 5));
      await until('another file under the key', () => world.statements.length === 5);
      await agent.stop();
      // It may have ended before it noted that it was through.
      expect(await world.agents.once()).toBe(0);
      const reads = world.reads.length;
      expect(await world.agents.once()).toBe(0);
      expect(world.reads.length).toBe(reads);
      expect(world.statements).toEqual(selects(1, 2, 3, 4, 5));
      expect(world.agents.service.sentCount).toBe(5);
      expect(world.gaps).toEqual([]);
    },
  );

  it('has no gap for a file that is removed after it was read', async () => {
    await world.store.put(keyOf(0), fileOf(0, 1, 2));
    const agent = world.agents.follow();
    await until('all read', () => world.agents.statusOf()?.caughtUpAt);
    await world.store.remove(keyOf(0));
    await until('the prefix is empty', () => world.agents.statusOf()?.problem);
    expect(world.agents.statusOf()?.problem).toMatch(
      /^no file since \d{4}-.*Z: no audit file is left in s3:\/\/audit-trail\/rds\/$/,
    );
    await agent.stop();
    expect(world.gaps).toEqual([]);
  });
});
