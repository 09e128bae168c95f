import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseNote } from '../../src/modules/evidence/checkpoint';
import { rootByInclusion } from '../../src/store/log/evidence/merkle';
import { isSignedBy } from '../../src/store/log/evidence/signed-note';
import { accessLog } from '../support/access-log';
import { runCli } from '../support/cli';
import { ENGINES, temporaryFolder } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';
import { flipped, unpacked } from './packages';
import { events, signed, verify } from './signed-tenant';

const PATH = '/api/v1/public/audit-activity/package';
const HUGE = `SELECT '${'é"\\'.repeat(90_000)}'`;
const PERIOD = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };

interface Refused {
  readonly error: { readonly message: string };
}

describe.each(ENGINES)('evidence packages of a service on %s', (engine) => {
  useLimits({ ...QUICK_LOG, checkpointMs: 1, packageEventsMax: 400, packageAskMs: 20 });
  const at = useWorld(engine);
  let tenant: TestTenant;
  let folder: string;
  let file: string;
  beforeAll(async () => {
    tenant = await at.world.tenant();
    folder = await temporaryFolder();
    file = path.join(folder, 'package.zip');
    await tenant.ingest([
      ...events(298),
      anEvent({ statement: HUGE, objectName: 'Huge', additional: { '2': 1, '10': 'x', sessionId: 5 } }),
      anEvent({ statement: null, objectName: '\u202e<script>alert(1)</script>', databaseName: 'Ünï' }),
    ]);
    await signed(tenant, 300);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const evidence = (...args: string[]) =>
    runCli(['evidence', 'package', '--service', at.world.service.url, '--out', file, ...args], {
      AUDIT_ACTIVITY_API_KEY: tenant.key,
    });
  const fetched = (key: string, query: Readonly<Record<string, string>> = {}) =>
    fetch(`${at.world.service.url}${PATH}?${new URLSearchParams(query)}`, { headers: { 'X-Api-Key': key } });

  it('answer HEAD with the type and the name that GET states, and nothing else', async () => {
    for (const method of ['HEAD', 'GET']) {
      const answer = await fetch(`${at.world.service.url}${PATH}`, {
        method,
        headers: { 'X-Api-Key': tenant.key },
      });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('Content-Type')).toBe('application/zip');
      expect(answer.headers.get('Content-Disposition')).toMatch(
        /^attachment; filename="audit-activity-evidence-\w+\.zip"$/,
      );
      expect((await answer.arrayBuffer()).byteLength > 0).toBe(method === 'GET');
    }
  });

  it('are written and verified from the command line', async () => {
    const made = await evidence(
      '--tenant',
      tenant.tenantId,
      '--from',
      PERIOD.from,
      '--to',
      PERIOD.to,
      '--reason',
      'case 7',
    );
    expect(made.error).toBeNull();
    const found = await verify(tenant, '--package', file, '--json');
    expect(found.error).toBeNull();
    const report = JSON.parse(found.lines[0] ?? '');
    expect(report).toMatchObject({
      isSound: true,
      events: 300,
      proven: 300,
      problems: [],
      notes: [],
      findings: [],
    });
    expect(report.manifest).toMatchObject({
      tenantId: tenant.tenantId,
      createdBy: 'test',
      question: { startTime: PERIOD.from, endTime: PERIOD.to, reason: 'case 7' },
      unproven: 0,
      log: { size: 300 },
    });
    const files = await unpacked(await readFile(file));
    const lines = await tenant.get('/audit-activity/export', { startTime: PERIOD.from });
    expect(String(files.get('events.ndjson'))).toBe(lines.text);
    expect(JSON.parse(String(files.get('gaps.json')))).toMatchObject({ gapCount: 0, gaps: [] });
    const text = await verify(tenant, '--package', file, '--public-key', report.keys[0]);
    expect(text.lines[0]).toContain('all 300 events are as they were accepted');
    expect(text.lines[0]).not.toContain('as the package states it');
  });

  it('are beside proofs of single events as tlog-proof files, which tools of others read', async () => {
    const { recordId } = (await tenant.get('/audit-activity', { pageSize: 1 })).body.data[0];
    const out = path.join(folder, 'event.tlog-proof');
    const ofKey = ['--service', at.world.service.url, '--out', out];
    const made = await runCli(['evidence', 'proof', recordId, ...ofKey, '--json'], {
      AUDIT_ACTIVITY_API_KEY: tenant.key,
    });
    expect(made.error).toBeNull();
    const text = await readFile(out, 'utf8');
    const [, index, lines, note = ''] =
      /^c2sp\.org\/tlog-proof@v1\nindex (0|[1-9]\d*)\n((?:[\w+/]{43}=\n)*)\n([\s\S]+)$/.exec(text) ?? [];
    const checkpoint = parseNote(note);
    const { proof } = (await tenant.get(`/audit-activity/${recordId}/proof`)).body.data;
    const hashes = (lines ?? '')
      .trim()
      .split('\n')
      .map((line) => Buffer.from(line, 'base64'));
    const leaf = Buffer.from(proof.leafHash, 'base64');
    expect(rootByInclusion(leaf, Number(index), checkpoint?.size ?? 0, hashes)).toEqual(checkpoint?.root);
    expect(isSignedBy((await tenant.get('/audit-log')).body.data.publicKey, note)).toBe(true);
    const unknown = '019638ac-eaee-8246-a524-3f486ad33b01';
    const none = await runCli(['evidence', 'proof', unknown, ...ofKey], {
      AUDIT_ACTIVITY_API_KEY: tenant.key,
    });
    expect(none.error).toContain('There is no such record.');
  });

  it('have the events of a filter, and name one that was altered', async () => {
    await evidence('--filter', 'objectName:Huge');
    expect((await verify(tenant, '--package', file)).error).toBeNull();
    const files = await unpacked(await readFile(file));
    const line = String(files.get('events.ndjson'));
    const { recordId } = JSON.parse(line);
    await flipped(file, files, 'events.ndjson', Buffer.from(line).indexOf('Huge'));
    const found = await verify(tenant, '--package', file);
    expect(found.lines[0]).toContain(`${recordId}  altered: it is not what was accepted`);
    expect(found.error).toContain('The package is not as it was signed.');
    await writeFile(file, 'PK');
    expect((await verify(tenant, '--package', file)).error).toContain('it is no zip file');
  });

  it('are whole where their period goes beyond the times that texts can state', async () => {
    const [startTime, endTime] = ['0000-01-01T00:00:00+12:00', '9999-12-31T23:59:59-12:00'];
    const answer = await fetched(tenant.key, { startTime, endTime, filter: 'objectName:Huge' });
    const files = await unpacked(Buffer.from(await answer.arrayBuffer()));
    expect(JSON.parse(String(files.get('manifest.json')))).toMatchObject({ events: 1 });
  });

  it('wait for the checkpoint of events that were just accepted', async () => {
    const other = await at.world.tenant();
    await other.ingest(events(3));
    const answer = await fetched(other.key);
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'application/zip']);
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    const { lines } = await verify(other, '--package', file, '--json');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ isSound: true, proven: 3 });
  });

  it('leave an entry in the access log, and are bounded as exports are', async () => {
    const [one, other] = await Promise.all([fetched(tenant.key), fetched(tenant.key)]);
    const statuses = [one.status, other.status].sort();
    await Promise.all([one.arrayBuffer(), other.arrayBuffer()]);
    expect([
      [200, 429],
      [200, 200],
    ]).toContainEqual(statuses);
    const entries = await until(
      () => accessLog(at.world, { operation: 'makeEvidencePackage', tenantId: tenant.tenantId }),
      (found) => found.some(({ rows }) => rows === 300),
    );
    expect(entries).toContainEqual(
      expect.objectContaining({ keyId: tenant.keyId, entrance: 'rest', outcome: 'ok', rows: 300 }),
    );
  });

  it('are refused for other tenants, for wrong parameters, and for too many events', async () => {
    const other = await at.world.tenant();
    const ask = async (key: string, query: Readonly<Record<string, string>>) => {
      const answer = await fetched(key, query);
      return [answer.status, ((await answer.json()) as Refused).error.message];
    };
    expect(await ask(other.key, { tenantId: tenant.tenantId })).toEqual([404, 'There is no such tenant.']);
    expect(await ask(tenant.key, { filter: 'nope:1', pageSize: '3', reason: 'x'.repeat(513) })).toEqual([
      400,
      expect.stringMatching(/nope.*pageSize|pageSize.*nope/s),
    ]);
    expect((await fetched('none')).status).toBe(401);
    const agent = await fetched(tenant.agentKey);
    expect(agent.status).toBe(403);
    const both = await at.world.key({ tenantIds: [tenant.tenantId, other.tenantId] });
    await other.ingest(events(2));
    await signed(other, 2);
    const own = await fetched(both.key, { tenantId: other.tenantId });
    const files = await unpacked(Buffer.from(await own.arrayBuffer()));
    const lines = String(files.get('events.ndjson')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).tenantId)).toEqual([other.tenantId, other.tenantId]);
    expect(await ask(both.key, {})).toEqual([400, 'tenantId must be given: the key reads several tenants.']);
    await other.ingest(events(401));
    expect(await ask(other.key, {})).toEqual([
      400,
      'A package has at most 400 events. Give a shorter period, or a filter.',
    ]);
    const refused = await runCli(
      ['evidence', 'package', '--service', at.world.service.url, '--out', `${file}2`],
      {
        AUDIT_ACTIVITY_API_KEY: other.key,
      },
    );
    expect(refused.error).toContain('A package has at most 400 events');
    await expect(readFile(`${file}2`)).rejects.toThrow('ENOENT');
    await expect(readFile(`${file}2.part`)).rejects.toThrow('ENOENT');
  });

  it('of a tenant that masks its statements need the scope unmask, and the unmasking is in the access log', async () => {
    const masks = await at.world.tenant();
    await masks.ingest(events(2));
    await signed(masks, 2);
    await at.world.operate(
      'mutation($id: String!) { setTenantMasking(tenantId: $id, masksStatements: true) { tenantId } }',
      { id: masks.tenantId },
    );
    const refused = await until(
      () => fetched(masks.key),
      ({ status }) => status === 403,
    );
    expect(((await refused.json()) as Refused).error.message).toContain('needs a key with the scope unmask');
    const scopes = ['read:audit-activity', 'unmask'];
    const { key, keyId } = await at.world.key({ tenantIds: [masks.tenantId], scopes });
    await writeFile(file, Buffer.from(await (await fetched(key)).arrayBuffer()));
    expect((await verify(masks, '--package', file)).error).toBeNull();
    await until(
      () => accessLog(at.world, { operation: 'unmaskStatements', keyId }),
      (entries) => entries.some(({ parameters }) => parameters.includes('makeEvidencePackage')),
    );
  });
});
