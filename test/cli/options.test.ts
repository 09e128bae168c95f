import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { newKey } from '../../src/caller/key-format';
import { createProgram } from '../../src/cli/commands';
import { LIMITS } from '../../src/limits';
import { runCli } from '../support/cli';
import { temporaryFolder } from '../support/engines';
import { expectAsIn } from '../support/expected-file';
import { type Asked, askedBy, madeUpAnswer } from '../support/made-up-answers';

const SECRET_OPTIONS =
  '--header A:1 --header B:2 --token t1 --api-key k1 --username u --password p1 --access-key-id i1 ' +
  '--secret-access-key s1 --session-token t2 --client-certificate-file FILE --client-key-file FILE --client-secret c1';
const SECRETS = {
  token: 't1',
  apiKey: 'k1',
  username: 'u',
  password: 'p1',
  accessKeyId: 'i1',
  secretAccessKey: 's1',
  sessionToken: 't2',
  clientCertificate: 'content',
  clientKey: 'content',
  clientSecret: 'c1',
  headers: { A: '1', B: '2' },
};

const PACKAGE_BYTES = Buffer.from('// audit-agent 1.2.3 build 4\n');
const SIGNATURE = `${'A'.repeat(86)}==`;

/** What each command asks of the service: with every option, and where that differs, with none. */
const CASES: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  [
    'access-log --tenant 7 --key k --operation auditEvents --outcome ok --since 2026-01-02T03:04:05Z --limit 3',
    {
      tenantId: '7',
      keyId: 'k',
      operation: 'auditEvents',
      outcome: 'ok',
      search: null,
      from: '2026-01-02T03:04:05Z',
      after: null,
      first: 3,
    },
  ],
  [
    'access-log --search Payroll --limit 1',
    {
      tenantId: null,
      keyId: null,
      operation: null,
      outcome: null,
      search: 'Payroll',
      from: null,
      after: null,
      first: 1,
    },
  ],
  [
    'access-log',
    {
      tenantId: null,
      keyId: null,
      operation: null,
      outcome: null,
      search: null,
      from: null,
      after: null,
      first: 50,
    },
  ],
  ['tenant create --name Acme --retention-days 9', { name: 'Acme', retentionDays: 9 }],
  ['tenant create --name Acme', { name: 'Acme', retentionDays: null }],
  ['tenant list', {}],
  ['tenant retention 7 --days 9 --yes', { tenantId: '7', days: 9 }],
  ['tenant retention 7 --none', { tenantId: '7', days: null }],
  [
    'erase --tenant 7 --filter actionId:X --search word --from 2026-01-01 --to 2026-02-01 --reason r --events 3 --yes',
    {
      tenantId: '7',
      erased: { filter: 'actionId:X', search: 'word', startTime: '2026-01-01', endTime: '2026-02-01' },
      reason: 'r',
      events: 3,
    },
  ],
  [
    'erase --tenant 7 --filter actionId:X --dry-run',
    { tenantId: '7', erased: { filter: 'actionId:X', search: null, startTime: null, endTime: null } },
  ],
  [
    'erase --tenant 7 --filter actionId:X --reason r --events 3',
    {
      tenantId: '7',
      erased: { filter: 'actionId:X', search: null, startTime: null, endTime: null },
      reason: 'r',
      events: 3,
    },
  ],
  ['erase-again --yes', { tenantId: 'a tenantId', erasureIds: ['a erasureId'] }],
  ['erase-again --tenant 7 --dry-run', {}],
  ['erasures --tenant 7 --limit 5', { tenantId: '7', first: 5 }],
  [
    'explain actionId:SL --tenant 7 --from 2026-01-02 --to 2026-01-03 --search word',
    {
      tenantId: '7',
      filter: 'actionId:SL',
      search: 'word',
      startTime: '2026-01-02',
      endTime: '2026-01-03',
    },
  ],
  ['explain * --tenant 7', { tenantId: '7', filter: null, search: null, startTime: null, endTime: null }],
  ['sources --tenant 7', { tenantId: '7' }],
  ['sources', { tenantId: null }],
  [
    'explain objectName:Payroll --tenant 7 --from 2026-01-02 --to 2026-01-03 --search salary',
    {
      tenantId: '7',
      filter: 'objectName:Payroll',
      search: 'salary',
      startTime: '2026-01-02',
      endTime: '2026-01-03',
    },
  ],
  ['explain * --tenant 7', { tenantId: '7', filter: null, search: null, startTime: null, endTime: null }],
  [
    'key create --name k --tenant 7 --tenant 8 --scope read:alerts --scope work:alerts --rate-limit 9 --expires-at 2999-01-01 --allow-address 192.0.2.1',
    {
      name: 'k',
      tenantIds: ['7', '8'],
      scopes: ['read:alerts', 'work:alerts'],
      rateLimitPerMinute: 9,
      expiresAt: '2999-01-01',
      allowedAddresses: ['192.0.2.1'],
    },
  ],
  [
    'key create --name k --tenant 7',
    {
      name: 'k',
      tenantIds: ['7'],
      scopes: [],
      rateLimitPerMinute: null,
      expiresAt: null,
      allowedAddresses: [],
    },
  ],
  [
    'key rotate k1 --overlap-minutes 3 --expires-at 2999-01-01',
    { keyId: 'k1', overlapMinutes: 3, expiresAt: '2999-01-01' },
  ],
  ['key rotate k1 --overlap-minutes 0', { keyId: 'k1', overlapMinutes: 0, expiresAt: null }],
  ['key rotate k1', { keyId: 'k1', overlapMinutes: LIMITS.keyOverlapMinutesDefault, expiresAt: null }],
  ['key list', {}],
  ['key revoke k1', { keyId: 'k1' }],
  [
    'agent-key create --name k --tenant 7 --expires-at 2999-01-01 --allow-address 192.0.2.1',
    { name: 'k', tenantId: '7', expiresAt: '2999-01-01', allowedAddresses: ['192.0.2.1'] },
  ],
  [
    'operator-key create --name k --expires-at 2999-01-01 --allow-address 192.0.2.1',
    { name: 'k', expiresAt: '2999-01-01', allowedAddresses: ['192.0.2.1'] },
  ],
  [
    'alert list --tenant 7 --status new --severity low --rule r --principal sa --limit 3',
    { tenantId: '7', status: 'new', severity: 'low', ruleId: 'r', principalName: 'sa', pageSize: 3 },
  ],
  [
    'alert list',
    { tenantId: null, status: null, severity: null, ruleId: null, principalName: null, pageSize: 50 },
  ],
  ['alert show a1', { alertId: 'a1' }],
  [
    'incident list --tenant 7 --status new --severity low --limit 3',
    { tenantId: '7', status: 'new', severity: 'low', pageSize: 3 },
  ],
  ['incident list', { tenantId: null, status: null, severity: null, pageSize: 50 }],
  ['incident show i1', { incidentId: 'i1' }],
  ['alert acknowledge a1 --assignee ada --comment why', { alertId: 'a1', assignee: 'ada', comment: 'why' }],
  ['alert acknowledge a1', { alertId: 'a1', assignee: null, comment: null }],
  [
    'alert resolve a1 --verdict expected --comment why',
    { alertId: 'a1', verdict: 'expected', comment: 'why' },
  ],
  ['alert assign a1 --assignee ada', { alertId: 'a1', assignee: 'ada' }],
  ['alert comment a1 --comment why', { alertId: 'a1', comment: 'why' }],
  [
    'alert suppress a1 --until 2999-01-01 --reason why --fields clientIp databaseName',
    { alertId: 'a1', until: '2999-01-01', reason: 'why', fields: ['clientIp', 'databaseName'] },
  ],
  [
    'alert suppress a1 --until 2999-01-01 --reason why',
    { alertId: 'a1', until: '2999-01-01', reason: 'why', fields: null },
  ],
  ['alert suppressions --tenant 7', { tenantId: '7' }],
  // Without --tenant, the only tenant is asked for first.
  ['alert suppressions', { tenantId: 'a tenantId' }],
  ['alert unsuppress s1 --tenant 7', { tenantId: '7', suppressionId: 's1' }],
  [
    'alert route create --tenant 7 --name soc --email a@b.example c@d.example --severity high --rule r --escalate-minutes 15',
    {
      tenantId: '7',
      name: 'soc',
      emails: ['a@b.example', 'c@d.example'],
      destinationId: null,
      format: null,
      severity: 'high',
      ruleId: 'r',
      escalateMinutes: 15,
    },
  ],
  [
    'alert route create --tenant 7 --name soc --destination d1 --format ocsf',
    {
      tenantId: '7',
      name: 'soc',
      emails: null,
      destinationId: 'd1',
      format: 'ocsf',
      severity: null,
      ruleId: null,
      escalateMinutes: null,
    },
  ],
  ['alert route list --tenant 7', { tenantId: '7' }],
  ['alert route remove r1 --tenant 7', { tenantId: '7', routeId: 'r1' }],
  ['rule list --tenant 7', { tenantId: '7' }],
  ['rule show A --tenant 7', { tenantId: '7' }],
  ['rule import FILE --tenant 7', { tenantId: '7', source: 'content' }],
  ['rule enable A --tenant 7', { tenantId: '7', ruleId: 'a ruleId', enabled: true }],
  ['rule disable A --tenant 7', { tenantId: '7', ruleId: 'a ruleId', enabled: false }],
  [
    'rule tune A --tenant 7 --threshold 3 --timespan 4m --severity low --dedup-minutes 5 --exception {"a":1} {"b":2}',
    {
      tenantId: '7',
      ruleId: 'a ruleId',
      threshold: 3,
      timespan: '4m',
      severity: 'low',
      dedupMinutes: 5,
      exceptions: ['{"a":1}', '{"b":2}'],
    },
  ],
  [
    'rule tune A --tenant 7',
    {
      tenantId: '7',
      ruleId: 'a ruleId',
      threshold: null,
      timespan: null,
      severity: null,
      dedupMinutes: null,
      exceptions: null,
    },
  ],
  ['rule remove A --tenant 7', { tenantId: '7', ruleId: 'a ruleId' }],
  ['rule test A --tenant 7 --days 3', { tenantId: '7', ruleId: 'a ruleId', source: null, days: 3 }],
  ['rule test FILE --tenant 7', { tenantId: '7', ruleId: null, source: 'content', days: 7 }],
  [
    'destination create --name soc --tenant 7 --type webhook --url https://a.example --from beginning --filter success:false --format ocsf ' +
      '--encoding ndjson --signature v1a --acknowledge --index i --source s --sourcetype t --pipeline p --bucket b --region r ' +
      `--azure-tenant a --client-id c --dcr d --stream t --login-url l --token-scope o --prefix x --app-name n --omit-empty --without-additional --ca-file FILE ${SECRET_OPTIONS}`,
    {
      tenantId: '7',
      name: 'soc',
      type: 'webhook',
      url: 'https://a.example',
      from: 'beginning',
      filter: 'success:false',
      format: 'ocsf',
      settings: {
        encoding: 'ndjson',
        signature: 'v1a',
        acknowledge: true,
        index: 'i',
        source: 's',
        sourcetype: 't',
        pipeline: 'p',
        bucket: 'b',
        region: 'r',
        prefix: 'x',
        azureTenant: 'a',
        clientId: 'c',
        dcr: 'd',
        stream: 't',
        loginUrl: 'l',
        tokenScope: 'o',
        appName: 'n',
        omitEmpty: true,
        withoutAdditional: true,
        ca: 'content',
      },
      secrets: SECRETS,
    },
  ],
  [
    'destination create --name soc --tenant 7 --type s3 --url https://a.example --secret-file FILE',
    {
      tenantId: '7',
      name: 'soc',
      type: 's3',
      url: 'https://a.example',
      from: 'now',
      filter: '',
      format: 'native',
      settings: {},
      secrets: { secretAccessKey: 'content' },
    },
  ],
  [
    'destination update d1 --name soc --url https://b.example --filter success:false --format cef --reset omit-empty --reset --index ' +
      '--encoding ndjson --signature v1a --acknowledge --source s --sourcetype t --pipeline p --bucket b --region r ' +
      `--azure-tenant a --client-id c --dcr d --stream t --login-url l --token-scope o --prefix x --app-name n --without-additional --ca-file FILE ${SECRET_OPTIONS}`,
    {
      destinationId: 'd1',
      name: 'soc',
      url: 'https://b.example',
      filter: 'success:false',
      format: 'cef',
      settings: {
        encoding: 'ndjson',
        signature: 'v1a',
        acknowledge: true,
        source: 's',
        sourcetype: 't',
        pipeline: 'p',
        bucket: 'b',
        region: 'r',
        prefix: 'x',
        azureTenant: 'a',
        clientId: 'c',
        dcr: 'd',
        stream: 't',
        loginUrl: 'l',
        tokenScope: 'o',
        appName: 'n',
        withoutAdditional: true,
        ca: 'content',
        omitEmpty: null,
        index: null,
      },
      secrets: SECRETS,
    },
  ],
  [
    'destination update d1 --omit-empty --index i --secret-file JSON',
    {
      destinationId: 'd1',
      name: null,
      url: null,
      filter: null,
      format: null,
      settings: { omitEmpty: true, index: 'i' },
      secrets: { token: 't1' },
    },
  ],
  [
    'destination update d1 --index i --reset index',
    {
      ...{ destinationId: 'd1', name: null, url: null, filter: null, format: null },
      ...{ settings: { index: null }, secrets: null },
    },
  ],
  [
    'destination update d1',
    { destinationId: 'd1', name: null, url: null, filter: null, format: null, settings: null, secrets: null },
  ],
  ['archive status --tenant 7 --limit 3', { tenantId: '7', first: 3 }],
  ['archive run 7 --week 2026-01-05T00:00:00Z', { tenantId: '7', week: '2026-01-05T00:00:00Z' }],
  ['archive restore 7 --week 2026-01-05T00:00:00Z', { tenantId: '7', week: '2026-01-05T00:00:00Z' }],
  [
    'hold create --tenant 7 --filter x --until 2199-01-01T00:00:00Z --reason y',
    { tenantId: '7', filter: 'x', until: '2199-01-01T00:00:00Z', reason: 'y' },
  ],
  ['hold list --tenant 7 --limit 3', { tenantId: '7', first: 3 }],
  ['hold end h1 --reason y', { holdId: 'h1', reason: 'y' }],
  [
    'agent-group create --tenant 7 --name prod --host db1 --host sql* --position 2 --poll-interval-ms 500 ' +
      '--batch-max-events 9 --log-level warn --database-on A --database-on B --database-off C',
    {
      tenantId: '7',
      name: 'prod',
      hosts: ['db1', 'sql*'],
      position: 2,
      pollIntervalMs: 500,
      batchMaxEvents: 9,
      logLevel: 'warn',
      databasesOn: ['A', 'B'],
      databasesOff: ['C'],
    },
  ],
  ['agent-group create --tenant 7 --name prod --host db1', { tenantId: '7', name: 'prod', hosts: ['db1'] }],
  [
    'agent-group update g1 --name prod --host db1 --position 2 --unset LogLevel --unset Databases ' +
      '--poll-interval-ms 500 --batch-max-events 9 --log-level error --database-on A --database-off C',
    {
      groupId: 'g1',
      name: 'prod',
      hosts: ['db1'],
      position: 2,
      unset: ['LogLevel', 'Databases'],
      pollIntervalMs: 500,
      batchMaxEvents: 9,
      logLevel: 'error',
      databasesOn: ['A'],
      databasesOff: ['C'],
    },
  ],
  ['agent-group list --tenant 7', { tenantId: '7' }],
  ['agent-group delete g1', { groupId: 'g1' }],
  [
    'agent-package offer --group g1 --file PACKAGE --signature SIGNATURE --window 22:00-04:00 --allow-older',
    { packageId: 'a packageId', part: 0, bytes: PACKAGE_BYTES.toString('base64') },
  ],
  ['agent-package list --tenant 7', { tenantId: '7' }],
  ['agent-package withdraw p1', { packageId: 'p1' }],
  ['destination list --tenant 7', { tenantId: '7' }],
  ['destination test d1', { destinationId: 'd1' }],
  ['destination pause d1', { destinationId: 'd1' }],
  ['destination resume d1', { destinationId: 'd1' }],
  ['destination remove d1', { destinationId: 'd1' }],
  [
    'destination replay d1 --position 5 --from 2026-01-02',
    { destinationId: 'd1', position: '5', from: '2026-01-02' },
  ],
  [
    `destination rotate-secret d1 --overlap-minutes 3 ${SECRET_OPTIONS}`,
    { destinationId: 'd1', overlapMinutes: 3, secrets: SECRETS },
  ],
  [
    'destination rotate-secret d1 --secret-file JSON',
    { destinationId: 'd1', overlapMinutes: LIMITS.keyOverlapMinutesDefault, secrets: { token: 't1' } },
  ],
  [
    'destination rotate-secret d1',
    { destinationId: 'd1', overlapMinutes: LIMITS.keyOverlapMinutesDefault, secrets: null },
  ],
  ['destination set-aside d1', { destinationId: 'd1' }],
  [
    'remove-sources --tenant 7 --reported-before 2026-01-01 --host db1 --with-gaps --yes',
    { tenantId: '7', reportedBefore: '2026-01-01', hostName: 'db1', withGaps: true },
  ],
  ['sources --tenant 7 --not-following', { tenantId: '7' }],
  [
    'source retire --tenant 7 --host db1 --database sales --reason sold',
    { tenantId: '7', hostName: 'db1', databaseName: 'sales', reason: 'sold' },
  ],
  [
    'compliance scope sensitive --tenant 7 --database Pay --schema dbo --object Salary --instance A --reason pci --from 2026-01-01',
    {
      tenantId: '7',
      kind: 'sensitive',
      databaseName: 'Pay',
      schemaName: 'dbo',
      objectName: 'Salary',
      serverInstanceName: 'A',
      reason: 'pci',
      validFrom: '2026-01-01',
    },
  ],
  [
    'compliance scope auditor dba --tenant 7 --instance A --reason x --from 2026-01-01',
    {
      tenantId: '7',
      kind: 'auditor',
      principalName: 'dba',
      serverInstanceName: 'A',
      reason: 'x',
      validFrom: '2026-01-01',
    },
  ],
  [
    'compliance scope application app --tenant 7 --instance A --reason x --from 2026-01-01',
    {
      tenantId: '7',
      kind: 'application',
      applicationName: 'app',
      serverInstanceName: 'A',
      reason: 'x',
      validFrom: '2026-01-01',
    },
  ],
  [
    'compliance scope working-hours hours --tenant 7 --instance A --reason x --from 2026-01-01',
    {
      tenantId: '7',
      kind: 'workingHours',
      workingHours: 'hours',
      serverInstanceName: 'A',
      reason: 'x',
      validFrom: '2026-01-01',
    },
  ],
  [
    'compliance scope exclude A --tenant 7 --reason test --from 2026-01-01',
    { tenantId: '7', kind: 'excluded', serverInstanceName: 'A', reason: 'test', validFrom: '2026-01-01' },
  ],
  ['compliance snapshot upload FILE --tenant 7', { tenantId: '7', snapshot: 'content' }],
  ['compliance scope list --tenant 7 --as-of 2026-01-01', { tenantId: '7', asOf: '2026-01-01' }],
  [
    'compliance scope end d1 --tenant 7 --until 2026-01-02',
    { tenantId: '7', declarationId: 'd1', validUntil: '2026-01-02' },
  ],
  [
    'report schedule create --tenant 7 --name nightly --report log-ons --every daily --time-zone Europe/Berlin --period day --parameter principalName=sa --parameter succeeded=false --format pdf csv --email a@b.example c@d.example --attach --keep-days 30',
    {
      tenantId: '7',
      name: 'nightly',
      reportId: 'log-ons',
      every: 'daily',
      timeZone: 'Europe/Berlin',
      period: 'day',
      parameters: { principalName: 'sa', succeeded: false },
      formats: ['pdf', 'csv'],
      emails: ['a@b.example', 'c@d.example'],
      attach: true,
      keepDays: 30,
    },
  ],
  [
    'report schedule create --tenant 7 --name s3 --report log-ons --cron 5_4_*_*_* --destination d1 --no-attach',
    {
      tenantId: '7',
      name: 's3',
      reportId: 'log-ons',
      cron: '5_4_*_*_*',
      destinationId: 'd1',
      attach: false,
    },
  ],
  [
    'report schedule update s1 --tenant 7 --name weekly --report backups --every weekly --time-zone UTC --period week --parameter succeeded=true --parameter hostName=h1 --format html --email e@f.example --attach --keep-days 31',
    {
      tenantId: '7',
      scheduleId: 's1',
      name: 'weekly',
      reportId: 'backups',
      every: 'weekly',
      timeZone: 'UTC',
      period: 'week',
      parameters: { succeeded: true, hostName: 'h1' },
      formats: ['html'],
      emails: ['e@f.example'],
      attach: true,
      keepDays: 31,
    },
  ],
  [
    'report schedule update s1 --tenant 7 --cron 6_5_*_*_* --destination d2 --no-attach',
    { tenantId: '7', scheduleId: 's1', cron: '6_5_*_*_*', destinationId: 'd2', attach: false },
  ],
  ['report schedule list --tenant 7', { tenantId: '7' }],
  ['report schedule pause s1 --tenant 7', { tenantId: '7', scheduleId: 's1' }],
  ['report schedule resume s1 --tenant 7', { tenantId: '7', scheduleId: 's1' }],
  ['report schedule send-now s1 --tenant 7', { tenantId: '7', scheduleId: 's1' }],
  ['report schedule remove s1 --tenant 7', { tenantId: '7', scheduleId: 's1' }],
  ['tenant rename 7 --name Acme', { tenantId: '7', name: 'Acme' }],
  ['tenant disable 7 --reason unpaid', { tenantId: '7', reason: 'unpaid' }],
  ['tenant enable 7', { tenantId: '7' }],
  [
    'enroll-token create --name site --tenant 7 --uses 300 --key-days 90 --expires-at 2099-01-01 --allow-address 10.0.0.0/8',
    {
      name: 'site',
      tenantId: '7',
      uses: 300,
      keyDays: 90,
      expiresAt: '2099-01-01',
      allowedAddresses: ['10.0.0.0/8'],
    },
  ],
  [
    'enroll-token create --name site --tenant 7 --uses 1 --expires-at 2099-01-01',
    { name: 'site', tenantId: '7', uses: 1, keyDays: null, expiresAt: '2099-01-01', allowedAddresses: [] },
  ],
  ['enroll-token list', {}],
  ['agent-key rotate --all --status', {}],
  ['agent-key rotate --all --tenant 7', {}],
  ['tenant masking 7 --on', { tenantId: '7', masksStatements: true }],
  ['tenant masking 7 --off', { tenantId: '7', masksStatements: false }],
  ['enroll-token revoke k1', { keyId: 'k1' }],
  ['finish-restore', { go: false, keepEpoch: false }],
  ['finish-restore --go', { go: true, keepEpoch: false }],
  ['finish-restore --keep-epoch', { go: false, keepEpoch: true }],
];
const OF_EVERY_COMMAND = [
  '--service',
  '--service-url',
  '--url',
  '--operator-key',
  '--operator-key-file',
  '--json',
];

describe('the options of commands', () => {
  const seen: Asked[] = [];
  let isBare = false;
  let server: Server;
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const asked = await askedBy(request);
      seen.push(asked);
      response.end(await madeUpAnswer(asked, { isBare }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    folder = await temporaryFolder();
    await writeFile(path.join(folder, 'file'), 'content');
    await writeFile(path.join(folder, 'json'), '{"token":"t1"}');
    await writeFile(path.join(folder, 'package'), PACKAGE_BYTES);
    await writeFile(path.join(folder, 'signature'), SIGNATURE);
    env = {
      AUDIT_ACTIVITY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AUDIT_ACTIVITY_OPERATOR_KEY: newKey('operator'),
    };
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  const argsOf = (line: string) =>
    line
      .replaceAll('FILE', path.join(folder, 'file'))
      .replace('JSON', path.join(folder, 'json'))
      .replace('PACKAGE', path.join(folder, 'package'))
      .replace('SIGNATURE', path.join(folder, 'signature'))
      .split(' ');

  it.each(CASES)('%s', async (line, variables) => {
    seen.length = 0;
    const args = argsOf(line);
    expect(await runCli([...args, '--json'], env)).toMatchObject({ error: null });
    expect(seen.at(-1)?.variables).toEqual(variables);
    // A command also works where its answer is shown to people.
    expect(await runCli(args, env)).toMatchObject({ error: null, lines: [expect.any(String)] });
  });

  it('tell of an answer with every value, and of one without, what told.json has', async () => {
    const told: Record<string, { full: string[]; bare: string[] }[]> = {};
    const tell = async (line: string) => {
      const { lines, error } = await runCli(argsOf(line), env);
      return (error === null ? lines.join('\n') : `error: ${error}`).split('\n');
    };
    for (const [line] of CASES) {
      const full = await tell(line);
      isBare = true;
      const bare = await tell(line);
      isBare = false;
      const [name = ''] = line.split(' --');
      const before = told[name] ?? [];
      const isNew = !before.some((one) => isDeepStrictEqual(one, { full, bare }));
      told[name] = isNew ? [...before, { full, bare }] : before;
    }
    expectAsIn('test/cli/told.json', told);
  });

  it('say of themselves what help.json has', () => {
    const help: Record<string, Record<string, string>> = {};
    const look = (command: Command, before: string) => {
      const name = `${before}${command.name()}`;
      const own = command.options.filter(({ long }) => !OF_EVERY_COMMAND.includes(long ?? ''));
      help[name] = {
        '': command.description(),
        ...Object.fromEntries(command.registeredArguments.map((one) => [one.name(), one.description])),
        ...Object.fromEntries(
          own.map(({ flags, description, argChoices = [] }) => [
            flags,
            [description, ...argChoices].join(' | '),
          ]),
        ),
      };
      for (const inner of command.commands) look(inner, `${name} `);
    };
    for (const command of anyProgram().commands) look(command, '');
    expectAsIn('test/cli/help.json', help);
  });

  it('are all in a case above', () => {
    const program = anyProgram();
    const missing: string[] = [];
    const look = (command: Command, before: string) => {
      const name = `${before}${command.name()} `;
      const options = command.options.map(({ long }) => long ?? '');
      // The other commands do not call a service, or do so with a key of the public API.
      if (options.includes('--operator-key-file')) {
        const lines = CASES.map(([line]) => `${line} `).filter((line) => line.startsWith(name));
        if (lines.length === 0) missing.push(name);
        for (const option of options)
          if (!OF_EVERY_COMMAND.includes(option) && !lines.some((line) => line.includes(` ${option} `)))
            missing.push(`${name}${option}`);
      }
      for (const inner of command.commands) look(inner, name);
    };
    for (const command of program.commands) look(command, '');
    expect(missing).toEqual([]);
  });
});

/** The commands, which call nobody. */
function anyProgram(): Command {
  const unused = async () => Promise.reject(new Error('not called'));
  return createProgram({
    env: {},
    print: () => {},
    printError: () => {},
    asJson: false,
    migrate: unused,
    distribute: unused,
    prepareRestore: unused,
    recoverOperatorKey: unused,
    finishRestore: unused,
    backup: unused,
    untilStopped: unused,
  });
}
