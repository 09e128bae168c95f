import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CHECKPOINT_KEY_FILE } from '../../src/modules/evidence/checkpoint-key-file';
import { newCheckpointKeyPem } from '../../src/store/log/evidence/note-key';
import { runCli } from '../support/cli';
import { ANY_ENGINE, temporaryFolder } from '../support/engines';
import { anEvent } from '../support/events';
import { World } from '../support/world';

interface Run {
  readonly publicKey: string;
  readonly files: readonly { readonly format: string; readonly name: string }[];
}

describe('a report that was made before the checkpoint key was changed', () => {
  it('verifies with the key that the answer states, or says which other key signed it and accuses nobody', async () => {
    let world = await World.open(ANY_ENGINE);
    const { database } = world;
    const tenant = await world.tenant();
    await tenant.ingest([anEvent({ actionId: 'LGIS', eventTime: '2026-01-05T08:00:00Z' })]);
    const { key } = await world.key({
      tenantIds: [tenant.tenantId],
      scopes: ['read:audit-activity', 'read:reports'],
    });
    const folder = await temporaryFolder();
    const get = (at: string) =>
      fetch(`${world.service.url}/api/v1/public/reports/${at}`, { headers: { 'X-Api-Key': key } });
    const made = await get('log-ons/content?format=json&startTime=2026-01-01&endTime=2026-02-01');
    const runId = made.headers.get('x-report-run') ?? '';
    const rows = Buffer.from(await made.arrayBuffer());
    const saved = path.join(folder, 'run.json');
    /** The answer of the service as it runs now, with the rows beside it. */
    const save = async () => {
      const { data } = (await (await get(`runs/${runId}`)).json()) as { data: Run };
      const name = data.files.find(({ format }) => format === 'json')?.name ?? '';
      await writeFile(path.join(folder, name), rows);
      await writeFile(saved, JSON.stringify({ data }));
      return data.publicKey;
    };
    const verify = async (...args: string[]) => {
      const { lines, error } = await runCli(['verify', '--report', saved, ...args], {});
      return [error, lines.join('\n')];
    };
    const older = await save();
    expect((await verify())[0]).toBeNull();

    const file = path.join(database.dataDir, CHECKPOINT_KEY_FILE);
    const [oldPem, newPem] = [await readFile(file, 'utf8'), newCheckpointKeyPem()];
    const restartWith = async (pem: string) => {
      await world.service.close();
      await writeFile(file, pem);
      world = await World.on(database);
    };
    await restartWith(newPem + oldPem);
    expect(await save()).toBe(older);
    expect((await verify())[0]).toBeNull();

    // The earlier key is taken out of the file once nothing is sealed by it.
    await restartWith(newPem);
    const newer = await save();
    expect(newer).not.toBe(older);
    const keyId = older.split('+')[1] ?? '';
    for (const args of [[], ['--public-key', newer]]) {
      expect(await verify(...args)).toEqual([
        expect.stringMatching(/not judged|cannot be judged/),
        expect.stringContaining(`the note is signed by the key ${keyId}`),
      ]);
    }
    expect((await verify('--public-key', older))[0]).toBeNull();
    const { data } = JSON.parse(await readFile(saved, 'utf8'));
    data.manifest = data.manifest.replace('Log-ons', 'Log-offs');
    await writeFile(saved, JSON.stringify({ data }));
    expect((await verify('--public-key', older))[0]).toContain('not as it was signed');
    await world.close();
    await rm(folder, { recursive: true });
  });
});
