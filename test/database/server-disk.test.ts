import { Prisma } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { ServerDisk } from '../../src/database/server-disk';
import { LIMITS } from '../../src/limits';
import { oneTenant } from '../../src/tenant-set';
import { createTestDatabase, describeOnPostgres } from '../support/engines';

/** An error as a full disk makes it. */
const failure = (code: string) =>
  `DO $$ BEGIN RAISE EXCEPTION 'could not extend file "base/1/2"' USING ERRCODE = '${code}'; END $$`;

function aDisk() {
  const at = { nowMs: 5_000 };
  const told: unknown[] = [];
  const log = { error: (fields: object, text: string) => void told.push({ ...fields, text }) };
  return { at, told, disk: new ServerDisk(log as never, () => at.nowMs) };
}

describeOnPostgres('a full disk of PostgreSQL', () => {
  it('is noticed on each way to the database, and other errors are not taken for it', async () => {
    const place = await createTestDatabase('postgresql');
    const { disk, told, at } = aDisk();
    const database = await openDatabase(place, disk.hear);
    const asked = (code: string) => [
      () => database.service.models.$executeRawUnsafe(failure(code)),
      () => database.service.run(failure(code), [], oneTenant(1)),
      () => database.service.steps(oneTenant(1), (step) => step(failure(code), [])),
      () => database.service.ask(Prisma.raw(failure(code)), oneTenant(1)),
      () => database.owner.models.$executeRawUnsafe(failure(code)),
      () => database.owner.ask(Prisma.raw(failure(code))),
      () => database.owner.steps((step) => step(failure(code), [])),
    ];
    try {
      for (const ask of asked('53200')) await expect(ask()).rejects.toThrow('could not extend');
      expect([disk.healthy, told]).toEqual([true, []]);
      for (const ask of asked('53100')) {
        await expect(ask()).rejects.toThrow('could not extend');
        expect(disk.healthy).toBe(false);
        at.nowMs += LIMITS.serverDiskFullMs;
      }
      expect(told).toHaveLength(asked('53100').length);
    } finally {
      await database.close();
      await place.drop();
    }
  });
});

describe('the full disk of a server', () => {
  it('is told once, and counts as full until nothing has met it for a while', () => {
    const { disk, told, at } = aDisk();
    const hear = () => disk.hear({ code: '53100', message: 'no space left' });
    expect(disk.healthy).toBe(true);
    hear();
    at.nowMs += LIMITS.serverDiskFullMs - 1;
    hear();
    expect(told).toEqual([{ said: 'no space left', text: expect.stringContaining('PostgreSQL is full') }]);
    at.nowMs += LIMITS.serverDiskFullMs - 1;
    expect(disk.healthy).toBe(false);
    at.nowMs += 1;
    expect(disk.healthy).toBe(true);
    hear();
    expect(told).toHaveLength(2);
  });
});
