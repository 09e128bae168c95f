import fc from 'fast-check';
import { ACTION_NAMES } from '../../../src/event/action-names';
import { parseTicks } from '../../../src/event/event-time';
import type { AuditEvent } from '../../../src/event/fields';
import type { FeedEvent } from '../../../src/event/formats/feed-item';
import { FEED_FORMATS } from '../../../src/event/formats/formats';
import { recordIdFloor } from '../../../src/event/record-id';
import * as ecs from './ecs-8.17.0';
import * as ocsf from './ocsf-1.8.0';

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
type Document = any;

const TIME = '2026-03-05T10:11:12.1234567Z';
function feedEvent(
  change: Partial<AuditEvent> = {},
  additional: FeedEvent['event']['additional'] = {},
): FeedEvent {
  return {
    position: 41,
    receivedAt: '2026-03-05T10:11:14.000Z',
    event: {
      recordId: recordIdFloor(parseTicks(TIME) ?? 0n),
      tenantId: '7',
      eventTime: TIME,
      actionId: 'SL',
      succeeded: true,
      serverInstanceName: 'SQLPROD01',
      databaseName: 'Payroll',
      schemaName: 'dbo',
      objectName: 'Employees',
      serverPrincipalName: 'CORP\\alice',
      databasePrincipalName: 'dbo',
      applicationName: 'PayrollWeb',
      hostName: 'APP01',
      clientIp: '10.20.30.40',
      sourceType: 'DirectFile',
      statement: 'SELECT 1',
      ...change,
      additional: { sessionId: 55, ...additional },
    },
  };
}
const toOcsf = (feed: FeedEvent): Document => FEED_FORMATS.ocsf.toObject(feed);
const toEcs = (feed: FeedEvent): Document => FEED_FORMATS.ecs.toObject(feed);

function ecsProblems(document: Document): string[] {
  const problems = ecs.REQUIRED.filter((name) => document[name] === undefined);
  problems.push(...Object.keys(document).filter((name) => !ecs.FIELD_SETS.includes(name)));
  const { kind, category, type, outcome } = document.event;
  if (!ecs.KINDS.includes(kind)) problems.push(kind);
  problems.push(...category.filter((name: string) => !ecs.CATEGORIES.includes(name)));
  problems.push(...type.filter((name: string) => !ecs.TYPES.includes(name)));
  const expects = (name: string, one: string) => ecs.TYPES_OF[name]?.includes(one);
  const isExpected = (one: string) => category.some((name: string) => expects(name, one));
  problems.push(...type.filter((one: string) => !isExpected(one)));
  const hasType = (name: string) => type.some((one: string) => expects(name, one));
  problems.push(...category.filter((name: string) => !hasType(name)));
  if (!ecs.OUTCOMES.includes(outcome)) problems.push(outcome);
  if (document.ecs?.version !== '8.17.0') problems.push('ecs.version');
  return problems;
}

const CODES = [...Object.keys(ACTION_NAMES), 'EADS', 'EAFS', 'EGDP', 'FWDL', 'FWUD', 'ZZZZ', ''];
const CLASS_TYPES = [undefined, 'U', 'DB', 'LX', 'SL', 'WL', 'US', 'SU', 'RL', 'SR', 'A', 'ZZ'];

describe('formats of events', () => {
  it('conform to OCSF 1.8.0 and ECS 8.17.0 for every action and object, whatever fields are absent', () => {
    const text = fc.constantFrom(
      null,
      'x',
      'CORP\\bob',
      '\\',
      'local machine',
      '::1',
      '300.1.1.1',
      '"quoted"',
    );
    const change = fc.record({
      actionId: fc.constantFrom(...CODES),
      succeeded: fc.boolean(),
      databaseName: text,
      schemaName: text,
      objectName: text,
      serverInstanceName: fc.oneof(text, fc.constant('SQL01\\PAYROLL')),
      serverPrincipalName: text,
      databasePrincipalName: text,
      applicationName: text,
      hostName: text,
      clientIp: text,
      sourceType: text,
      statement: fc.constantFrom(
        null,
        'GRANT SELECT, INSERT ON dbo.T TO bob',
        'DENY',
        'GRANT '.repeat(2_000),
      ),
    });
    fc.assert(
      fc.property(change, fc.constantFrom(...CLASS_TYPES), text, (changed, classType, target) => {
        const additional = { ...(classType && { classType }), targetServerPrincipalName: target };
        const feed = feedEvent(changed, additional);
        expect(ocsf.ocsfProblems(toOcsf(feed))).toEqual([]);
        expect(ecsProblems(toEcs(feed))).toEqual([]);
      }),
      { numRuns: 3_000, seed: 7 },
    );
    for (const actionId of CODES)
      for (const classType of CLASS_TYPES) {
        const feed = feedEvent({ actionId }, classType ? { classType } : {});
        expect([actionId, ocsf.ocsfProblems(toOcsf(feed)), ecsProblems(toEcs(feed))]).toEqual([
          actionId,
          [],
          [],
        ]);
      }
  });

  it.each<[string, object, number, string]>([
    ['LGIS', {}, 300201, 'authentication,session/start'],
    ['LGO', {}, 300202, 'authentication,session/end'],
    ['SL', {}, 600504, 'database/access'],
    ['IN', {}, 600506, 'database/change'],
    ['UP', {}, 600502, 'database/change'],
    ['DL', {}, 600507, 'database/change'],
    ['EX', {}, 600599, 'database/access'],
    ['BCM', {}, 600504, 'database/access'],
    ['CR', { classType: 'LX' }, 300101, 'iam/user,creation'],
    ['AL', { classType: 'SL' }, 300199, 'iam/user,change'],
    ['DR', { classType: 'US' }, 300106, 'iam/user,deletion'],
    ['CR', { classType: 'U' }, 300401, 'database,configuration/change,creation'],
    ['AL', { classType: 'DB' }, 300403, 'database,configuration/change'],
    ['DR', {}, 300404, 'database,configuration/change,deletion'],
    ['TO', {}, 300405, 'database,configuration/change'],
    ['LGEA', {}, 300102, 'iam/user,change'],
    ['LGDA', {}, 300105, 'iam/user,change'],
    ['PWCS', {}, 300103, 'iam/user,change'],
    ['PWR', {}, 300104, 'iam/user,change'],
    ['PWU', {}, 300112, 'iam/user,change'],
    ['APRL', {}, 300603, 'iam/group,change'],
    ['DPRL', {}, 300604, 'iam/group,change'],
    ['GWG', {}, 300501, 'iam/admin,change'],
    ['RWC', {}, 300502, 'iam/admin,change'],
    ['D', {}, 300599, 'iam/admin,change'],
    ['SVSR', {}, 600203, 'process/start'],
    ['SVSD', {}, 600204, 'process/end'],
    ['IMP', {}, 300207, 'iam/user'],
    ['BA', {}, 300402, 'configuration/change'],
    ['RS', {}, 300403, 'configuration/change'],
    ['AUSC', {}, 300410, 'configuration/change'],
    ['ZZZZ', {}, 300499, 'database/info'],
  ])('map %s %j to OCSF %i and ECS %s', (actionId, additional, type, words) => {
    const feed = feedEvent({ actionId }, additional as never);
    expect(toOcsf(feed).type_uid).toBe(type);
    const { category, type: types } = toEcs(feed).event;
    expect(`${category.join()}/${types.join()}`).toBe(words);
  });

  it('state who did what to which object from where, and lose no value', () => {
    const feed = feedEvent();
    expect(toOcsf(feed)).toMatchObject({
      time: Date.parse('2026-03-05T10:11:12.123Z'),
      status_id: 1,
      metadata: {
        uid: feed.event.recordId,
        tenant_uid: '7',
        event_code: 'SL',
        sequence: 41,
        original_time: TIME,
      },
      actor: { user: { name: 'alice', domain: 'CORP' }, app_name: 'PayrollWeb' },
      src_endpoint: { ip: '10.20.30.40', hostname: 'APP01' },
      dst_endpoint: { name: 'SQLPROD01' },
      database: { name: 'Payroll', type_id: 1 },
      table: { name: 'dbo.Employees' },
      query_info: { query_string: 'SELECT 1' },
      unmapped: { serverPrincipalName: 'CORP\\alice', additional: { sessionId: 55 } },
    });
    expect(toEcs(feed)).toMatchObject({
      '@timestamp': TIME,
      event: { id: feed.event.recordId, code: 'SL', action: 'SELECT', outcome: 'success', sequence: 41 },
      organization: { id: '7' },
      user: { name: 'alice', domain: 'CORP' },
      host: { name: 'SQLPROD01' },
      related: { hosts: ['SQLPROD01', 'APP01'] },
      source: { ip: '10.20.30.40', domain: 'APP01' },
      sqlserver: {
        audit: {
          server_principal_name: 'CORP\\alice',
          statement: 'SELECT 1',
          database_name: 'Payroll',
          additional: { sessionId: 55 },
        },
      },
    });
  });

  it('do not mistake a text for an address, or a server for a database', () => {
    const local = feedEvent({
      clientIp: 'local machine',
      hostName: null,
      actionId: 'LGIF',
      succeeded: false,
    });
    expect(toOcsf(local)).toMatchObject({
      src_endpoint: { name: 'local machine' },
      status_id: 2,
      severity_id: 2,
    });
    expect(toEcs(local).source).toBeUndefined();
    // The text is told only where nothing else names the endpoint.
    const named = toOcsf(feedEvent({ clientIp: 'local machine', hostName: 'PC7' }));
    expect(named.src_endpoint).toEqual({ hostname: 'PC7' });
    const addressed = toOcsf(feedEvent({ clientIp: '10.0.0.7', hostName: null }));
    expect(addressed.src_endpoint).toEqual({ ip: '10.0.0.7' });
    expect(toOcsf(feedEvent({ databaseName: null, objectName: null }))).toMatchObject({
      type_uid: 300402,
      entity: { name: 'SQLPROD01', type: 'Server' },
      unmapped: { statement: 'SELECT 1' },
    });
  });

  it('name whom an event is about: of an impersonation the other principal, of an account the object', () => {
    const acted = feedEvent({ actionId: 'IMP' }, { targetServerPrincipalName: 'CORP\\boss' });
    expect(toOcsf(acted)).toMatchObject({ user: { name: 'boss' }, actor: { user: { name: 'alice' } } });
    expect(toOcsf(feedEvent({ actionId: 'IMP' })).user).toEqual({ name: 'Employees' });
    expect(toOcsf(feedEvent({ actionId: 'LGIS' })).user).toEqual({ name: 'alice', domain: 'CORP' });
    expect(toEcs(feedEvent({ actionId: 'LGDA', objectName: 'bob' })).user.target).toEqual({ name: 'bob' });
    expect(toEcs(feedEvent()).user).not.toHaveProperty('target');
  });

  it('of the service have the time of arrival where the position is known', () => {
    const { position: _, ...unplaced } = feedEvent();
    const native = (feed: FeedEvent): Document => FEED_FORMATS.native.toObject(feed);
    expect(native(feedEvent())).toMatchObject({ position: '41', receivedAt: '2026-03-05T10:11:14.000Z' });
    expect(native({ ...feedEvent(), receivedAt: null })).toMatchObject({ position: '41', receivedAt: null });
    for (const name of ['position', 'receivedAt']) expect(native(unplaced)).not.toHaveProperty(name);
  });

  it('name the permissions of a grant and the principal concerned', () => {
    const statement = 'GRANT SELECT, ALTER ANY LOGIN TO [bob]';
    const feed = feedEvent({ actionId: 'G', statement }, { targetDatabasePrincipalName: 'bob' });
    expect(toOcsf(feed)).toMatchObject({ privileges: ['SELECT', 'ALTER ANY LOGIN'], user: { name: 'bob' } });
    expect(toEcs(feed).user.target).toEqual({ name: 'bob' });
  });
});

describe('what an event is about', () => {
  const added = feedEvent(
    {
      actionId: 'APRL',
      objectName: 'sysadmin',
      statement: 'ALTER SERVER ROLE sysadmin ADD MEMBER [CORP\\eve]',
    },
    { classType: 'SG', targetServerPrincipalName: 'CORP\\eve' },
  );
  const made = feedEvent({ actionId: 'CR', objectName: 'bob', databaseName: null }, { classType: 'SL' });

  it('is in ECS the group of a change of members, and every user whom an event names', () => {
    const { group, user, related } = toEcs(added);
    expect(group).toEqual({ name: 'sysadmin' });
    expect(user).toMatchObject({ name: 'alice', domain: 'CORP', target: { name: 'eve', domain: 'CORP' } });
    expect(related).toEqual({ user: ['alice', 'eve'], ip: ['10.20.30.40'], hosts: ['SQLPROD01', 'APP01'] });
    expect(toEcs(made).group).toBeUndefined();
    expect(toEcs(made).related.user).toEqual(['alice', 'bob']);
    const self = feedEvent({ actionId: 'AL', objectName: 'alice', databaseName: null }, { classType: 'SL' });
    expect(toEcs(self).related.user).toEqual(['alice']);
  });

  it('has in OCSF its times in milliseconds, and its place in the log', () => {
    const { time, metadata } = toOcsf(added);
    expect(time).toBe(Date.parse('2026-03-05T10:11:12.123Z'));
    expect(metadata).toMatchObject({
      ...{ logged_time: Date.parse('2026-03-05T10:11:14.000Z'), sequence: 41, original_time: TIME },
    });
    expect(toOcsf({ ...added, receivedAt: null }).metadata).not.toHaveProperty('logged_time');
  });
});
