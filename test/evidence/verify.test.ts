import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '../../src/database/database';
import { parseNote } from '../../src/modules/evidence/checkpoint';
import { CHECKPOINT_KEY_FILE } from '../../src/modules/evidence/checkpoint-key-file';
import { rootsAt } from '../../src/modules/evidence/verify/checkpoints';
import { isConsistent, rootByInclusion } from '../../src/store/log/evidence/merkle';
import { runCli } from '../support/cli';
import { describeOnPostgres, ENGINES, temporaryFolder } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import { INGEST, type TestTenant, World } from '../support/world';
import { verifyAlone } from './own-verifier';
import { events, signed, verify } from './signed-tenant';

describe.each(ENGINES)('the evidence log of a service on %s', (engine) => {
  useLimits(QUICK_LOG);
  const at = useWorld(engine);
  let tenant: TestTenant;
  let folder: string;
  beforeAll(async () => {
    tenant = await at.world.tenant();
    folder = await temporaryFolder();
    await tenant.ingest(events(300));
    await signed(tenant, 300);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('answers its size, its checkpoints and its entries', async () => {
    const { body } = await tenant.get('/audit-log');
    expect(body.data).toMatchObject({
      tenantId: tenant.tenantId,
      size: 300,
      waitingEvents: 0,
      backfilling: false,
    });
    const { checkpoints } = (await tenant.get('/audit-log/checkpoints')).body.data;
    expect(checkpoints).toEqual([body.data.checkpoint]);
    const { count, recordIds } = (await tenant.get('/audit-log/entries', { start: 290 })).body.data;
    expect([count, Buffer.from(recordIds, 'base64').length]).toEqual([10, 160]);
    expect((await tenant.get('/audit-log/removals')).body.data.removals).toEqual([]);
    const { auditLogs } = await at.world.operate('{ auditLogs { tenantId size problem } }');
    const own = { tenantId: tenant.tenantId, size: 300, problem: null };
    expect(auditLogs).toContainEqual(own);
    const some = `{ auditLogs(tenantIds: ["${tenant.tenantId}", "x"]) { tenantId size problem } }`;
    expect((await at.world.operate(some)).auditLogs).toEqual([own]);
  });

  it('proves over both entrances that an event is in the log', async () => {
    const { recordId } = (await tenant.get('/audit-activity', { pageSize: 1 })).body.data[0];
    const query = `{ auditEvent(recordId: "${recordId}") { statement proof { index leafHash path checkpoint } } }`;
    const { auditEvent } = (await at.world.graphql(tenant.key, query)).body.data;
    const { data } = (await tenant.get(`/audit-activity/${recordId}/proof`)).body;
    expect(data.proof).toEqual(auditEvent.proof);
    const { index, leafHash, path: hashes, checkpoint } = data.proof;
    const bytes = (text: string) => Buffer.from(text, 'base64');
    const note = parseNote(checkpoint);
    expect(rootByInclusion(bytes(leafHash), index, note?.size ?? 0, hashes.map(bytes))).toEqual(note?.root);
    const other = await at.world.tenant();
    expect((await other.get(`/audit-activity/${recordId}/proof`)).status).toBe(404);
  });

  it('proves that it has only grown', async () => {
    const { hashes } = (await tenant.get('/audit-log/consistency', { from: 300, to: 300 })).body.data;
    expect(hashes).toEqual([]);
    expect((await tenant.get('/audit-log/consistency', { from: 300, to: 301 })).status).toBe(400);
    expect((await tenant.get('/audit-log/consistency', { from: 0, to: 3 })).status).toBe(400);
    const part = (await tenant.get('/audit-log/consistency', { from: 256, to: 300 })).body.data;
    const whole = parseNote((await tenant.get('/audit-log')).body.data.checkpoint);
    const entries = Buffer.from((await tenant.get('/audit-log/entries')).body.data.leafHashes, 'base64');
    const [root] = rootsAt([256], entries);
    const proof = part.hashes.map((text: string) => Buffer.from(text, 'base64'));
    expect(root && whole && isConsistent({ size: 256, root }, whole, proof)).toBe(true);
  });

  it('is read only by keys of its tenant, and a key of several tenants must name the tenant', async () => {
    const other = await at.world.tenant();
    expect((await tenant.get('/audit-log', { tenantId: other.tenantId })).status).toBe(404);
    expect((await tenant.get('/audit-log', { tenantId: 'x' })).status).toBe(404);
    const { key } = await at.world.key({ tenantIds: [tenant.tenantId, other.tenantId] });
    expect((await at.world.get('/audit-log', key)).status).toBe(400);
    const { body } = await at.world.get('/audit-log', key, { query: { tenantId: other.tenantId } });
    expect(body.data).toMatchObject({ tenantId: other.tenantId, size: 0, checkpoint: null });
  });

  it('verifies over the API and offline, with the public key of the host and a kept checkpoint', async () => {
    const kept = path.join(folder, 'kept');
    const first = await verify(tenant, '--save', path.join(folder, 'copy'), '--save-checkpoint', kept);
    expect([first.error, first.lines[0]]).toEqual([
      null,
      expect.stringContaining('all 300 events are as they were accepted, and none is missing'),
    ]);
    const key = await runCli(['verify', '--show-key'], { DATA_DIR: at.world.database.dataDir });
    const offline = await runCli([
      ...[
        'verify',
        '--from',
        path.join(folder, 'copy'),
        '--public-key',
        key.lines[0] ?? '',
        '--checkpoint',
        kept,
      ],
      '--json',
    ]);
    expect(offline.error).toBeNull();
    expect(JSON.parse(offline.lines[0] ?? '')).toMatchObject({
      isSound: true,
      events: 300,
      entries: 300,
      findings: [],
    });
    expect(JSON.parse(offline.lines[0] ?? '').checkpoint).toBe(await readFile(kept, 'utf8'));
  });

  it('is verified by a client that was written from docs/evidence.md alone, which finds every change', async () => {
    const other = await at.world.tenant();
    const sent = [
      { statement: 'half \ud83d of a pair, "quoted"\u0000\u2028', hostName: '' },
      { Z: 1e21, z: -0, ä: null, '\ud83d\ude00': 'astral', '\ufb00': true, '10': 1.5e-9, '9': 'x' },
      { sessionId: 12345, list: [1, { b: 2 }], ['__proto__']: 7 },
      { rows: 'large', share: 'huge' },
    ].map((change) => anEvent(change as object));
    const batch = { events: [...sent, ...events(300)] };
    const answer = await at.world.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': other.agentKey },
      // Numbers that no JSON.stringify writes.
      body: JSON.stringify({ query: INGEST, variables: { batch } })
        .replace('"large"', '12345678901234567890')
        .replace('"huge"', '1e400'),
    });
    expect(answer.body.data.ingestAuditEvents.accepted).toBe(304);
    await signed(other, 304);
    const { publicKey } = (await other.get('/audit-log')).body.data;
    const check = (alter: (path: string, text: string) => string = (_, answer) => answer) =>
      verifyAlone(
        async (path) =>
          alter(
            path,
            (await at.world.fetch(`/api/v1/public${path}`, { headers: { 'X-Api-Key': other.key } })).text,
          ),
        publicKey,
      );
    expect(await check()).toEqual([]);
    const ofExport = (alter: (lines: readonly string[]) => readonly string[]) =>
      check((path, answer) =>
        path.includes('/export') ? `${alter(answer.trimEnd().split('\n')).join('\n')}\n` : answer,
      );
    expect(await ofExport((lines) => lines.with(7, (lines[7] ?? '').replace('SELECT', 'DELETE')))).toEqual([
      expect.stringContaining('was altered'),
    ]);
    expect(await ofExport((lines) => [...lines.slice(1, -1), '{"end":{"count":303}}'])).toEqual([
      expect.stringContaining('is missing'),
    ]);
    const id = '019b8d0e-1c00-8000-8000-000000000001';
    const added = (line = '') => line.replace(JSON.parse(line).recordId, id);
    expect(
      await ofExport((lines) => [added(lines[0]), ...lines.slice(0, -1), '{"end":{"count":305}}']),
    ).toEqual([`${id} was never accepted`]);
    await expect(check((_, answer) => answer.replaceAll('number 1', 'number 2'))).rejects.toThrow(
      'not signed',
    );
  });

  it('says in one line which argument of verify is wrong', async () => {
    const copy = path.join(folder, 'copy');
    const outcomes = await Promise.all([
      runCli(['verify'], {}),
      runCli(['verify', '--events', 'x'], {}),
      runCli(['verify', '--from', path.join(folder, 'none')], {}),
      runCli(['verify', '--from', copy, '--public-key', 'x'], {}),
      runCli(['verify', '--from', copy, '--checkpoint', path.join(copy, 'log.ndjson')], {}),
      runCli(['verify', '--from', copy, '--events', path.join(copy, 'log.ndjson')], {}),
      runCli(['verify', '--show-key'], { DATA_DIR: folder }),
      verify(tenant, '--tenant', '999'),
    ]);
    expect(outcomes.map(({ error }) => error)).toEqual([
      expect.stringContaining('No API key'),
      '--events needs --from.',
      expect.stringContaining('ENOENT'),
      expect.stringContaining('it is not a public key'),
      'the kept file is no checkpoint',
      expect.stringMatching(/log\.ndjson: line 1 is not an event in full: it lacks recordId,/),
      expect.stringContaining('ENOENT'),
      expect.stringContaining('not_found'),
    ]);
  });

  it('finds a line of an export that was changed, left out or added', async () => {
    const copy = path.join(folder, 'copy');
    const whole = (await readFile(path.join(copy, 'events.ndjson'), 'utf8')).trimEnd().split('\n');
    // The last line states the number of events. Somebody who changes the others can leave it out.
    const lines = whole.slice(0, -1);
    const idOf = (line = '') => JSON.parse(line).recordId;
    const other = path.join(folder, 'other.ndjson');
    const firstOf = async (some: readonly string[]) => {
      await writeFile(other, `${some.join('\n')}\n`);
      const { lines: printed, error } = await runCli(
        ['verify', '--from', copy, '--events', other, '--json'],
        {},
      );
      expect(error).toContain('are not as they were accepted');
      const { kind, recordId } = JSON.parse(printed[0] ?? '').findings[0];
      return [kind, recordId];
    };
    const changed = lines.map((line, i) => (i === 7 || i === 200 ? line.replace('SELECT', 'DELETE') : line));
    expect(await firstOf(changed)).toEqual(['altered', idOf(lines[7])]);
    expect(await firstOf(lines.filter((_, i) => i !== 12))).toEqual(['missing', idOf(lines[12])]);
    const put = (lines[30] ?? '').replace(idOf(lines[30]), '019b8d0e-1c00-8000-8000-000000000001');
    expect(await firstOf([...lines, put])).toEqual(['inserted', '019b8d0e-1c00-8000-8000-000000000001']);
  });
});

describeOnPostgres('two services with one checkpoint key whose signer is gone', () => {
  it('the other does not sign a log made again from rewritten events, and a service with an empty folder does not make verify accept them', async () => {
    const one = await World.open('postgresql');
    const tenant = await one.tenant();
    await tenant.ingest(events(40));
    await signed(tenant, 40);
    const checkpointKeyFile = path.join(one.database.dataDir, CHECKPOINT_KEY_FILE);
    const key = (await runCli(['verify', '--show-key'], { DATA_DIR: one.database.dataDir })).lines[0] ?? '';
    const dataDir = await temporaryFolder();
    const two = await World.on(one.database, { dataDir, checkpointKeyFile });
    await until(
      () => readFile(path.join(dataDir, `checkpoints/tenant-${tenant.tenantId}`), 'utf8').catch(() => null),
      (note) => note !== null,
    );
    await one.service.close();
    const database = await openDatabase(one.database);
    for (const table of ['head', 'tile', 'place', 'checkpoint'])
      await database.migrator.models.$executeRawUnsafe(`DELETE FROM audit_log_${table}`);
    await database.migrator.models.$executeRawUnsafe(`UPDATE audit_event SET statement = 'SELECT 1'`);
    await database.migrator.models.$executeRawUnsafe(`INSERT INTO audit_log_backlog SELECT DISTINCT tenant_id, hour,
      (lpad(to_hex(hour::bigint * 3600000), 12, '0') || '80008000000000000000')::uuid FROM audit_delta`);
    await database.close();
    const asked = async (world: World) => {
      const { lines } = await runCli(
        ['verify', '--service', world.service.url, '--public-key', key, '--json', '--wait', '0'],
        { AUDIT_ACTIVITY_API_KEY: tenant.key },
      );
      return JSON.parse(lines[0] ?? '{}');
    };
    await until(
      async () => (await two.get('/audit-log', tenant.key)).body.data.problem,
      (problem) => problem !== null,
    );
    expect(await asked(two)).toMatchObject({ isSound: false, unjudged: 40, checkpoint: null });
    await two.service.close();
    await rm(dataDir, { recursive: true });
    const empty = await World.on(one.database, { dataDir, checkpointKeyFile });
    await empty.graphql(tenant.agentKey, INGEST, { batch: { events: events(1) } });
    await until(
      async () => (await empty.get('/audit-log', tenant.key)).body.data,
      ({ checkpoint }) => checkpoint !== null,
    );
    const { isSound, findings, entries } = await asked(empty);
    expect([isSound, entries]).toEqual([false, 1]);
    expect(findings.filter(({ kind }: { kind: string }) => kind === 'inserted')).toHaveLength(40);
    await empty.service.close();
    await rm(dataDir, { recursive: true });
    await one.database.drop();
  });
});
