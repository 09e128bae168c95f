import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import timers from 'node:timers/promises';
import { newKey } from '../../src/caller/key-format';
import { errorLine } from '../../src/cli/error-output';
import { readerKey } from '../../src/cli/reader-key';
import { LIMITS } from '../../src/limits';
import { runBeside, runCli } from '../support/cli';
import { temporaryFolder } from '../support/engines';

const ENV = { AUDIT_ACTIVITY_URL: 'http://service', AUDIT_ACTIVITY_OPERATOR_KEY: newKey('operator') };

const ask = jest.spyOn(globalThis, 'fetch');
afterAll(() => ask.mockRestore());
let asked: Record<string, unknown>[];
/** Answers the calls of each root field in turn. */
const answering = (answers: Readonly<Record<string, readonly unknown[]>>) => {
  asked = [];
  const left = new Map(Object.entries(answers).map(([name, all]) => [name, [...all]]));
  ask.mockImplementation(async (_, init) => {
    const { query, variables } = JSON.parse(String(init?.body));
    const [name = ''] = [...left.keys()].filter((one) => new RegExp(`\\b${one}\\b`).test(query));
    asked.push({ name, ...variables });
    return new Response(JSON.stringify({ data: { [name]: left.get(name)?.shift() } }));
  });
};

describe('a command that asks the service several times', () => {
  const entry = (operation: string) => ({ operation });
  it('access-log reads on behind empty pages of a search, until it has as many entries as are wanted', async () => {
    const pages = [
      { entries: [entry('a'), entry('b')], hasNextPage: true, endCursor: 'c1' },
      { entries: [], hasNextPage: true, endCursor: 'c2' },
      { entries: [entry('c')], hasNextPage: true, endCursor: 'c3' },
    ];
    answering({ accessLog: pages });
    const { lines } = await runCli(['access-log', '--search', 'x', '--limit', '3', '--json'], ENV);
    const found = JSON.parse(lines[0] ?? '') as { operation: string }[];
    expect(found.map(({ operation }) => operation)).toEqual(['a', 'b', 'c']);
    expect(asked.map(({ after, first }) => [after, first])).toEqual([
      [null, 3],
      ['c1', 1],
      ['c2', 1],
    ]);
  });

  it('access-log reads one page without a search', async () => {
    answering({ accessLog: [{ entries: [entry('a')], hasNextPage: true, endCursor: 'c1' }] });
    expect(await runCli(['access-log', '--limit', '3'], ENV)).toMatchObject({ error: null });
    expect(asked).toHaveLength(1);
  });

  const source = (lastReported: string, gapCount: number) => ({ lastReported, gapCount });
  const sources = [
    source('2026-01-01T00:00:00Z', 0),
    source('2026-01-02T00:00:00Z', 5),
    source('2026-01-03T00:00:00Z', 0),
  ];
  const remove = ['remove-sources', '--reported-before', '2026-01-03T00:00:00Z', '--tenant', '7'];

  it.each([
    [[], '1 sources of tenant 7'],
    [['--with-gaps'], '2 sources of tenant 7'],
  ])(
    'remove-sources %j says how many it would remove, and removes none unless somebody agrees',
    async (more, text) => {
      answering({ auditSources: [sources], removeAuditSources: [] });
      const { error } = await runCli([...remove, ...more], ENV);
      expect(error).toContain(text);
      expect(asked.map(({ name }) => name)).toEqual(['auditSources']);
    },
  );

  it.each(['2026-01-03T00:00:00+00', '2026-01-03T00:00:00,0Z'])(
    'remove-sources asks before it removes what was reported before %s, a form that dates do not read',
    async (time) => {
      answering({ auditSources: [sources.slice(0, 1)], removeAuditSources: [] });
      const { error } = await runCli(['remove-sources', '--reported-before', time, '--tenant', '7'], ENV);
      expect(error).toContain('1 sources of tenant 7');
    },
  );

  it('remove-sources --with-gaps goes on while fewer stay, and tells the sums', async () => {
    const answer = (removed: number, gaps: number, kept: number) => ({ sources: removed, gaps, kept });
    answering({
      auditSources: [sources],
      removeAuditSources: [answer(1, 100, 2), answer(1, 50, 1), answer(1, 7, 0)],
    });
    const { lines } = await runCli([...remove, '--with-gaps', '--yes', '--json'], ENV);
    expect(JSON.parse(lines[0] ?? '')).toEqual({ sources: 3, gaps: 157, kept: 0 });
    answering({ auditSources: [sources], removeAuditSources: [answer(1, 1, 2), answer(0, 1, 2)] });
    const stuck = await runCli([...remove, '--with-gaps', '--yes'], ENV);
    expect(stuck.lines[0]).toContain('; 2 stay');
    expect(asked).toHaveLength(3);
  });

  it('agent-key rotate asks agents of a tenant, and shows its keys alone, those that somebody has to act on first', async () => {
    const key = (keyId: string, tenantId: string, renewal: string | null) => ({
      keyId,
      tenantIds: [tenantId],
      renewal,
    });
    const keys = [
      ...[key('k1', '7', 'current'), key('k2', '7', 'waiting'), key('k3', '8', 'waiting')],
      ...[key('k4', '7', null), key('k5', '7', 'ended')],
    ];
    answering({ renewAgentKeys: [{ asked: 2 }], apiKeys: [keys] });
    const { lines } = await runCli(['agent-key', 'rotate', '--all', '--tenant', '7', '--json'], ENV);
    const told = JSON.parse(lines[0] ?? '');
    expect(told).toMatchObject({ asked: 2, waiting: 1 });
    expect(told.keys.map(({ keyId }: { keyId: string }) => keyId)).toEqual(['k5', 'k2', 'k1']);
    expect(asked[0]).toEqual({ name: 'renewAgentKeys', tenantId: '7' });
    answering({ apiKeys: [keys] });
    await runCli(['agent-key', 'rotate', '--all', '--status'], ENV);
    expect(asked.map(({ name }) => name)).toEqual(['apiKeys']);
  });

  const lost = (tenantId: string, n: number, present = 1) =>
    Array.from({ length: n }, (_, i) => ({ tenantId, erasureId: `${tenantId}-${i}`, present }));

  it.each([
    ['as many erasures', lost('7', LIMITS.erasuresMax + 1), LIMITS.erasuresMax, 1],
    ['as many events', lost('7', 3, LIMITS.erasureEventsMax / 2), 2, 1],
    [
      'the erasures in their order, whose next one is too large',
      lost('7', 1, 2).concat(lost('7', 1, LIMITS.erasureEventsMax), lost('7', 1)),
      1,
      2,
    ],
  ])(
    'erase-again asks a tenant for %s as one call may have, and tells how many are left',
    async (_, all, first, left) => {
      answering({ logEpoch: [{ lostErasures: [...all, ...lost('8', 1)] }], repeatErasures: [{}, {}] });
      const { lines } = await runCli(['erase-again', '--yes'], ENV);
      const of = asked.filter(({ name }) => name === 'repeatErasures');
      expect(of.map(({ tenantId, erasureIds }) => [tenantId, (erasureIds as string[]).length])).toEqual([
        ['7', first],
        ['8', 1],
      ]);
      expect(lines.join('\n')).toContain(`${left} erasures are left`);
    },
  );

  it('sources shows that a source was never caught up, and else how far it is behind', async () => {
    const behind = (hostName: string, lag: number | null) => ({
      tenantId: '7',
      hostName,
      databaseName: 'd',
      lag,
    });
    answering({ auditSources: [[behind('A', null), behind('B', 0), behind('C', 61.6)]] });
    const { lines } = await runCli(['sources'], ENV);
    expect(
      lines
        .join('\n')
        .split('\n')
        .slice(-3)
        .map((line) => /^7 +([ABC]) +d +(never|\d+ s)/.exec(line)?.slice(1)),
    ).toEqual([
      ['A', 'never'],
      ['B', '0 s'],
      ['C', '62 s'],
    ]);
  });

  it('destination rotate-secret finds the type of a destination whose id is in capital letters', async () => {
    const destinationId = '5f0ad6f0-6a0c-4f0e-9c59-3f1d9e6f7a11';
    const rotated = { destinationId, secret: null, publicKey: null, overlapEndsAt: null };
    answering({
      destinations: [[{ destinationId, type: 'splunk-hec' }]],
      rotateDestinationSecret: [rotated],
    });
    const args = ['destination', 'rotate-secret', destinationId.toUpperCase(), '--secret-file', '-'];
    expect(await runBeside({ readInput: async () => 'tok' }, args, ENV)).toMatchObject({ error: null });
    expect(asked.at(-1)).toMatchObject({ secrets: { token: 'tok' } });
  });

  it('agent-package offer sends a package in parts, whose bytes are its own', async () => {
    const folder = await temporaryFolder();
    const [file, signature] = [path.join(folder, 'agent.js'), path.join(folder, 'agent.sig')];
    const head = Buffer.from('// audit-agent 1.2.3 build 4\n');
    const bytes = Buffer.concat([head, Buffer.alloc(2 * LIMITS.agentPackagePartBytes, 'abc')]);
    try {
      await writeFile(file, bytes);
      await writeFile(signature, `${'A'.repeat(86)}==`);
      const part = { packageId: 'p1', version: '1.2.3', hosts: 2 };
      answering({ offerAgentPackage: [part], addAgentPackagePart: [part, part, { ...part, hosts: 3 }] });
      const args = ['agent-package', 'offer', '--group', 'g', '--file', file, '--signature', signature];
      const { lines } = await runCli(args, ENV);
      expect(lines).toEqual(['package p1: 1.2.3 is offered to 3 hosts']);
      const parts = asked
        .slice(1)
        .map(({ part: number, bytes: of }) => [number, Buffer.from(String(of), 'base64')]);
      expect(parts.map(([number, of]) => [number, (of as Buffer).length])).toEqual([
        [0, LIMITS.agentPackagePartBytes],
        [1, LIMITS.agentPackagePartBytes],
        [2, head.length],
      ]);
      expect(Buffer.concat(parts.map(([, of]) => of as Buffer)).equals(bytes)).toBe(true);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('takes whole numbers of up to nine digits, which the service can count with', async () => {
    answering({ tenantIncidents: [{ items: [] }] });
    for (const wrong of ['1234567890', '-1', '1.5', '', '1e3'])
      expect((await runCli(['incident', 'list', '--limit', wrong], ENV)).error).toContain('whole number');
    expect(await runCli(['incident', 'list', '--limit', '999999999'], ENV)).toMatchObject({ error: null });
    expect(asked.map(({ pageSize }) => pageSize)).toEqual([999_999_999]);
  });

  it('incident list takes only states that an incident may have', async () => {
    answering({ tenantIncidents: [{ items: [] }, { items: [] }, { items: [] }] });
    for (const status of ['new', 'acknowledged', 'resolved'])
      expect(await runCli(['incident', 'list', '--status', status], ENV)).toMatchObject({ error: null });
    const { error } = await runCli(['incident', 'list', '--status', 'suppressed'], ENV);
    expect(error).toContain('Allowed choices are');
    expect(asked).toHaveLength(3);
  });

  it('report schedule list shows that a schedule is paused in place of its next time', async () => {
    const schedule = (name: string, paused: boolean) => ({ name, paused, nextRunAt: '2026-01-05T06:00:00Z' });
    answering({ reportSchedules: [[schedule('daily', false), schedule('weekly', true)]] });
    const { lines } = await runCli(['report', 'schedule', 'list', '--tenant', '7'], ENV);
    const [daily, weekly] = lines.join('\n').split('\n').slice(-2);
    expect([daily?.includes('2026-01-05'), daily?.includes('paused')]).toEqual([true, false]);
    expect([weekly?.includes('2026-01-05'), weekly?.includes('paused')]).toEqual([false, true]);
  });
});

describe('what a command tells', () => {
  const told = async (line: string, answers: Readonly<Record<string, readonly unknown[]>>) => {
    answering(answers);
    const { lines, error } = await runCli(line.split(' '), ENV);
    return error === null ? lines.join('\n') : `error: ${error}`;
  };

  it('of tokens are those that agents fetch keys with, which all end', async () => {
    const keys = [{ kind: 'agent', keyId: 'k1' }, ...[{ kind: 'enroll', keyId: 'k2' }]];
    const list = await told('enroll-token list --json', { apiKeys: [keys] });
    expect(JSON.parse(list)).toEqual([keys[1]]);
    const without = await told('enroll-token create --name n --tenant 7 --uses 2', {});
    expect([without, asked]).toEqual(['error: Give --expires-at: a token must end.', []]);
  });

  it('of a tenant that is not named is that there are several, or none yet', async () => {
    const tenants = ['7', '8'].map((tenantId) => ({ tenantId }));
    expect([
      await told('alert suppressions', { tenants: [tenants] }),
      await told('alert suppressions', { tenants: [[]] }),
    ]).toEqual([
      'error: There are 2 tenants: give --tenant.',
      'error: There is no tenant yet: `tenant create` makes one.',
    ]);
  });

  it('of the port of a witness is up to where ports go', async () => {
    const run = (port: number) => told(`witness --folder /nowhere/at/all --port ${port}`, {});
    expect(await run(65_536)).toBe('error: --port must be from 0 to 65535.');
    expect(await run(65_535)).toMatch(/no log is named/);
  });

  it('of a log that a witness cannot read is which option names it, from 1', async () => {
    const { error } = await runCli(['witness', '--folder', '/nowhere', '--log', 'bad']);
    expect(error).toMatch(/^--log 1\b/);
  });

  it('of an alert or incident that is not there is that', async () => {
    expect([
      await told('alert show a1', { tenantAlert: [null] }),
      await told('incident show i1', { tenantIncident: [null] }),
    ]).toEqual(['error: There is no such alert.', 'error: There is no such incident.']);
  });

  it('of an incident has a table for each list that has rows', async () => {
    const show = async (lists: object, changes: readonly object[] = []) => {
      const found = { title: 't', timeline: [], entities: [], alerts: [], unrecorded: [], ...lists };
      const answers = { tenantIncident: [found], incidentChanges: [changes] };
      return (await told('incident show i1', answers)).split('\n\n');
    };
    expect(await show({ timeline: [{ text: 'read' }] })).toEqual(['title: t', 'text\nread']);
    const all = { timeline: [{ a: 1 }], entities: [{ b: 2 }], unrecorded: [{ c: 3 }], alerts: [{ d: 4 }] };
    expect(await show(all, [{ changeId: 'x', e: 5 }])).toEqual([
      ...['title: t', 'a\n1', 'b\n2', 'c\n3', 'd\n4', 'e\n5'],
    ]);
  });

  it('of an alert has its changes below it', async () => {
    const changes = [{ changeId: 'x', kind: 'comment', comment: 'why' }];
    const answers = { tenantAlert: [{ title: 't', group: { clientIp: null } }], alertChanges: [changes] };
    expect((await told('alert show a1', answers)).split('\n')).toEqual([
      ...['title: t', 'group: {"clientIp":null}', 'kind     comment', 'comment  why'],
    ]);
  });

  it('of weeks is which lie in files, and which could not be put there', async () => {
    const [sealed, unsealed] = [[{ week: 'A' }], [{ week: 'B' }]];
    const run = (weeks: readonly object[], left: readonly object[]) =>
      told('archive status', { sealedWeeks: [weeks], unsealedWeeks: [left] });
    expect([await run(sealed, []), await run(sealed, unsealed), await run([], unsealed)]).toEqual([
      'week\nA',
      'week\nA\n\nnot in files yet:\nweek\nB',
      'no week lies in a file\n\nnot in files yet:\nweek\nB',
    ]);
    const asJson = await told('archive status --json', { sealedWeeks: [sealed], unsealedWeeks: [unsealed] });
    expect(JSON.parse(asJson)).toEqual([...sealed, ...unsealed]);
  });

  it('of the keys of agents is how many were asked, if any, and how many have not followed', async () => {
    const apiKeys = [[{ keyId: 'k', tenantIds: ['7'], renewal: 'waiting' }]];
    const rotate = await told('agent-key rotate --all', { renewAgentKeys: [{ asked: 2 }], apiKeys });
    const status = await told('agent-key rotate --all --status', { apiKeys });
    expect([rotate, status].map((text) => text.split('\n')[0])).toEqual([
      'asked 2 agents; 1 have not followed yet',
      '1 have not followed yet',
    ]);
  });

  it('of a schedule that is paused is that it has no next time', async () => {
    const answers = { updateReportSchedule: [{ nextRunAt: null }] };
    expect(await told('report schedule update s1 --tenant 7 --name n', answers)).toBe(
      'schedule s1: next run at no time',
    );
  });

  it.each([
    ['X-A', 'x-a'],
    ['x-a', 'X-A'],
  ])('of a header that is given twice, as %s and %s, is that', async (first, second) => {
    const create = 'destination create --name n --tenant 7 --type webhook --url https://a.example';
    const line = `${create} --header ${first}:1 --header ${second}:2`;
    expect([await told(line, {}), asked]).toEqual([`error: --header gives ${second} twice.`, []]);
  });

  it('of a service that does not answer is why, also where the reason has a code alone', async () => {
    const failing = (cause: object) => {
      ask.mockRejectedValueOnce(new TypeError('fetch failed', { cause }));
      return runCli(['tenant', 'list'], ENV);
    };
    const several = await failing(Object.assign(new Error(''), { code: 'ECONNREFUSED' }));
    expect(several.error).toBe('No service answers at http://service: ECONNREFUSED');
    expect((await failing(new Error('refused'))).error).toBe('No service answers at http://service: refused');
    const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    ask.mockRejectedValueOnce(late);
    expect((await runCli(['tenant', 'list'], ENV)).error).toBe(
      'The service at http://service has not answered within 30 seconds. A change that was asked for may go on there.',
    );
  });

  it('of a header without a name is how it must be', async () => {
    const create =
      'destination create --name n --tenant 7 --type webhook --url https://a.example --header :x';
    expect([await told(create, {}), asked]).toEqual(['error: --header must be `Name: value`.', []]);
  });

  const rule = (ruleId: string, title: string, more: object = {}) => ({ ruleId, title, ...more });
  it.each([
    ['its whole title, which begins another one', 'bulk READ', 'r1'],
    ['how its title begins', 'Bulk read o', 'r2'],
    ['its id', 'r3', 'r3'],
  ])('of a rule is that of the one by %s', async (_, name, ruleId) => {
    const rules = [rule('r2', 'Bulk read of cards'), rule('r1', 'Bulk read'), rule('r3', 'Other')];
    answering({ detectionRules: [rules], removeRule: [rules[0]] });
    expect((await runCli(['rule', 'remove', name, '--tenant', '7'], ENV)).error).toBeNull();
    expect(asked.at(-1)).toEqual({ name: 'removeRule', tenantId: '7', ruleId });
  });

  it('of several rules, or none, is which there are, and nothing is done', async () => {
    const rules = [rule('r1', 'Bulk read'), rule('r2', 'Bulk write')];
    expect([
      await told('rule remove Bulk --tenant 7', { detectionRules: [rules] }),
      await told('rule remove Other --tenant 7', { detectionRules: [rules] }),
      asked.length,
    ]).toEqual([
      'error: 2 rules begin with Bulk: Bulk read; Bulk write',
      'error: There is no rule Other.',
      1,
    ]);
  });

  it('of a backtest is its end, however often it has to be asked for', async () => {
    const wait = jest.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
    const at = (state: string) => ({
      ...{ state, backtestId: 'b1', tenantId: '7', title: 'Bulk read', days: [], examples: [] },
      ...{ findingCount: 2, eventsRead: 9 },
    });
    const run = (...ends: string[]) =>
      told('rule test r1 --tenant 7', {
        detectionRules: [[rule('r1', 'Bulk read')]],
        testRule: [at('running')],
        backtest: ends.map(at),
      });
    try {
      expect(await run('running', 'done')).toMatch(/^Bulk read: 2 findings in 9 events\n/);
      expect(asked.filter(({ name }) => name === 'backtest')).toHaveLength(2);
      expect(await run('failed')).toMatch(/^error: The backtest failed/);
    } finally {
      wait.mockRestore();
    }
  });

  it('of an imported filter is how many rules it narrows, if it is on', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'filter.yml');
    const filter = (title: string, enabled: boolean, narrows: readonly string[]) =>
      rule('f', title, { kind: 'filter', enabled, narrows });
    try {
      await writeFile(file, 'x');
      const rules = [filter('A', true, ['r1']), filter('B', true, []), filter('C', false, ['r1', 'r2'])];
      const lines = (await told(`rule import ${file} --tenant 7`, { importRules: [rules] })).split('\n');
      expect(lines.slice(4)).toEqual(['A narrows 1 rule', 'B narrows 0 rules']);
      await writeFile(file, Buffer.from([0x74, 0xff]));
      const refused = await told(`rule import ${file} --tenant 7`, {});
      expect([refused.startsWith('error: The file cannot be read: '), asked]).toEqual([true, []]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([
    ['succeeded=yes', 'succeeded must be true or false.'],
    ['=x', 'It must be NAME=VALUE.'],
  ])('of the parameter %s of a report is what it must be', async (parameter, why) => {
    const create = 'report schedule create --tenant 7 --name n --report r --every daily --parameter';
    expect([await told(`${create} ${parameter}`, {}), asked]).toEqual([expect.stringContaining(why), []]);
  });

  it.each([
    [0, []],
    [1, ['legal holds in force: 1 (`hold list`); what they hold is not removed']],
  ])('of a tenant that is disabled has its %i legal holds', async (holdsInForce, lines) => {
    const disabled = { tenantId: '7', disabledAt: 'T', holdsInForce };
    const text = await told('tenant disable 7 --reason r', { disableTenant: [disabled] });
    expect(text.split('\n').slice(1)).toEqual(lines);
  });

  it('of a retention asks before all events go, and nothing where none goes', async () => {
    const of = (events: number, kept: number) => ({
      retentionPreview: [{ before: '2026-01-04', events, kept, held: 0, holds: 0 }],
      setTenantRetention: [{ tenantId: '7', retentionDays: 9, holdsInForce: 0 }],
    });
    expect(await told('tenant retention 7 --days 9', of(3, 0))).toMatch(/^error: 3 events .*--yes/);
    expect(asked.map(({ name }) => name)).toEqual(['retentionPreview']);
    const none = await told('tenant retention 7 --days 9', of(0, 3));
    expect(none).toBe('tenant 7: events are kept for 9 days');
  });

  it('of an erasure that finds nothing is that, and nothing is erased', async () => {
    const line = 'erase --tenant 7 --filter actionId:X --reason r --yes';
    expect(await told(line, { erasurePreview: [{ tenantId: '7', events: 0 }], eraseEvents: [] })).toBe(
      '0 events of tenant 7 would be erased',
    );
    expect(asked.map(({ name }) => name)).toEqual(['erasurePreview']);
  });

  it('of what is declared about servers is what, and where it holds', async () => {
    const none = { sha256: null, principalName: null, applicationName: null, workingHours: null };
    const object = { databaseName: 'Pay', schemaName: null, objectName: null, serverInstanceName: null };
    const all = [
      { ...none, ...object },
      { ...none, ...object, schemaName: 'dbo', objectName: 'Salary', serverInstanceName: 'SQL1' },
      { ...none, ...object, databaseName: null, principalName: 'ada' },
    ].map((one) => ({ declarationId: 'd', kind: 'k', validFrom: 'F', validUntil: null, ...one }));
    const lines = (await told('compliance scope list --tenant 7', { complianceDeclarations: [all] })).split(
      '\n',
    );
    expect(lines.slice(1).map((line) => line.split(/ {2,}/).slice(2, 4))).toEqual([
      ['Pay', 'every one'],
      ['Pay.dbo.Salary', 'SQL1'],
      ['ada', 'every one'],
    ]);
  });

  it('of a week that is not put into a file is why', async () => {
    const week = { week: '2026-01-05', outcome: 'not sealed', events: 3 };
    const run = (because: string | null) =>
      told('archive run 7 --week 2026-01-05', { sealWeek: [{ ...week, because }] });
    expect([await run('a hold'), await run(null)]).toEqual([
      'week of 2026-01-05: not sealed, 3 events (a hold)',
      'week of 2026-01-05: not sealed, 3 events',
    ]);
  });

  it('of sources whose agents do not run the settings of their group are those alone', async () => {
    const all = [true, false].map((followsSettings) => ({ tenantId: '7', lag: 1, followsSettings }));
    const line = 'sources --not-following --json';
    expect(JSON.parse(await told(line, { auditSources: [all] }))).toEqual([all[1]]);
  });
});

describe('the commands of a restore', () => {
  it.each([
    ['the database of DATABASE_URL', { DATABASE_URL: 'x', AUDIT_ACTIVITY_URL: 'http://service' }, [], 0],
    ['the embedded database, where nothing is named', {}, [], 0],
    ['the service, where it alone is named', { AUDIT_ACTIVITY_URL: 'http://service' }, [], 1],
    ['the service of an option', { DATABASE_URL: 'x' }, ['--service', 'http://service'], 1],
  ])('finish-restore asks %s', async (_, env, options, calls) => {
    const epoch = { epoch: 'e', beganAt: 'T', reason: 'r', hold: null, drill: false, lostErasures: [] };
    answering({ finishRestore: [epoch] });
    const ports = { finishRestore: async () => epoch } as object;
    const key = { AUDIT_ACTIVITY_OPERATOR_KEY: 'k' };
    const { lines, error } = await runBeside(ports, ['finish-restore', ...options], { ...env, ...key });
    expect([error, lines, asked.length]).toEqual([null, ['epoch e, since T: r\nnothing waits'], calls]);
  });

  it.each([
    ['-', 'without the database', 0],
    ['folder', 'the database as audit.dump', 1],
  ])(
    'backup --out %s tells what it made, on stdout unless the archive is there',
    async (out, what, count) => {
      const manifest = { files: [1, 2], dump: out === '-' ? null : 'audit.dump', logs: [1], epoch: null };
      const errors: string[] = [];
      const printError = (line: string) => void errors.push(line);
      const ports = { backup: async () => ({ manifest, notes: ['a note'] }), printError } as object;
      const { lines } = await runBeside(ports, ['backup', '--out', out]);
      expect([...lines, ...errors]).toEqual([`2 files, ${what}\n1 logs, epoch none yet\na note`]);
      expect(lines).toHaveLength(count);
      errors.length = 0;
      const asJson = await runBeside(ports, ['backup', '--out', out, '--json']);
      expect([...asJson.lines, ...errors].map((line) => JSON.parse(line))).toEqual([
        { ...manifest, notes: ['a note'] },
      ]);
      expect(asJson.lines).toHaveLength(count);
    },
  );
});

describe('the key of a command that reads events', () => {
  it('is that of the file, or else of the environment', async () => {
    const given = { env: { AUDIT_ACTIVITY_API_KEY: 'of the environment' }, readInput: async () => ' k1 \n' };
    expect([await readerKey('-', given), await readerKey(undefined, given)]).toEqual([
      'k1',
      'of the environment',
    ]);
    await expect(readerKey(undefined, { env: {} })).rejects.toThrow('No API key');
  });
});

it('an error as JSON has a code of words, whatever code it has', () => {
  expect(errorLine(Object.assign(new Error('lost'), { code: 7 }), true)).toBe(
    '{"error":{"code":"failed","message":"lost"}}',
  );
});
