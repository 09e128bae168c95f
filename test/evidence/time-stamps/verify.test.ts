import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LIMITS } from '../../../src/limits';
import { parseNote } from '../../../src/modules/evidence/checkpoint';
import { runCli } from '../../support/cli';
import { ONE_ENGINE, temporaryFolder } from '../../support/engines';
import { until } from '../../support/until';
import { QUICK_LOG, useLimits } from '../../support/use-limits';
import { type TestTenant, World } from '../../support/world';
import { zipOf } from '../../support/zip';
import { type Files, unpacked } from '../packages';
import { events, signed, verify } from '../signed-tenant';
import { AuthorityServer, TestAuthority } from './authority';

const NONE = 'There is no time stamp of an authority that you trust.';

describe.each(ONE_ENGINE)('a service with a time-stamp authority on %s', (engine) => {
  useLimits({ ...QUICK_LOG, timeStampMs: 100, checkpointMs: 100, packageAskMs: 20 });
  let folder: string;
  let authority: TestAuthority;
  let foreign: TestAuthority;
  let server: AuthorityServer;
  let world: World;
  let tenant: TestTenant;
  let saved: string;
  let file: string;

  const fileOf = (name: string) => path.join(folder, name);
  const stampsOf = async (of: TestTenant): Promise<readonly { number: number; token: string }[]> =>
    (await of.get('/audit-log/checkpoints')).body.data.timeStamps;
  const evidence = (of: TestTenant) =>
    runCli(['evidence', 'package', '--service', world.service.url, '--out', file], {
      AUDIT_ACTIVITY_API_KEY: of.key,
    });
  beforeAll(async () => {
    folder = await temporaryFolder();
    [saved, file] = [fileOf('saved'), fileOf('package.zip')];
    authority = await TestAuthority.make(fileOf('tsa'));
    foreign = await TestAuthority.make(fileOf('foreign'));
    server = await AuthorityServer.open((query) => authority.reply(query));
    world = await World.open(engine, { timeStampUrl: server.url });
    tenant = await world.tenant();
    await tenant.ingest(events(300));
    await signed(tenant, 300);
    await until(
      () => stampsOf(tenant),
      (stamps) => stamps.length > 0,
    );
    await tenant.ingest(events(20));
    await signed(tenant, 320);
  });
  afterAll(async () => {
    await world?.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('answers the token with the checkpoints, and verify checks it against a certificate, online and offline', async () => {
    const online = await verify(tenant, '--timestamp-ca', authority.caFile, '--save', saved);
    expect(online).toEqual({
      lines: [expect.stringContaining('all 320 events are as they were accepted')],
      error: null,
    });
    expect(online.lines[0]).toMatch(
      /\n {2}time stamp: an authority had checkpoint \d+ \(\d+ entries\) at \d{4}-\S+Z; the newest of 1\n/,
    );
    const offline = await runCli(['verify', '--from', saved, '--timestamp-ca', authority.caFile, '--json']);
    expect(offline.error).toBeNull();
    const [stamp] = await stampsOf(tenant);
    expect(JSON.parse(offline.lines[0] ?? '').timeStamps).toEqual({
      verified: 1,
      newest: { number: stamp?.number, size: expect.any(Number), time: expect.stringMatching(/Z$/) },
      isAuthorityChecked: true,
      problems: [],
    });
    const open = await runCli(['verify', '--from', saved]);
    expect(open.error).toBeNull();
    expect(open.lines[0]).toContain('nobody asked who it is; give --timestamp-ca');
  });

  it('verify takes the certificate from a policy, and names a file that has none', async () => {
    const policy = fileOf('policy');
    await writeFile(policy, 'timestamps tsa/ca.pem\nquorum none\n');
    expect((await runCli(['verify', '--from', saved, '--policy', policy])).error).toBeNull();
    const both = ['--policy', policy, '--timestamp-ca', foreign.caFile];
    expect((await runCli(['verify', '--from', saved, ...both])).error).toBeNull();
    await writeFile(policy, 'timestamps foreign/ca.pem\nquorum none\n');
    const other = await runCli(['verify', '--from', saved, '--policy', policy]);
    expect(other.error).toContain('1 time stamps do not verify');
    await writeFile(policy, 'timestamps none.pem\ntimestamps policy\ntimestamps a b\nquorum none\n');
    const wrong = (await runCli(['verify', '--from', saved, '--policy', policy])).error;
    expect(wrong).toMatch(
      /line 1 names no certificates: ENOENT.*\n.*line 2 names no certificates: .*policy has no certificate in PEM\n.*line 3 must be: timestamps FILE/,
    );
    expect((await verify(tenant, '--timestamp-ca', policy)).error).toContain('has no certificate in PEM');
    const report = await runCli(['verify', '--report', 'x', '--timestamp-ca', authority.caFile]);
    expect(report.error).toContain('--timestamp-ca is not for --report');
  });

  it('verify fails if the token is of a foreign authority or was changed, and if there is none', async () => {
    const by = await runCli(['verify', '--from', saved, '--timestamp-ca', foreign.caFile]);
    const [stamp] = await stampsOf(tenant);
    expect(by.error).toContain('1 time stamps do not verify');
    expect(by.lines[0]).toContain(
      `the time stamp of checkpoint ${stamp?.number} does not verify: no chain leads from the certificate`,
    );
    const log = await readFile(path.join(saved, 'log.ndjson'), 'utf8');
    const changed = async (change: (token: Buffer) => void, demand: readonly string[] = []) => {
      const token = Buffer.from(stamp?.token ?? '', 'base64');
      change(token);
      const text = log.replace(stamp?.token ?? '?', token.toString('base64'));
      await writeFile(path.join(saved, 'log.ndjson'), text);
      return runCli(['verify', '--from', saved, ...demand]);
    };
    const flipped = await changed((token) =>
      token.writeUInt8(token.readUInt8(token.length - 1) ^ 1, token.length - 1),
    );
    expect(flipped.lines[0]).toContain(
      `checkpoint ${stamp?.number} does not verify: its signature does not fit`,
    );
    expect(flipped.error).not.toBeNull();
    const elsewhere = log.replace(
      `"number":${stamp?.number},"token"`,
      `"number":${(stamp?.number ?? 0) + 1},"token"`,
    );
    await writeFile(path.join(saved, 'log.ndjson'), elsewhere);
    expect((await runCli(['verify', '--from', saved])).lines[0]).toContain('its imprint is not the hash');
    await writeFile(path.join(saved, 'log.ndjson'), log.replace(/\{"timeStamp".*\n/, ''));
    const without = await runCli(['verify', '--from', saved, '--timestamp-ca', authority.caFile]);
    expect(without.error).toBe(NONE);
    expect((await runCli(['verify', '--from', saved])).error).toBeNull();
  });

  it('answers no more stamps at once than a bound says, and verify fetches all', async () => {
    const replaced = [
      jest.replaceProperty(LIMITS, 'timeStampsMax', 1 as never),
      jest.replaceProperty(LIMITS, 'timeStampEveryMs', 0 as never),
    ];
    try {
      for (let size = 321; size <= 323; size++) {
        await tenant.ingest(events(1));
        const { checkpoint } = await signed(tenant, size);
        const after = (parseNote(checkpoint)?.number ?? 0) - 1;
        await until(
          async () => (await tenant.get('/audit-log/checkpoints', { after })).body.data.timeStamps,
          (stamps) => stamps.length === 1,
        );
      }
      expect(await stampsOf(tenant)).toHaveLength(1);
      const all = await verify(tenant, '--timestamp-ca', authority.caFile, '--json');
      expect(all.error).toBeNull();
      expect(JSON.parse(all.lines[0] ?? '').timeStamps.verified).toBeGreaterThanOrEqual(4);
    } finally {
      for (const one of replaced) one.restore();
    }
  });

  describe('in an evidence package', () => {
    let files: Files;
    beforeAll(async () => {
      await tenant.ingest(events(7));
      await signed(tenant, 330);
      expect((await evidence(tenant)).error).toBeNull();
      files = await unpacked(await readFile(file));
    });
    const verified = async (content: Files | null, ...args: readonly string[]) => {
      if (content) await writeFile(fileOf('changed.zip'), await zipOf(content));
      return runCli(['verify', '--package', content ? fileOf('changed.zip') : file, ...args]);
    };

    it('the newest stamp is of an earlier checkpoint, from which the log of the package is proven to go on', async () => {
      const sound = await verified(null, '--timestamp-ca', authority.caFile, '--json');
      expect(sound.error).toBeNull();
      const { timeStamp, checkpoint } = JSON.parse(sound.lines[0] ?? '');
      expect(timeStamp).toMatchObject({ isSignatureChecked: true, isAuthorityChecked: true });
      expect(timeStamp.size).toBeLessThan(checkpoint.size);
      expect(Date.parse(timeStamp.time)).toBeGreaterThan(Date.now() - 3_600_000);
      const text = await verified(null);
      expect(text.lines[0]).toContain(
        `(${timeStamp.size} entries) at ${timeStamp.time} (nobody asked who it is`,
      );
    });

    it('a foreign authority, another log, a missing proof and a flipped byte are named', async () => {
      const name = 'time-stamp.json';
      const stamp = JSON.parse(String(files.get(name)));
      const spoilt = (part: object) =>
        verified(new Map([...files, [name, Buffer.from(`${JSON.stringify({ ...stamp, ...part })}\n`)]]));
      expect((await verified(null, '--timestamp-ca', foreign.caFile)).lines[0]).toContain(
        `${name}: the time stamp does not verify: no chain leads`,
      );
      const token = Buffer.from(stamp.token, 'base64');
      token.writeUInt8(token.readUInt8(token.length - 20) ^ 1, token.length - 20);
      const flipped = await spoilt({ token: token.toString('base64') });
      expect(flipped.error).toBe('The package is not as it was signed.');
      expect(flipped.lines[0]).toContain('does not verify: its signature does not fit');
      expect(flipped.lines[0]).toContain('it is not the file of the manifest');
      expect((await spoilt({ consistency: stamp.consistency.slice(1) })).lines[0]).toContain(
        'it is not proven that the log of the package goes on from what was stamped',
      );
      expect((await spoilt({ checkpoint: stamp.checkpoint.replace('number', 'Number') })).lines[0]).toContain(
        'the trusted key has not signed the checkpoint that was stamped',
      );
      for (const part of [{ token: 'é' }, { consistency: ['AA=='] }, { checkpoint: 7 }])
        expect((await spoilt(part)).lines[0]).toContain('it is no file of a time stamp');
    });

    it('there is none for a tenant whose log was not stamped yet, which fails only where one is demanded', async () => {
      server.answer = async () => 503;
      const other = await world.tenant();
      await other.ingest(events(2));
      await signed(other, 2);
      expect((await evidence(other)).error).toBeNull();
      expect((await verified(null)).error).toBeNull();
      expect((await verified(null, '--timestamp-ca', authority.caFile)).error).toBe(NONE);
    });
  });
});
