import { printed } from '../../src/event/expression/printed';
import { LIMITS } from '../../src/limits';
import { Entities, type EntityId } from '../../src/modules/entities/entities';
import type { Questions } from '../../src/modules/entities/questions';
import { heldRoles, namesOver, type RoleChange } from '../../src/modules/entities/roles';
import { oneTenant } from '../../src/tenant-set';
import { DashboardSession } from '../support/dashboard-session';
import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { useWorld } from '../support/use-world';

const ENTITY = `query($kind: String!, $value: String!, $databaseName: String) {
  entity(kind: $kind, value: $value, databaseName: $databaseName) {
    events failed firstTime lastTime logBegins hours startTime roleChanges alertCount alerts { alertId }
    related { field count newCount values recent known }
    roles { role member serverInstanceName databaseName since by until untilBy } } }`;

const DAY_MS = 86_400_000;
/** A time so many days ago. */
const ago = (days: number) => `${new Date(Date.now() - days * DAY_MS).toISOString().slice(0, -1)}0000Z`;

describe('an entity', () => {
  const open = useWorld(ANY_ENGINE);

  it('has its first and last event, its values with new ones marked, and its roles, of own tenants alone', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    const bob = { serverPrincipalName: 'bob"\\', hostName: 'APP01' };
    const times = [60, 20, 2, 1].map(ago);
    const member = { additional: { targetServerPrincipalName: 'BOB"\\', classType: 'SG' } };
    await acme.ingest([
      anEvent({ ...bob, eventTime: times[0] ?? '' }),
      anEvent({ ...bob, eventTime: times[1] ?? '' }),
      anEvent({ ...bob, eventTime: times[2] ?? '', hostName: 'KIOSK' }),
      anEvent({ ...bob, eventTime: times[3] ?? '', succeeded: false, databaseName: 'Sales' }),
      anEvent({ eventTime: ago(10), actionId: 'APRL', objectName: 'sysadmin', ...member }),
      anEvent({ eventTime: ago(9), actionId: 'DPRL', objectName: 'dbcreator', ...member }),
      anEvent({
        eventTime: ago(8),
        actionId: 'APRL',
        objectName: 'serveradmin',
        succeeded: false,
        ...member,
      }),
    ]);
    await other.ingest([anEvent({ ...bob, eventTime: ago(3), hostName: 'SECRET' })]);
    const session = await DashboardSession.signIn(open.world, acme.key);
    const ask = async (variables: object) => {
      const { body } = await session.graphql(ENTITY, variables);
      expect(body.errors).toBeUndefined();
      return body.data.entity;
    };
    const entity = await ask({ kind: 'login', value: bob.serverPrincipalName });
    expect(entity).toMatchObject({
      events: 4,
      failed: 1,
      firstTime: `${times[0]?.slice(0, 23)}Z`,
      lastTime: `${times[3]?.slice(0, 23)}Z`,
      roleChanges: 3,
      alertCount: null,
      alerts: null,
    });
    expect(entity.hours).toHaveLength(37 * 24);
    expect(entity.hours.reduce((sum: number, n: number) => sum + n, 0)).toBe(3);
    const of = (field: string) => entity.related.find((one: { field: string }) => one.field === field);
    expect(of('hostName')).toEqual({
      field: 'hostName',
      count: 2,
      newCount: 1,
      values: ['KIOSK', 'APP01'],
      recent: [1, 1],
      known: [0, 1],
    });
    expect(of('databaseName')).toMatchObject({ values: ['Sales', 'Payroll'], newCount: 1 });
    expect(entity.roles).toEqual([
      {
        role: 'sysadmin',
        member: 'BOB"\\',
        serverInstanceName: 'SQLPROD01',
        databaseName: null,
        since: expect.any(String),
        by: 'CORP\\alice',
        until: null,
        untilBy: null,
      },
      expect.objectContaining({ role: 'dbcreator', since: null, by: null, untilBy: 'CORP\\alice' }),
    ]);
    const role = await ask({ kind: 'object', value: 'SYSADMIN' });
    expect(role).toMatchObject({ events: 0, roleChanges: 1, roles: [entity.roles[0]] });
    const object = { kind: 'object', value: 'Employees' };
    expect(await ask(object)).toMatchObject({ events: 4, roles: null });
    expect(await ask({ ...object, databaseName: 'Sales' })).toMatchObject({ events: 1 });
    expect(await ask({ kind: 'host', value: 'SECRET' })).toMatchObject({
      events: 0,
      firstTime: null,
      hours: [],
    });
  });

  it('keeps its roles under a new name, however far behind in its statement the new name stands', async () => {
    const acme = await open.world.tenant();
    const padded = (from: string, to: string) =>
      `ALTER LOGIN ${from} /*${'x'.repeat(300)}*/ WITH NAME = ${to}`;
    await acme.ingest([
      anEvent({
        ...{ eventTime: ago(10), actionId: 'APRL', objectName: 'sysadmin' },
        additional: { targetServerPrincipalName: 'eve', classType: 'SG' },
      }),
      ...[
        ['eve', 'mid'],
        ['mid', 'svc'],
      ].map(([from = '', to = ''], i) =>
        anEvent({ eventTime: ago(9 - i), actionId: 'LGNM', objectName: from, statement: padded(from, to) }),
      ),
    ]);
    const session = await DashboardSession.signIn(open.world, acme.key);
    const rolesOf = async (value: string) => {
      const { body } = await session.graphql(ENTITY, { kind: 'login', value });
      return body.data.entity.roles.map(({ role, until }: { role: string; until: string | null }) => [
        ...[role, until === null],
      ]);
    };
    expect(await rolesOf('svc')).toEqual([['sysadmin', true]]);
    expect(await rolesOf('eve')).toEqual([['sysadmin', false]]);
  });

  it('has its open alerts for those who may read them, and refuses a kind that there is not', async () => {
    const acme = await open.world.tenant();
    const scopes = ['read:audit-activity', 'read:alerts'];
    const { key } = await open.world.key({ tenantIds: [acme.tenantId], scopes });
    const session = await DashboardSession.signIn(open.world, key);
    const ask = async (kind: string) => (await session.graphql(ENTITY, { kind, value: 'x' })).body;
    for (const kind of ['login', 'host', 'address', 'instance'])
      expect((await ask(kind)).data.entity).toMatchObject({ alertCount: 0, alerts: [] });
    expect((await ask('object')).data.entity).toMatchObject({ alertCount: null });
    expect((await ask('session')).errors[0].extensions.code).toBe('invalid_parameter');
  });
});

describe('what is asked about an entity', () => {
  const NOW_MS = Date.parse('2026-03-09T09:30:00Z');
  const hourOf = (ticks: bigint | null) => Number((ticks ?? 0n) / 36_000_000_000n);
  const END = hourOf(BigInt(NOW_MS) * 10_000n) + 1;
  const RECENT = END - 168;
  type Counts = Readonly<Record<string, number>>;

  /** @param hosts the events of each host, lately and before */
  async function asked(
    id: Partial<EntityId>,
    {
      recent = {},
      known = {},
      roles = 0,
      members = [],
    }: { recent?: Counts; known?: Counts; roles?: number; members?: readonly string[] } = {},
  ) {
    const [pages, filters]: [unknown[], unknown[]] = [[], []];
    const ranges: (readonly [from: number, to: number])[] = [];
    const values = (counts: Counts) =>
      Object.entries(counts).map(([value, n]) => ({ value, succeeded: n - 1, failed: 1 }));
    const ask = {
      groups: async (_: unknown, filter: object) => {
        filters.push(filter);
        return { groups: [{ n: 9, failed: 1, firstMs: 0, lastMs: 1 }] };
      },
      histogram: async (
        _: unknown,
        { from, to }: { from: bigint | null; to: bigint | null },
        most: number,
      ) => {
        if (from === null) return { buckets: [] };
        ranges.push([hourOf(from), hourOf(to)]);
        return { buckets: Array(most).fill({ from, succeeded: 1, failed: 0 }) };
      },
      facets: async (_: unknown, { from }: { from: bigint }) => ({
        facets: [{ field: 'hostName', values: values(hourOf(from) === RECENT ? recent : known) }],
      }),
      page: async (_: unknown, page: { filter: { expression: never } }) => {
        pages.push(page);
        const items = members.map((roleMember) => ({ recordId: roleMember, actionId: 'APRL', roleMember }));
        return { items, totalCount: roles };
      },
      alerts: async () => null,
    } as unknown as Questions;
    const whole = { kind: 'login', value: 'eve', databaseName: null, schemaName: null, ...id } as const;
    const entity = await new Entities(ask).of(oneTenant(1), whole, { nowMs: NOW_MS, hasAlerts: false });
    return {
      entity,
      pages: pages as { filter: { expression: never; databaseName: unknown } }[],
      ranges,
      filters,
    };
  }

  it('has new values first, and of the others those with the most events of all the time', async () => {
    const recent = { NEW: 2, NEWEST: 5, a: 9, b: 1 };
    const { entity } = await asked({}, { recent, known: { a: 1, b: 30, c: 12 } });
    expect(entity.related.find(({ field }) => field === 'hostName')).toEqual({
      ...{ field: 'hostName', count: 5, newCount: 2, values: ['NEWEST', 'NEW', 'b', 'c', 'a'] },
      ...{ recent: [5, 2, 1, 0, 9], known: [0, 0, 30, 12, 1] },
    });
  });

  it('counts values that it does not list', async () => {
    const many = Object.fromEntries(
      Array.from({ length: LIMITS.entityValuesMax + 3 }, (_, i) => [`h${i}`, 2]),
    );
    const hosts = (await asked({}, { recent: many })).entity.related.find(
      ({ field }) => field === 'hostName',
    );
    expect(hosts).toMatchObject({ count: LIMITS.entityValuesMax + 3, newCount: LIMITS.entityValuesMax + 3 });
    expect(hosts?.values).toHaveLength(LIMITS.entityValuesMax);
  });

  it('has each hour of 37 days once, although a histogram has fewer bars', async () => {
    const { entity, ranges } = await asked({});
    expect(entity.hours).toHaveLength(37 * 24);
    expect([ranges[0]?.[0], ranges.at(-1)?.[1]]).toEqual([END - 37 * 24, END]);
    for (const [i, [from, to]] of ranges.entries()) {
      expect(to - from).toBeLessThanOrEqual(LIMITS.histogramBucketsMax);
      if (i > 0) expect(from).toBe(ranges[i - 1]?.[1]);
    }
  });

  it('is of its database and its schema, where it is an object', async () => {
    const place = { databaseName: 'Pay', schemaName: 'hr' };
    const { filters } = await asked({ kind: 'object', value: 'Salaries', ...place });
    expect(filters).toEqual([expect.objectContaining({ objectName: 'Salaries', ...place })]);
  });

  it('is who is in the role that an object is, in its database alone, or which roles a login has', async () => {
    const filterOf = async (id: Partial<EntityId>) => {
      const { pages } = await asked(id, { roles: 1 });
      // Of a login, its other names are looked for first.
      const page = pages[id.kind === 'object' ? 0 : 1];
      return page && printed(page.filter.expression);
    };
    expect(await filterOf({})).toContain('roleMember~"eve"');
    const object = { kind: 'object', value: 'db_owner' } as const;
    expect(await filterOf(object)).toMatch(/objectName~"db_owner"$/);
    expect(await filterOf({ ...object, databaseName: 'Pay' })).toMatch(
      /objectName~"db_owner" AND databaseName~"Pay"$/,
    );
    expect(await filterOf({ kind: 'host', value: 'APP01' })).toBeUndefined();
    expect((await asked(object)).entity.roles).toBeNull();
    const dropsOf = async (id: Partial<EntityId>, members: readonly string[] = []) => {
      const [, , page] = (await asked(id, { roles: 1, members })).pages;
      return page && printed(page.filter.expression);
    };
    expect(await dropsOf({})).toMatch(/^\(classType:"LX" OR .*\) AND objectName~"eve"$/);
    expect(await dropsOf(object)).toMatch(/^\(?classType:"LX" OR [^~]*$/);
    // Of a role, those who were its members, as far as a filter can name them.
    expect(await dropsOf(object, ['a', 'B', 'A'])).toMatch(/ AND \(objectName~"A" OR objectName~"B"\)$/);
    const many = Array.from({ length: LIMITS.expressionTermsMax }, (_, i) => `m${i}`);
    for (const members of [many, ['x'.repeat(LIMITS.expressionCharsMax / 2)]])
      expect(await dropsOf(object, members)).toMatch(/^\(?classType:"LX" OR [^~]*$/);
    expect((await asked({}, { roles: 0 })).pages).toHaveLength(2);
    expect((await asked({})).entity.roles).toEqual([]);
  });
});

describe('roles', () => {
  const change = (actionId: string, day: number, of: Partial<RoleChange> = {}): RoleChange => ({
    recordId: `id-${day}`,
    eventTime: `2026-01-${String(day).padStart(2, '0')}T00:00:00.0000000Z`,
    actionId,
    succeeded: true,
    serverInstanceName: 'SQL01',
    databaseName: 'Payroll',
    objectName: 'db_owner',
    serverPrincipalName: 'dba',
    ...of,
  });
  const shown = (changes: readonly RoleChange[]) =>
    heldRoles(changes).map(({ role, databaseName, since, until }) => [
      ...[role, databaseName, since?.slice(8, 10) ?? null, until?.slice(8, 10) ?? null],
    ]);

  it('are held first, and of those that were held the latest comes first', () => {
    const of = (objectName: string) => ({ objectName });
    const changes = [change('DPRL', 1, of('a')), change('DPRL', 2, of('b')), change('APRL', 3, of('c'))];
    expect(shown(changes).map(([role]) => role)).toEqual(['c', 'b', 'a']);
  });

  it('are replayed: added, removed and added again, in any letter case', () => {
    expect(
      shown([
        change('APRL', 1),
        change('APRL', 2, { objectName: 'DB_OWNER' }),
        change('DPRL', 3, { databaseName: 'PAYROLL', serverInstanceName: 'sql01' }),
        change('APRL', 4),
        // Nothing was changed.
        change('DPRL', 5, { succeeded: false }),
        change('APRL', 6, { succeeded: false, objectName: 'db_ddladmin' }),
      ]),
    ).toEqual([
      ['db_owner', 'Payroll', '04', null],
      ['db_owner', 'Payroll', '01', '03'],
    ]);
  });

  it('are replayed for each member', () => {
    const members = heldRoles([
      change('APRL', 1, { roleMember: 'a' }),
      change('APRL', 2, { roleMember: 'b' }),
      change('DPRL', 3, { roleMember: 'A' }),
    ]);
    expect(members.map(({ member, until }) => [member, until !== null])).toEqual([
      ['b', false],
      ['a', true],
    ]);
  });

  it('of a server are of no database, whoever names them, and each server has its own', () => {
    const placed = (of: Partial<RoleChange>) =>
      heldRoles([change('APRL', 1, of), change('DPRL', 2, { ...of, serverInstanceName: 'SQL02' })]).map(
        ({ serverInstanceName, databaseName, since, until }) => [
          ...[serverInstanceName, databaseName, since !== null, until !== null],
        ],
      );
    for (const objectName of ['SysAdmin', 'bulkadmin', '##MS_DatabaseConnector##', '##ms_loginmanager##'])
      expect([objectName, placed({ objectName })]).toEqual([
        objectName,
        [
          ['SQL01', null, true, false],
          ['SQL02', null, false, true],
        ],
      ]);
    expect(placed({ objectName: 'own_role', classType: 'SG' })[0]?.[1]).toBeNull();
    expect(placed({ objectName: 'own_role', classType: 'RL' })[0]?.[1]).toBe('Payroll');
  });

  it('of a server go over to the new name of a login, since it got them, and end under the old one', () => {
    const of = (objectName: string, roleMember: string) => change('APRL', 1, { objectName, roleMember });
    const rename = (statementPreview: string, more: Partial<RoleChange> = {}) =>
      change('LGNM', 5, { objectName: null, statementPreview, serverPrincipalName: 'eve', ...more });
    const given = [of('sysadmin', 'eve'), of('db_owner', 'eve'), of('sysadmin', 'bob')];
    const held = (...renames: readonly RoleChange[]) =>
      heldRoles([...given, ...renames])
        .map(({ role, member, since, by, until, untilBy }) =>
          [role, member, since?.slice(8, 10), by, until?.slice(8, 10), untilBy].join(' ').trim(),
        )
        .sort();
    const kept = ['db_owner eve 01 dba', 'sysadmin bob 01 dba'];
    expect(held(rename('ALTER LOGIN [EVE] WITH NAME = svc'))).toEqual([
      ...[...kept, 'sysadmin eve 01 dba 05 eve', 'sysadmin svc 01 dba'],
    ]);
    expect(held(rename('ALTER LOGIN eve WITH NAME = [Eve]'))).toContain('sysadmin Eve 01 dba');
    for (const other of [
      rename('ALTER LOGIN eve WITH NAME = svc', { succeeded: false }),
      rename('ALTER LOGIN eve WITH NAME = svc', { serverInstanceName: 'SQL02' }),
      rename('ALTER LOGIN ev WITH NAME = svc'),
    ])
      expect([other, held(other)]).toEqual([other, [...kept, 'sysadmin eve 01 dba']]);
  });

  it('are looked for under all names that a login had or got', () => {
    const rename = (statementPreview: string, succeeded = true) =>
      change('LGNM', 5, { statementPreview, succeeded });
    const renames = [
      rename('ALTER LOGIN c WITH NAME = d'),
      rename('ALTER LOGIN A WITH NAME = b'),
      rename('ALTER LOGIN B WITH NAME = c'),
      rename('ALTER LOGIN b WITH NAME = x', false),
      rename('ALTER LOGIN y WITH NAME = z'),
    ];
    for (const name of ['a', 'b', 'd'])
      expect([
        name,
        namesOver(renames, [name])
          .map((one) => one.toLowerCase())
          .sort(),
      ]).toEqual([name, ['a', 'b', 'c', 'd']]);
    expect(namesOver(renames, ['other', 'Y'])).toEqual(['other', 'Y', 'z']);
  });

  it('end with the login, for the roles of its server, and with the user, for those of its database', () => {
    const of = (objectName: string, roleMember: string, more: Partial<RoleChange> = {}) =>
      change('APRL', 1, { objectName, roleMember, ...more });
    const drop = (classType: string, objectName: string, more: Partial<RoleChange> = {}) =>
      change('DR', 5, { classType, objectName, recordId: 'drop', databaseName: 'master', ...more });
    const held = [of('sysadmin', 'eve'), of('db_owner', 'eve'), of('sysadmin', 'bob')];
    const left = (...drops: readonly RoleChange[]) =>
      heldRoles([...held, ...drops]).flatMap(({ role, member, until, untilBy, untilRecordId }) =>
        until === null ? [] : [[role, member, until.slice(8, 10), untilBy, untilRecordId]],
      );

    expect(left(drop('LX', 'EVE'))).toEqual([['sysadmin', 'eve', '05', 'dba', 'drop']]);
    expect(left(drop('US', 'eve', { databaseName: 'PAYROLL' }))).toEqual([
      ['db_owner', 'eve', '05', 'dba', 'drop'],
    ]);
    for (const other of [
      drop('LX', 'eve', { succeeded: false }),
      drop('LX', 'eve', { serverInstanceName: 'SQL02' }),
      drop('US', 'eve'),
      drop('WL', 'ev'),
    ])
      expect([other, left(other)]).toEqual([other, []]);
    const again = change('APRL', 7, { objectName: 'sysadmin', roleMember: 'eve' });
    expect(heldRoles([...held, drop('LX', 'eve'), again])[0]).toMatchObject({
      role: 'sysadmin',
      until: null,
    });
  });

  it('were held before the log began if they are removed without having been added', () => {
    expect(shown([change('DPRL', 5), change('APRL', 6, { objectName: 'sysadmin' })])).toEqual([
      ['sysadmin', null, '06', null],
      ['db_owner', 'Payroll', null, '05'],
    ]);
  });
});
