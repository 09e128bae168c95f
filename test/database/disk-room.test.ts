import fs, { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Database } from '../../src/database/clients';
import { DiskRoom, freeBytesOf, hadNoRoom } from '../../src/database/disk-room';
import { LIMITS } from '../../src/limits';
import { oneTenant } from '../../src/tenant-set';
import { fakeService } from '../support/doors';

it('the embedded engine refuses writes while its disk is nearly full, answers reads, and recovers afterwards', async () => {
  let free = LIMITS.embeddedRoomBytes;
  const room = new DiskRoom('', () => free);
  const service = fakeService({
    run: async () => [{ n: 1 }],
    steps: async () => 2,
    ask: async () => [{ n: 3 }],
  });
  const database = room.guarding({ service } as Database);
  const write = () =>
    Promise.all([database.service.run('', [], []), database.service.steps(oneTenant(1), async () => 0)]);
  expect([room.healthy, await write()]).toEqual([true, [[{ n: 1 }], 2]]);
  free -= 1;
  expect(room.healthy).toBe(false);
  await expect(database.service.run('', [], [])).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(database.service.steps(oneTenant(1), async () => 0)).rejects.toMatchObject({
    code: 'service_unavailable',
  });
  expect(await database.service.ask({} as never, oneTenant(1))).toEqual([{ n: 3 }]);
  free += 1;
  expect(await write()).toEqual([[{ n: 1 }], 2]);
});

it('the free space of a disk is what the system reports', () => {
  const { bavail, bsize } = statfsSync(tmpdir());
  expect(new DiskRoom(tmpdir()).healthy).toBe(bavail * bsize >= LIMITS.embeddedRoomBytes);
});

it('a file system that does not report its size does not count as full', () => {
  const { bsize } = statfsSync(tmpdir());
  const statfs = jest.spyOn(fs, 'statfsSync');
  try {
    for (const [blocks, free] of [
      [0, Number.POSITIVE_INFINITY],
      [7, 0],
    ] as const) {
      statfs.mockReturnValue({ blocks, bavail: 0, bsize } as never);
      expect(freeBytesOf('')).toBe(free);
    }
  } finally {
    statfs.mockRestore();
  }
});

it.each([
  ['ENOSPC', true],
  ['EDQUOT', true],
  ['EACCES', false],
])('a file that could not be written for %s had no room: %s', (code, isFull) => {
  const failed = new Error('not written', { cause: Object.assign(new Error('write'), { code }) });
  expect(hadNoRoom(failed)).toBe(isFull);
});
