import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer } from 'node:tls';
import { ReplicaLag } from '../../src/modules/activity/replica-lag';
import { Metrics } from '../../src/observe/metrics';
import { certificateEnd, surroundingsOf } from '../../src/observe/surroundings';
import { writeCertificate } from '../support/certificate';

const folder = mkdtempSync(path.join(tmpdir(), 'surroundings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('tells when a certificate ends, also one that nobody trusts, and has nothing to tell of plain HTTP', async () => {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name)) as [string, string];
  writeCertificate({ key, cert, days: 3 });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ends = await certificateEnd(`https://127.0.0.1:${port}/x`);
  server.close();
  expect(Math.abs((ends ?? 0) - Date.now() / 1000 - 3 * 86_400)).toBeLessThan(300);
  expect(await certificateEnd('http://127.0.0.1:1')).toBeNull();
  expect(await certificateEnd(null)).toBeNull();
  await expect(certificateEnd(`https://127.0.0.1:${port}`)).rejects.toThrow();
});

it('tells the time of the last backup, once there is one, and the room of the folder', async () => {
  const metrics = await Metrics.open();
  surroundingsOf({ dataDir: folder, publicUrl: null })(metrics, () => null);
  const valueNamed = async (name: string) =>
    (await metrics.registry.metrics()).match(new RegExp(`^audit_activity_${name} (.+)$`, 'm'))?.[1];
  expect(await valueNamed('backup_last_timestamp_seconds')).toBeUndefined();
  writeFileSync(path.join(folder, 'last-backup'), '');
  utimesSync(path.join(folder, 'last-backup'), 5000, 5000);
  expect(await valueNamed('backup_last_timestamp_seconds')).toBe('5000');
  expect(Number(await valueNamed('data_folder_free_bytes'))).toBeLessThan(
    Number(await valueNamed('data_folder_bytes')),
  );
});

it('a replica is behind since the last moment that it has everything of, also when it is cut off', async () => {
  let [written, replayed, nowMs]: [bigint, bigint | null, number] = [10n, 10n, 0];
  const places = { written: async () => written, replayed: async () => replayed };
  const lag = new ReplicaLag(places, () => nowMs);
  const at = (seconds: number, place: bigint, there: bigint | null) => {
    [written, replayed, nowMs] = [place, there, seconds * 1000];
    return lag.measure();
  };
  expect(await at(10, 10n, 10n)).toBe(0);
  expect(await at(20, 20n, 10n)).toBe(10);
  expect(await at(500, 30n, 10n)).toBe(490);
  // It has everything of the moment 20, and not of 500.
  expect(await at(510, 30n, 25n)).toBe(490);
  expect(await at(520, 30n, 30n)).toBe(0);
  // Nothing is written: it stays up to date.
  expect(await at(900, 30n, 30n)).toBe(0);
  expect(await at(910, 40n, 30n)).toBe(10);
  expect(await at(920, 40n, null)).toBeNull();
});
