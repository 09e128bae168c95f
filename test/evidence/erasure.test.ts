import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { accessLog } from '../support/access-log';
import { runCli } from '../support/cli';
import { ENGINES, temporaryFolder } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';
import { signed, verify } from './signed-tenant';

const CHECK = `query($tenantId: String!) { auditLogCheck(tenantId: $tenantId, start: 0) {
  signed sound removed erased altered missing problems } }`;
const WEEK = '2026-01-05T00:00:00.000Z';
/** It stands in statements and names of the erased events, and nowhere else. */
const NEEDLE = 'Kellermann';

describe.each(ENGINES)('an erasure on %s', (engine) => {
  useLimits({
    ...QUICK_LOG,
    checkpointMs: 1,
    erasureMs: 100,
    erasureStepEvents: 3,
    archiveAnnounceMs: 0,
    foldMs: 50,
    foldRestMs: 0,
    indexMs: 50,
    indexQuietMs: 0,
    indexLiveQuietMs: 0,
  });
  const at = useWorld(engine);
  let tenant: TestTenant;
  /** It has events of the same names. */
  let other: TestTenant;
  let folder: string;
  beforeAll(async () => {
    tenant = await at.world.tenant();
    other = await at.world.tenant('Other');
    folder = await temporaryFolder();
  });

  /** The tables with a text in rows of any tenant but the other one, and the names of files with it. */
  async function placesOf(text: string): Promise<string[]> {
    const inFiles: string[] = [];
    const { dataDir } = at.world.database;
    for (const entry of await readdir(path.join(dataDir, 'archive'), {
      recursive: true,
      withFileTypes: true,
    }))
      if (entry.isFile() && (await readFile(path.join(entry.parentPath, entry.name))).includes(text))
        inFiles.push(entry.name);
    return [...inFiles, ...(engine === 'postgresql' ? await inTables(text) : [])];
  }

  async function inTables(text: string): Promise<string[]> {
    let database: Database | null = null;
    try {
      database = await openDatabase(at.world.database);
      const { models } = database.migrator;
      const tables = await models.$queryRawUnsafe<{ name: string }[]>(
        `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
         WHERE s.nspname = 'public' AND c.relkind = 'r' AND c.relname <> 'access_log'`,
      );
      const found: string[] = [];
      for (const { name } of tables) {
        const rows = await models.$queryRawUnsafe<{ n: number }[]>(
          `SELECT count(*)::int AS n FROM ${name} t WHERE (position(lower($1) IN lower(t::text)) > 0
            OR position(encode(convert_to($1, 'UTF8'), 'hex') IN t::text) > 0)
            AND coalesce(to_jsonb(t) ->> 'tenant_id', '') <> $2`,
          ...[text, other.tenantId],
        );
        if ((rows[0]?.n ?? 0) > 0) found.push(name);
      }
      return found;
    } finally {
      await database?.close();
    }
  }
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The embedded engine lets nobody else in. */
  const openSecond = async () => (engine === 'postgresql' ? openDatabase(at.world.database) : null);

  const run = (...args: string[]) =>
    runCli(
      [
        ...args,
        '--tenant',
        tenant.tenantId,
        '--service',
        at.world.service.url,
        '--operator-key',
        at.world.operatorKey,
      ],
      {},
    );
  const count = async (query: object = {}) =>
    (await tenant.get('/audit-activity', { pageSize: 1, ...query })).body.meta.totalCount as number;
  const sent = Array.from({ length: 40 }, (_, i) =>
    anEvent({
      eventTime: `2026-01-${String(5 + (i % 10)).padStart(2, '0')}T08:00:00.${String(i).padStart(7, '0')}Z`,
      ...(i % 4 === 1
        ? { statement: `SELECT '${NEEDLE}' -- ${i}`, serverPrincipalName: `CORP\\${NEEDLE}` }
        : { statement: `SELECT ${i}` }),
    }),
  );
  const FILTER = `principalName:"CORP\\${NEEDLE}"`;

  it('says how many events it would erase, and refuses another number, all events and unknown tenants', async () => {
    await tenant.ingest(sent);
    await signed(tenant, 40);
    const preview = await run('erase', '--filter', FILTER, '--dry-run', '--json');
    expect(preview).toEqual({
      lines: [JSON.stringify({ tenantId: tenant.tenantId, events: 10 })],
      error: null,
    });
    const refused = await run('erase', '--filter', FILTER, '--reason', 'a request', '--events', '9');
    expect(refused.error).toContain('finds 10 events, and 9 were confirmed');
    const all = await run('erase', '--reason', 'a request', '--yes');
    expect(all.error).toContain('all events of the tenant');
    const hold = await run(
      'hold',
      'create',
      '--filter',
      'statement:"-- 5"',
      '--reason',
      'case 4711',
      '--json',
    );
    const held = await run('erase', '--filter', FILTER, '--reason', 'a request', '--yes');
    expect(held.error).toContain('Legal holds keep 1 of these 10 events');
    const { holdId } = JSON.parse(hold.lines[0] ?? '');
    const ofService = ['--service', at.world.service.url, '--operator-key', at.world.operatorKey];
    expect((await runCli(['hold', 'end', holdId, '--reason', 'over', ...ofService], {})).error).toBeNull();
    const unasked = await run('erase', '--filter', FILTER, '--reason', 'a request');
    expect(unasked.error).toContain('--yes');
    const stranger = await at.world.tenant('Stranger');
    for (const [key, field] of [
      [stranger.key, `erasures(tenantId: "${tenant.tenantId}") { reason }`],
      [stranger.key, `erasurePreview(tenantId: "${tenant.tenantId}", erased: { search: "x" }) { events }`],
      [tenant.key, `erasures(tenantId: "${tenant.tenantId}") { reason }`],
    ] as const) {
      const { body } = await at.world.graphql(key, `{ ${field} }`);
      expect(body.errors[0].extensions.code).toBe('forbidden');
    }
    const erase = `mutation { eraseEvents(tenantId: "${tenant.tenantId}", erased: { filter: "actionId:X" },
      reason: "r", events: 1) { erasureId } }`;
    const { body } = await at.world.graphql(tenant.key, erase);
    expect(body.errors[0].extensions.code).toBe('forbidden');
    expect(await count()).toBe(40);
  });

  it('leaves nothing of the events, in rows, files, counts and the access log, and verifies', async () => {
    const sealed = await until(
      async () =>
        JSON.parse(
          (
            await runCli(
              [
                ...['archive', 'run', tenant.tenantId, '--week', WEEK],
                ...['--service', at.world.service.url, '--operator-key', at.world.operatorKey, '--json'],
              ],
              {},
            )
          ).lines[0] ?? '{}',
        ),
      ({ outcome }) => outcome !== 'waits',
    );
    expect(sealed).toMatchObject({ outcome: 'sealed' });
    const before = path.join(folder, 'before');
    const kept = path.join(folder, 'last.txt');
    const first = await verify(tenant, '--save', before, '--save-checkpoint', kept);
    expect(first.error).toBeNull();

    const [erasedEvent] = (await tenant.get('/audit-activity', { filter: FILTER, pageSize: 1 })).body.data;
    const begun20 = await tenant.get('/audit-activity/tail', { from: 'beginning', limit: 20 });
    await other.ingest(sent.slice(0, 8));
    expect((await placesOf(NEEDLE)).length).toBeGreaterThan(0);
    const begun = await run('erase', '--filter', FILTER, '--reason', 'case 7', '--yes', '--json');
    expect(begun.error).toBeNull();
    const [erasure] = await until(
      async () => JSON.parse((await run('erasures', '--json')).lines[0] ?? '[]'),
      ([{ endedAt }]) => endedAt !== null,
    );
    expect(erasure).toMatchObject({ events: 10, reason: 'case 7', problem: null });

    expect(await placesOf(NEEDLE)).toEqual([]);
    expect(await placesOf(erasedEvent.recordId)).toEqual([]);
    expect(await count()).toBe(30);
    expect([await count({ filter: FILTER }), await count({ search: NEEDLE.toLowerCase() })]).toEqual([0, 0]);
    expect((await tenant.get('/audit-activity/summary')).body.data.totalCount ?? 30).toBe(30);
    const { lines, error } = await verify(tenant, '--checkpoint', kept, '--json');
    expect(error).toBeNull();
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      isSound: true,
      events: 30,
      entries: 42,
      erased: 10,
      erasures: [{ events: 10, reason: 'case 7' }],
      findings: [],
      problems: [],
    });
    const text = await verify(tenant, '--checkpoint', kept);
    expect(text.lines[0]).toMatch(
      /10 of them without their event: erased\n {2}erased .*: 10 events, by .*: case 7/,
    );
    const { auditLogCheck } = await at.world.operate(CHECK, { tenantId: tenant.tenantId });
    expect(auditLogCheck).toMatchObject({
      sound: 31,
      erased: 11,
      removed: 0,
      missing: [],
      altered: [],
      problems: [],
    });
    const tail = await tenant.get('/audit-activity/tail', { from: 'beginning', limit: 100 });
    expect(tail.body.data).toHaveLength(30);
    // A reader of the tail goes on from where it was, with what is left.
    const cursor = begun20.body.meta.nextCursor;
    const rest = await tenant.get('/audit-activity/tail', { cursor, limit: 100 });
    const read = [...begun20.body.data, ...rest.body.data].map(({ statement }) => statement);
    const left = sent.map(({ statement }) => statement).filter((text) => !text?.includes(NEEDLE));
    expect(rest.body.meta.caughtUp).toBe(true);
    expect(read.filter((text) => !text.includes(NEEDLE)).sort()).toEqual(left.sort());
    const { body, text: exported } = await at.world.fetch(
      '/api/v1/public/audit-activity/export?format=ndjson',
      {
        headers: { 'X-Api-Key': tenant.key },
      },
    );
    expect([body, exported.includes(NEEDLE), exported.trim().split('\n')]).toEqual([
      null,
      false,
      expect.any(Array),
    ]);
    expect((await other.get('/audit-activity', { filter: FILTER })).body.meta.totalCount).toBe(2);

    // What people asked for before stays in the access log; the erasure itself adds nothing of the events.
    const entries = (await accessLog(at.world)).filter(({ operation }) => /^eras/.test(operation));
    expect(
      entries.filter(({ operation, outcome }) => operation === 'eraseEvents' && outcome === 'ok'),
    ).toHaveLength(2);
    expect(entries.filter(({ parameters }) => parameters.includes(NEEDLE))).toEqual([]);
  });

  it('does not cover for an event that is gone without it, nor for one that is said to be erased in the database', async () => {
    const database = await openSecond();
    if (!database) return;
    try {
      const { models } = database.migrator;
      const found = await models.$queryRawUnsafe<{ id: string }[]>(
        `DELETE FROM audit_event WHERE record_id IN (
           SELECT record_id FROM audit_event WHERE tenant_id = $1::int LIMIT 1) AND tenant_id = $1::int
         RETURNING record_id::text AS id`,
        Number(tenant.tenantId),
      );
      const [{ entry }] = (await models.$queryRawUnsafe('SELECT entry FROM audit_erasure LIMIT 1')) as [
        { entry: string },
      ];
      const widened = JSON.stringify(JSON.parse(entry).with(-1, [[0, 40]]));
      await models.$executeRawUnsafe('UPDATE audit_erasure SET entry = $1', widened);
      const { lines } = await verify(tenant, '--json');
      const report = JSON.parse(lines[0] ?? '');
      expect(report.isSound).toBe(false);
      expect(report.findings).toContainEqual(
        expect.objectContaining({ kind: 'missing', recordId: found[0]?.id }),
      );
      await models.$executeRawUnsafe('UPDATE audit_erasure SET entry = $1', entry);
      const again = JSON.parse((await verify(tenant, '--json')).lines[0] ?? '');
      expect(again.findings).toEqual([expect.objectContaining({ kind: 'missing', recordId: found[0]?.id })]);
    } finally {
      await database.close();
    }
  });
});
