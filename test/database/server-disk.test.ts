import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Prisma } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { openLimited } from '../../src/database/limited';
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
  it('is noticed where a new connection is refused because of it', async () => {
    // PostgreSQL names no cause where it has no room for the file that it writes for a connection.
    const fields = { S: 'FATAL', C: 'XX000', M: 'could not write init file' };
    const text = Object.entries(fields).map(([name, value]) => `${name}${value}\0`);
    const body = Buffer.from(`${text.join('')}\0`);
    const head = Buffer.alloc(5);
    head.write('E');
    head.writeInt32BE(4 + body.length, 1);
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(Buffer.concat([head, body])));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { disk, told } = aDisk();
    const reach = {
      connectionString: `postgres://a:b@127.0.0.1:${port}/c`,
      isOwner: true,
      isDistributed: false,
    };
    const { service } = openLimited(reach, disk.hear);
    await expect(service.run('SELECT 1', [], oneTenant(1))).rejects.toThrow('init file');
    server.close();
    expect(told).toEqual([expect.objectContaining({ said: 'could not write init file' })]);
  });

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
