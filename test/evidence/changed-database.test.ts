import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { CHECKPOINT_KEY_FILE } from '../../src/modules/evidence/checkpoint-key-file';
import { GoneSeal } from '../../src/store/log/arrivals/gone-seal';
import { CheckpointKey } from '../../src/store/log/evidence/note-key';
import { runCli } from '../support/cli';
import { describeOnPostgres, temporaryFolder } from '../support/engines';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import { type TestTenant } from '../support/world';
import { events, signed, verify } from './signed-tenant';

const CHECK = `query($tenantId: String!, $start: Int!) { auditLogCheck(tenantId: $tenantId, start: $start) {
  from next signed unsigned sound removed removedByRetention altered missing wrong problems } }`;

describeOnPostgres('a change in the database behind the service', () => {
  // A log is signed at once the first time, and not again while a test looks at it. Nor is looked for what is gone.
  useLimits({ ...QUICK_LOG, checkpointMs: 3_600_000, goneBeginningMs: 3_600_000 });
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
    const rows = await database.migrator.models.$queryRawUnsafe<{ id: string }[]>(
      'SELECT record_id::text AS id FROM audit_event WHERE tenant_id = $1::int ORDER BY record_id',
      Number(tenant.tenantId),
    );
    return { tenant, ids: rows.map(({ id }) => id) };
  }
  const change = (tenant: TestTenant, sql: string, id = '') =>
    database.migrator.models.$executeRawUnsafe(
      sql.replace('$1', `${tenant.tenantId}`).replace('$2', `'${id}'::uuid`),
    );
  async function found(tenant: TestTenant, ...args: string[]) {
    const { lines, error } = await verify(tenant, '--json', '--wait', '0', ...args);
    const { findings, problems, unjudged } = JSON.parse(lines[0] ?? '{}');
    const first = findings?.[0] && [findings[0].kind, findings[0].recordId];
    return { error, first, findings, problems, unjudged };
  }

  it('is red in a package that is made afterwards', async () => {
    const { tenant, ids } = await filled();
    await change(
      tenant,
      "UPDATE audit_event SET action_id = 'DL' WHERE tenant_id = $1 AND record_id = $2",
      ids[9],
    );
    const folder = await temporaryFolder();
    const file = path.join(folder, 'package.zip');
    const { url } = at.world.service;
    await runCli(['evidence', 'package', '--service', url, '--out', file], {
      AUDIT_ACTIVITY_API_KEY: tenant.key,
    });
    const { lines } = await verify(tenant, '--package', file, '--json');
    await rm(folder, { recursive: true });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      isSound: false,
      proven: 39,
      problems: [],
      findings: [{ recordId: ids[9], problem: 'altered: it is not what was accepted' }],
    });
  });

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
      from: 0,
      next: 300,
      signed: 300,
      unsigned: 0,
      sound: 300,
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
      sound: 298,
      altered: [first.recordId],
      missing: [second.recordId],
      wrong: 2,
      problems: [],
    });
    // The check looks at what readers pass too.
    const key = CheckpointKey.ofPem(
      await readFile(path.join(at.world.database.dataDir, CHECKPOINT_KEY_FILE), 'utf8'),
    );
    const mac = new GoneSeal([key]).seal(Number(tenant.tenantId), 300).toString('hex');
    await change(
      tenant,
      `INSERT INTO audit_log_gone (tenant_id, position, key_id, mac) VALUES ($1, 300, '${key.keyId}', '\\x${mac}')`,
    );
    expect(await check(tenant)).toMatchObject({
      next: 300,
      sound: 298,
      altered: [first.recordId],
      wrong: 2,
      problems: ['Readers pass the first 300 entries as removed, and events of these are there.'],
    });
    await change(tenant, 'UPDATE audit_log_gone SET mac = NULL WHERE tenant_id = $1');
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
      first: undefined,
      unjudged: 40,
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
      first: undefined,
      unjudged: 256,
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
