import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { parseNote } from '../../src/modules/evidence/checkpoint';
import { CHECKPOINT_KEY_FILE } from '../../src/modules/evidence/checkpoint-key-file';
import { rootsAt } from '../../src/modules/evidence/verify/checkpoints';
import { isConsistent, rootByInclusion } from '../../src/trail/evidence/merkle';
import { type CliOutcome, runCli } from '../support/cli';
import { describeOnPostgres, ENGINES, temporaryFolder } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import { INGEST, type TestTenant, World } from '../support/world';

const CHECK = `query($tenantId: String!, $start: Int!) { auditLogCheck(tenantId: $tenantId, start: $start) {
  from next signed unsigned sound removed removedByRetention altered missing wrong problems } }`;

/** Waits until a checkpoint signs this many entries. */
const signed = (tenant: TestTenant, size: number) =>
  until(
    async () => (await tenant.get('/audit-log')).body.data,
    ({ checkpoint }) => checkpoint !== null && parseNote(checkpoint)?.size === size,
  );
const events = (n: number) =>
  Array.from({ length: n }, (_, i) =>
    anEvent({ statement: `SELECT '${i}' AS "é" -- ${'x'.repeat(i % 50)}` }),
  );
const verify = (tenant: TestTenant, ...args: string[]): Promise<CliOutcome> =>
  runCli(['verify', '--url', tenant.world.service.url, ...args], { AUDIT_ACTIVITY_API_KEY: tenant.key });

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

describeOnPostgres('a change in the database behind the service', () => {
  // A log is signed at once the first time, and not again while a test looks at it.
  useLimits({ ...QUICK_LOG, checkpointMs: 3_600_000 });
  const at = useWorld('postgresql');
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase(at.world.database);
  });
  afterAll(() => database.close());

  async function filled(): Promise<{ tenant: TestTenant; ids: string[] }> {
    const tenant = await at.world.tenant();
    await tenant.ingest(events(40));
    await signed(tenant, 40);
    const rows = await database.migrator.$queryRawUnsafe<{ id: string }[]>(
      'SELECT record_id::text AS id FROM audit_event WHERE tenant_id = $1::int ORDER BY record_id',
      Number(tenant.tenantId),
    );
    return { tenant, ids: rows.map(({ id }) => id) };
  }
  const change = (tenant: TestTenant, sql: string, id = '') =>
    database.migrator.$executeRawUnsafe(
      sql.replace('$1', `${tenant.tenantId}`).replace('$2', `'${id}'::uuid`),
    );
  async function found(tenant: TestTenant, ...args: string[]) {
    const { lines, error } = await verify(tenant, '--json', '--wait', '0', ...args);
    const { findings, problems, unjudged } = JSON.parse(lines[0] ?? '{}');
    const first = findings?.[0] && [findings[0].kind, findings[0].recordId];
    return { error, first, findings, problems, unjudged };
  }

  it.each([
    ["statement = statement || ' '"],
    ['succeeded = NOT succeeded'],
    [`additional = additional || '{"sessionId": 56}'`],
    [`client_ip = ''`],
    [`source_type = 'Other'`],
  ])('is found by verify, with the first record: UPDATE … SET %s', async (set) => {
    const { tenant, ids } = await filled();
    for (const id of [ids[9], ids[5]])
      await change(tenant, `UPDATE audit_event SET ${set} WHERE tenant_id = $1 AND record_id = $2`, id);
    const { error, first } = await found(tenant);
    expect([error, first]).toEqual([
      expect.stringContaining('not as they were accepted'),
      ['altered', ids[5]],
    ]);
  });

  it('is found by verify, with the first record: DELETE', async () => {
    const { tenant, ids } = await filled();
    await change(tenant, 'DELETE FROM audit_event WHERE tenant_id = $1 AND record_id = $2', ids[3]);
    expect((await found(tenant)).first).toEqual(['missing', ids[3]]);
  });

  it('is found by verify, with the first record: INSERT, and an event moved to another tenant', async () => {
    const { tenant, ids } = await filled();
    const other = await filled();
    const id = '019b8d0e-1c00-8000-8000-000000000001';
    const columns = `succeeded, action_id, server_instance_name, database_name, schema_name, object_name,
      server_principal_name, database_principal_name, application_name, host_name, client_ip, source_type, statement,
      additional, search_text`;
    await change(
      tenant,
      `INSERT INTO audit_event (tenant_id, record_id, ${columns}) SELECT tenant_id, '${id}', ${columns} FROM audit_event
       WHERE tenant_id = $1 AND record_id = $2`,
      ids[0],
    );
    expect((await found(tenant)).first).toEqual(['inserted', id]);
    await change(
      other.tenant,
      `UPDATE audit_event SET tenant_id = ${tenant.tenantId} WHERE tenant_id = $1 AND record_id = $2`,
      other.ids[0],
    );
    expect((await found(other.tenant)).first).toEqual(['missing', other.ids[0]]);
  });

  it("is found by an operator's check too, span by span, without an event in the answer", async () => {
    const check = async ({ tenantId }: TestTenant, start = 0) =>
      (await at.world.operate(CHECK, { tenantId, start })).auditLogCheck;
    const tenant = await at.world.tenant();
    await tenant.ingest(events(300));
    await signed(tenant, 300);
    const sound = {
      ...{ from: 0, next: 300, signed: 300, unsigned: 0, sound: 300 },
      removed: 0,
      wrong: 0,
      problems: [],
    };
    const nothing = { altered: [], missing: [], removedByRetention: 0 };
    expect(await check(tenant)).toEqual({ ...sound, ...nothing });
    expect(await check(tenant, 290)).toMatchObject({ from: 290, next: 300, sound: 10, problems: [] });
    expect(await check(tenant, 300)).toMatchObject({ next: 300, signed: 300, sound: 0, problems: [] });
    const [first, second] = (await tenant.get('/audit-activity', { pageSize: 2 })).body.data;
    await change(
      tenant,
      `UPDATE audit_event SET host_name = 'x' WHERE tenant_id = $1 AND record_id = $2`,
      first.recordId,
    );
    await change(tenant, 'DELETE FROM audit_event WHERE tenant_id = $1 AND record_id = $2', second.recordId);
    expect(await check(tenant)).toMatchObject({
      ...{ sound: 298, altered: [first.recordId], missing: [second.recordId], wrong: 2, problems: [] },
    });
    // Readers skip rows that are listed as gone, but the check does not.
    await change(tenant, 'INSERT INTO audit_log_gone (tenant_id, position) VALUES ($1, 300)');
    expect(await check(tenant)).toMatchObject({ next: 300, sound: 298, altered: [first.recordId], wrong: 2 });
    await change(
      tenant,
      `UPDATE audit_log_tile SET hashes = set_byte(hashes, 170, (get_byte(hashes, 170) + 1) % 256)
       WHERE tenant_id = $1 AND level = 0 AND tile = 0`,
    );
    expect((await check(tenant)).problems).toEqual([
      'Tile 0 of level 0 of the log is not what the level above states.',
    ]);
    await change(
      tenant,
      `UPDATE audit_log_tile SET hashes = set_byte(hashes, 5, (get_byte(hashes, 5) + 1) % 256)
       WHERE tenant_id = $1 AND level = 1`,
    );
    expect((await check(tenant, 299)).problems).toEqual([
      expect.stringMatching(/^The log is not the one that checkpoint \d+ signs\.$/),
    ]);
    await change(tenant, 'DELETE FROM audit_log_tile WHERE tenant_id = $1 AND level = 0 AND tile = 1');
    expect((await check(tenant, 260)).problems).toContain(
      '40 entries of the log are not there any more, the first at 260.',
    );
    const other = await at.world.tenant();
    expect(await check(other)).toMatchObject({ next: 0, signed: 0, unsigned: 0, sound: 0, problems: [] });
  });

  it("is no verdict of an operator's check while nobody has signed what is in the log", async () => {
    const { tenant } = await filled();
    await tenant.ingest(events(3));
    const check = async () =>
      (await at.world.operate(CHECK, { tenantId: tenant.tenantId, start: 0 })).auditLogCheck;
    await until(
      async () => (await tenant.get('/audit-log')).body.data,
      ({ size }) => size === 43,
    );
    expect(await check()).toMatchObject({ signed: 40, sound: 40, problems: [], unsigned: 3 });
    const { findings, problems, unjudged } = await found(tenant);
    expect([findings, unjudged, problems]).toEqual([
      [],
      3,
      [expect.stringContaining('3 events are not signed yet')],
    ]);
    expect((await verify(tenant, '--wait', '0')).lines[0]).toContain('NO VERDICT on 3 of 43 events');
  });

  it('is found by verify: a changed hash of an upper level', async () => {
    const tenant = await at.world.tenant();
    await tenant.ingest(events(800));
    await signed(tenant, 800);
    expect(await found(tenant)).toMatchObject({ error: null, problems: [] });
    for (const [at, from] of [
      [0, 257],
      [40, 1],
      [70, 1],
    ] as const) {
      const flip = `UPDATE audit_log_tile SET hashes = set_byte(hashes, ${at}, 255 - get_byte(hashes, ${at}))
        WHERE tenant_id = $1 AND level = 1`;
      await change(tenant, flip);
      expect(await found(tenant)).toMatchObject({
        error: expect.stringContaining('are not as they were accepted'),
        problems: [expect.stringContaining(`its 800 entries begin with the first ${at === 0 ? 1 : from}: `)],
      });
      await change(tenant, flip);
    }
    await change(tenant, 'DELETE FROM audit_log_tile WHERE tenant_id = $1 AND level = 1');
    expect((await found(tenant)).problems).toEqual([expect.stringContaining('the service does not prove')]);
  });

  it('is found in the log itself: a changed hash, record id or checkpoint, and a removed checkpoint', async () => {
    const flip = (column: string) =>
      `${column} = set_byte(${column}, 170, (get_byte(${column}, 170) + 1) % 256)`;
    const hash = await filled();
    await change(
      hash.tenant,
      `UPDATE audit_log_tile SET ${flip('hashes')} WHERE tenant_id = $1 AND level = 0`,
    );
    const { first, problems } = await found(hash.tenant);
    expect(first?.[0]).toBe('log changed');
    expect(problems[0]).toContain('entries 0 to 39');
    const id = await filled();
    await change(
      id.tenant,
      `UPDATE audit_log_tile SET ${flip('record_ids')} WHERE tenant_id = $1 AND level = 0`,
    );
    expect((await found(id.tenant)).first).toEqual(['log changed', id.ids[10]]);
    const note = await filled();
    await change(
      note.tenant,
      `UPDATE audit_log_checkpoint SET note = replace(note, E'\\n40\\n', E'\\n39\\n') WHERE tenant_id = $1`,
    );
    expect((await found(note.tenant)).problems).toContain('checkpoint 1 is not signed by the trusted key');
    const kept = path.join(await temporaryFolder(), 'kept');
    const gone = await filled();
    await verify(gone.tenant, '--save-checkpoint', kept);
    await change(gone.tenant, 'DELETE FROM audit_log_checkpoint WHERE tenant_id = $1');
    expect((await found(gone.tenant, '--checkpoint', kept)).problems).toEqual(
      expect.arrayContaining([expect.stringContaining('its end was taken away'), 'there is no checkpoint']),
    );
    await rm(path.dirname(kept), { recursive: true });
  });

  it.each([
    [
      'the last hashes cut off',
      'UPDATE audit_log_tile SET hashes = substr(hashes, 1, 320) WHERE tenant_id = $1 AND level = 0',
      10,
    ],
    [
      'the last record ids cut off',
      'UPDATE audit_log_tile SET record_ids = substr(record_ids, 1, 160) WHERE tenant_id = $1',
      10,
    ],
    ['all of them', 'DELETE FROM audit_log_tile WHERE tenant_id = $1', 0],
  ])(
    'is found in the log itself: %s; verify names the missing entries, and judges the others',
    async (_, sql, from) => {
      const { tenant } = await filled();
      await change(tenant, sql);
      const { error, problems, first, unjudged } = await found(tenant);
      expect(problems).toContain(`${40 - from} entries of the log are not there any more: ${from} to 39`);
      expect([first, unjudged]).toEqual([undefined, 40 - from]);
      expect(error).toContain(`${40 - from} of 40 events could not be judged`);
    },
  );

  it("is found in the log itself: another tenant's hashes; no accepted event then counts as inserted", async () => {
    const [{ tenant }, other] = [await filled(), await filled()];
    await change(tenant, 'DELETE FROM audit_log_tile WHERE tenant_id = $1');
    await change(
      other.tenant,
      `UPDATE audit_log_tile SET tenant_id = ${tenant.tenantId} WHERE tenant_id = $1`,
    );
    const { findings, problems, unjudged } = await found(tenant);
    expect(problems).toContainEqual(expect.stringContaining('are not those of checkpoint 1'));
    expect([new Set(findings.map(({ kind }: { kind: string }) => kind)), unjudged]).toEqual([
      new Set(['missing']),
      40,
    ]);
  });

  it("is found in the log itself: another tenant's checkpoints", async () => {
    const [{ tenant }, other] = [await filled(), await filled()];
    await change(tenant, 'DELETE FROM audit_log_checkpoint WHERE tenant_id = $1');
    await change(
      other.tenant,
      `UPDATE audit_log_checkpoint SET tenant_id = ${tenant.tenantId} WHERE tenant_id = $1`,
    );
    expect(await found(tenant)).toMatchObject({
      problems: expect.arrayContaining(["checkpoint 1 is another tenant's"]),
      ...{ first: undefined, unjudged: 40 },
    });
  });

  it('is named when a proof is asked for', async () => {
    const { tenant, ids } = await filled();
    await change(tenant, 'UPDATE audit_log_tile SET hashes = substr(hashes, 1, 320) WHERE tenant_id = $1');
    const gone = 'the log has no hashes where tile 0 of level 0 should have them';
    for (const path of [`/audit-activity/${ids[3]}/proof`, '/audit-log/consistency?from=20&to=40']) {
      const { status, body } = await tenant.world.get(path, tenant.key);
      expect([status, body.error.code]).toEqual([500, 'internal_error']);
      expect(body.error.message).toContain(gone);
    }
  });

  it('is found in the log itself: a missing tile in the middle, and all other entries are judged', async () => {
    const tenant = await at.world.tenant();
    await tenant.ingest(events(800));
    await signed(tenant, 800);
    await change(tenant, 'DELETE FROM audit_log_tile WHERE tenant_id = $1 AND level = 0 AND tile = 1');
    expect(await found(tenant)).toMatchObject({
      problems: expect.arrayContaining(['256 entries of the log are not there any more: 256 to 511']),
      ...{ first: undefined, unjudged: 256 },
    });
  });

  it('is found when the whole log is removed, and verify then gives no verdict on events', async () => {
    const { tenant } = await filled();
    const key =
      (await runCli(['verify', '--show-key'], { DATA_DIR: at.world.database.dataDir })).lines[0] ?? '';
    for (const table of ['head', 'tile', 'place', 'checkpoint'])
      await change(tenant, `DELETE FROM audit_log_${table} WHERE tenant_id = $1`);
    await until(
      async () => (await tenant.get('/audit-log')).body.data.problem,
      (problem) => problem !== null,
    );
    const { problems, first, unjudged } = await found(tenant, '--public-key', key);
    expect([first, unjudged]).toEqual([undefined, 40]);
    expect(problems).toEqual(
      expect.arrayContaining([expect.stringContaining('was set back or replaced'), 'there is no checkpoint']),
    );
    expect((await at.world.fetch('/health')).text).toContain('Degraded');
    const { lines } = await verify(tenant, '--wait', '0');
    expect(lines[0]).toContain('NO VERDICT on 40 of 40 events');
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
      await database.migrator.$executeRawUnsafe(`DELETE FROM audit_log_${table}`);
    await database.migrator.$executeRawUnsafe(`UPDATE audit_event SET statement = 'SELECT 1'`);
    await database.migrator.$executeRawUnsafe(`INSERT INTO audit_log_backlog SELECT DISTINCT tenant_id, hour,
      (lpad(to_hex(hour::bigint * 3600000), 12, '0') || '80008000000000000000')::uuid FROM audit_delta`);
    await database.close();
    const asked = async (world: World) => {
      const { lines } = await runCli(
        ['verify', '--url', world.service.url, '--public-key', key, '--json', '--wait', '0'],
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
