import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { newWitnessKeyPem, readWitnessKey, WitnessKey } from '../../../src/store/log/evidence/cosignature';
import { verifierKeyOf } from '../../../src/store/log/evidence/note-key';
import { Witness } from '../../../src/witness/witness';
import { WitnessFolder } from '../../../src/witness/witness-folder';
import { witnessServer } from '../../../src/witness/witness-server';
import { runCli } from '../../support/cli';
import { ONE_ENGINE, temporaryFolder } from '../../support/engines';
import { until } from '../../support/until';
import { QUICK_LOG, useLimits } from '../../support/use-limits';
import { type TestTenant, World } from '../../support/world';
import { verifyAlone } from '../own-verifier';
import { events, signed, verify } from '../signed-tenant';

describe.each(ONE_ENGINE)('a service with witnesses on %s', (engine) => {
  useLimits({ ...QUICK_LOG, witnessMs: 100, checkpointMs: 100 });
  const STRANGER = new WitnessKey('w3.example', newWitnessKeyPem());
  const servers: Server[] = [];
  let folder: string;
  let keys: string[];
  let world: World;
  let tenant: TestTenant;

  async function startWitness(name: string): Promise<{ verifierKey: string; url: string }> {
    const state = new WitnessFolder(path.join(folder, name));
    const key = await state.makeKey(name);
    const server = witnessServer(
      new Witness(key, { names: [], isSigned: () => true }, state, () => {}),
      () => {},
    );
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
    return {
      verifierKey: key.verifierKey,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    };
  }
  const policy = async (name: string, ...lines: readonly string[]) => {
    const file = path.join(folder, name);
    const witnesses = [...keys, STRANGER.verifierKey].map((key, i) => `witness w${i + 1} ${key}`);
    await writeFile(file, [...witnesses, ...lines, ''].join('\n'));
    return file;
  };
  const newest = async (): Promise<string> => (await tenant.get('/audit-log')).body.data.checkpoint;
  const cosigned = (size: number) =>
    until(
      newest,
      (note) =>
        note.includes(`\n${size}\n`) && keys.every((key) => readWitnessKey(key).lineIn(note) !== null),
    );

  beforeAll(async () => {
    folder = await temporaryFolder();
    const witnesses = [await startWitness('w1.example'), await startWitness('w2.example')];
    keys = witnesses.map(({ verifierKey }) => verifierKey);
    world = await World.open(engine, { witnesses });
    tenant = await world.tenant();
    await tenant.ingest(events(5));
    await signed(tenant, 5);
    await cosigned(5);
    await tenant.ingest(events(20));
    await signed(tenant, 25);
  });
  afterAll(async () => {
    await world?.close();
    for (const server of servers) server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('answers signatures of witnesses wherever checkpoints are, and other verifiers are not confused', async () => {
    const note = await cosigned(25);
    const { checkpoints } = (await tenant.get('/audit-log/checkpoints')).body.data;
    expect(checkpoints.at(-1)).toBe(note);
    const { recordId } = (await tenant.get('/audit-activity', { pageSize: 1 })).body.data[0];
    expect((await tenant.get(`/audit-activity/${recordId}/proof`)).body.data.proof.checkpoint).toBe(note);
    const { publicKey } = (await tenant.get('/audit-log')).body.data;
    const fetchText = async (of: string) =>
      (
        await fetch(`${world.service.url}/api/v1/public${of}`, { headers: { 'X-Api-Key': tenant.key } })
      ).text();
    expect(await verifyAlone(fetchText, publicKey)).toEqual([]);
  });

  it('verify demands the quorum of a policy, online and offline', async () => {
    const { publicKey } = (await tenant.get('/audit-log')).body.data;
    const both = await policy('both', `log ${publicKey}`, 'group all-of-us all w1 w2', 'quorum all-of-us');
    const saved = path.join(folder, 'saved');
    const online = await verify(
      tenant,
      '--policy',
      both,
      '--save',
      saved,
      '--save-checkpoint',
      path.join(folder, 'last'),
    );
    expect(online).toEqual({
      lines: [expect.stringContaining('all 25 events are as they were accepted')],
      error: null,
    });
    expect(online.lines[0]).toContain('has the quorum of the policy');
    expect(online.lines[0]).not.toContain('as the service states it');
    expect(
      (await runCli(['verify', '--from', saved, '--policy', both, '--checkpoint', path.join(folder, 'last')]))
        .error,
    ).toBeNull();
    const stranger = await policy('stranger', 'group three all w1 w2 w3', 'quorum three');
    const below = await verify(tenant, '--policy', stranger, '--wait', '0');
    expect(below.lines[0]).toContain('all 25 events are as they were accepted');
    expect(below.error).toMatch(
      /checkpoint \d+ has not the quorum "three" \(3 of its 3 members\): of 3 witnesses, it has the signatures of "w1", "w2"/,
    );
    const json = await runCli(['verify', '--from', saved, '--policy', stranger, '--json']);
    expect(JSON.parse(json.lines[0] ?? '')).toMatchObject({
      isSound: true,
      quorum: { isMet: false, missing: expect.stringContaining('"three"') },
    });
    expect(json.error).not.toBeNull();
  });

  it('verify fails where a signature of the quorum was taken away, or the policy names another log or none of these', async () => {
    const saved = path.join(folder, 'cut');
    const one = await policy('one', 'quorum w1');
    expect((await verify(tenant, '--policy', one, '--save', saved)).error).toBeNull();
    const file = path.join(saved, 'log.ndjson');
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll(/— w1\.example [\w+/=]+\\n/g, ''));
    expect((await runCli(['verify', '--from', saved, '--policy', one])).error).toContain(
      'has not the quorum "w1"',
    );
    const other = await policy('other', `log ${keys[0]}`, 'quorum w1');
    expect((await runCli(['verify', '--from', saved, '--policy', other])).error).toContain(
      'line 4 has no key',
    );
    const report = await runCli(['verify', '--report', 'x', '--policy', one]);
    expect(report.error).toContain('--policy');
  });

  it('verify demands the quorum of a package, too', async () => {
    const { publicKey } = (await tenant.get('/audit-log')).body.data;
    await cosigned(25);
    const file = path.join(folder, 'package.zip');
    const key = ['--service', world.service.url, '--tenant', tenant.tenantId];
    const made = await runCli(['evidence', 'package', ...key, '--out', file], {
      AUDIT_ACTIVITY_API_KEY: tenant.key,
    });
    expect(made.error).toBeNull();
    const both = await policy('both-of-package', `log ${publicKey}`, 'group g all w1 w2', 'quorum g');
    const sound = await runCli(['verify', '--package', file, '--policy', both]);
    expect(sound).toEqual({ lines: [expect.stringContaining('has the quorum of the policy')], error: null });
    const stranger = await policy('stranger-of-package', 'quorum w3');
    const below = await runCli(['verify', '--package', file, '--policy', stranger, '--json']);
    expect(below.error).toContain('has not the quorum');
    expect(JSON.parse(below.lines[0] ?? '')).toMatchObject({ isSound: true, quorum: { isMet: false } });
    const [, , , raw = ''] = /^([^+]+)\+([^+]+)\+(.+)$/.exec(publicKey) ?? [];
    const ofOther = verifierKeyOf(Buffer.from(raw, 'base64').subarray(1), 'audit-activity/tenant-9');
    const other = await policy('other-tenant', `log ${ofOther}`, 'quorum none');
    expect((await runCli(['verify', '--package', file, '--policy', other])).error).toContain(
      'no log line for',
    );
  });
});
