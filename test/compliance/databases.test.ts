import { parseTicks } from '../../src/event/event-time';
import { LIMITS } from '../../src/limits';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { Assessments } from '../../src/modules/compliance/assessment';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { oneTenant } from '../../src/tenant-set';
import { ONE_ENGINE } from '../support/engines';
import type { IngestedEvent } from '../support/events';
import { Store } from '../support/store';
import { DECLARATIONS, hoursAgo, NOW_MS } from './support/known-history';

/** It asks for accesses to objects alone, which specifications of the server and of a database may name. */
const ACCESSES = '10.2.1.3';
/** It asks for log-ons alone, which only a specification of the server may name. */
const LOGONS = 'SQL6-D0-015200';
const [GROUP, NOT_PROVEN] = ['SCHEMA_OBJECT_ACCESS_GROUP', 'which proves it for their databases only'];

type Items = Awaited<ReturnType<Assessments['itemsOf']>>;
type Given = Partial<IngestedEvent>;
const event = (serverInstanceName: string, hours: number, more: Given): Given => ({
  eventTime: hoursAgo(hours),
  serverInstanceName,
  serverPrincipalName: 'CORP\\dba.ali',
  additional: {},
  ...more,
});
const access = (instance: string, hours: number, databaseName: string, objectName = 'Employees') =>
  event(instance, hours, {
    ...{ actionId: 'SL', databaseName, schemaName: 'dbo', objectName },
    additional: { classType: 'U' },
  });
const specification = (instance: string, hours: number, database: string | null, statement: string) =>
  event(instance, hours, {
    actionId: statement.startsWith('CREATE') ? 'CR' : 'AL',
    databaseName: database ?? 'master',
    objectName: database === null ? 'S' : 'D',
    statement: statement.replace('SPECIFICATION', () =>
      database === null ? 'SERVER AUDIT SPECIFICATION S' : 'DATABASE AUDIT SPECIFICATION D',
    ),
    additional: { classType: database === null ? 'SA' : 'DA' },
  });
const database = (instance: string, hours: number, actionId: string, objectName: string, more: Given = {}) =>
  event(instance, hours, {
    ...{ actionId, databaseName: 'master', objectName, additional: { classType: 'DB' } },
    ...more,
  });
const restore = (hours: number, objectName: string, statement: string) =>
  database('BACK', hours, 'RS', objectName, { statement });
const make = `CREATE SPECIFICATION FOR SERVER AUDIT Trail ADD (${GROUP}) WITH (STATE = ON)`;
const drop = `ALTER SPECIFICATION DROP (${GROUP})`;
const actions = (named: string) =>
  `CREATE SPECIFICATION FOR SERVER AUDIT Trail ADD (${named} ON dbo.Employees BY public) WITH (STATE = ON)`;

/** What the trail of each instance has, in hours before the end. */
const EVENTS: readonly Given[] = [
  // Nothing says what SHOWN records. Of its databases, Shop has accesses.
  ...[access('SHOWN', 10, 'Shop'), access('SHOWN', 5, 'Shop', 'Orders')],
  event('SHOWN', 6, { actionId: 'LGIS', databaseName: 'master', additional: { classType: 'LX' } }),
  // Payroll of OWN records by a specification of its own, and Shop has accesses too.
  ...[specification('OWN', 100, 'Payroll', make), access('OWN', 9, 'Payroll'), access('OWN', 8, 'Shop')],
  // The server of ENDED stopped to record; Payroll records by itself, and its accesses go on.
  ...[specification('ENDED', 100, null, make), specification('ENDED', 90, 'Payroll', make)],
  ...[specification('ENDED', 80, null, drop), access('ENDED', 7, 'Payroll')],
  // Payroll of TAKEN stopped to record. Shop has accesses since.
  ...[specification('TAKEN', 100, 'Payroll', make), specification('TAKEN', 80, 'Payroll', drop)],
  access('TAKEN', 7, 'Shop'),
  // PART records one action on Employees, and LESS records the others still after one was taken out.
  specification('PART', 100, 'Payroll', actions('SELECT')),
  access('PART', 9, 'Payroll'),
  specification('LESS', 100, 'Payroll', actions('SELECT, INSERT, UPDATE, DELETE')),
  specification('LESS', 80, 'Payroll', 'ALTER SPECIFICATION DROP (DELETE ON dbo.Employees BY public)'),
  access('LESS', 7, 'Payroll'),
  // Payroll of MADE was dropped and made again, and Shop was not: who tried to drop it was refused.
  ...['Payroll', 'Shop', 'Hr'].map((database) => specification('MADE', 100, database, make)),
  ...[database('MADE', 50, 'DR', 'PAYROLL'), database('MADE', 50, 'CR', 'Payroll')],
  database('MADE', 50, 'DR', 'Shop', { succeeded: false }),
  // Hr was dropped, made again, and records again.
  ...[database('MADE', 50, 'DR', 'Hr'), database('MADE', 49, 'CR', 'Hr')],
  specification('MADE', 40, 'Hr', make),
  // Of the databases of BACK, Payroll, Crm and Hr were restored since; of Shop, a backup was read. Hr records again.
  ...['Payroll', 'Shop', 'Hr', 'Crm'].map((database) => specification('BACK', 100, database, make)),
  ...['Payroll', 'Hr'].map((name) =>
    restore(50, name, `RESTORE DATABASE ${name} FROM DISK = 'a' WITH REPLACE`),
  ),
  ...[restore(50, 'Shop', "RESTORE VERIFYONLY FROM DISK = 'a'"), specification('BACK', 40, 'Hr', make)],
  restore(50, 'Crm', "/* VERIFYONLY */ RESTORE LOG Crm FROM DISK = 'a'"),
];

describe.each(ONE_ENGINE)('groups of databases on %s', (engine) => {
  let store: Store;
  let items: Items;
  beforeAll(async () => {
    store = await Store.open(engine);
    await store.insert(store.checked(EVENTS));
    items = await itemsWith([]);
  });
  afterAll(() => store.close());

  const AS_OF = parseTicks(hoursAgo(0)) ?? 0n;
  const itemsWith = (declarations: typeof DECLARATIONS): Promise<Items> =>
    assessmentsWith(declarations).itemsOf(null, oneTenant(store.tenantId), AS_OF);
  function assessmentsWith(declarations: typeof DECLARATIONS): Assessments {
    const { service } = store.database;
    const explorer = new PostgresAuditEventExplorer(service);
    const reader = new PostgresAuditEventReader(service);
    return new Assessments(
      service,
      {
        groupsOfEach: (set, questions) => explorer.groupsOfEach(set, questions),
        facets: (set, filter, asked) => explorer.facets(set, filter, asked),
        page: (set, query) => reader.page(set, query),
        sources: async () => [],
        lags: async () => [],
        verifications: async () => [],
        sourcesOf: () => [],
      },
      { list: async () => declarations },
      () => NOW_MS,
    );
  }
  const of = (instance: string, controlId = ACCESSES, all = items) =>
    all.filter((item) => item.serverInstanceName === instance && item.controlId === controlId);
  const whole = (instance: string, controlId = ACCESSES, all = items) =>
    of(instance, controlId, all).find(({ databaseName }) => databaseName === null);

  it('that events of one database show pass for no other one, nor for the instance', () => {
    expect(whole('SHOWN')).toMatchObject({
      status: 'unknown',
      reason: `No record says that ${GROUP} is recorded. Events of ${GROUP} came, ${NOT_PROVEN}.`,
    });
    expect(of('SHOWN')).toHaveLength(1);
    const shown = items.filter(
      ({ serverInstanceName, status }) => serverInstanceName === 'SHOWN' && status === 'pass',
    );
    // What the server alone can record is shown by its events.
    expect(shown.map(({ controlId }) => controlId)).toContain(LOGONS);
    for (const { controlId, reason } of shown) expect([controlId, reason]).not.toContain(GROUP);
  });

  it('that a database records by itself pass for it alone', () => {
    expect(of('OWN').map(({ databaseName, status }) => [databaseName, status])).toEqual(
      expect.arrayContaining([
        [null, 'unknown'],
        ['Payroll', 'pass'],
      ]),
    );
    expect(of('OWN')).toHaveLength(2);
    expect(whole('OWN')?.reason).toContain('Specifications of these databases record some: Payroll.');
  });

  it('that the server stopped to record fail for the instance, whatever a database records by itself', () => {
    expect(whole('ENDED')).toMatchObject({ status: 'fail', since: hoursAgo(80) });
    expect(of('ENDED').find(({ databaseName }) => databaseName === 'Payroll')?.status).toBe('pass');
  });

  it('that a database stopped to record fail for it, whatever events of others show', () => {
    expect(of('TAKEN').find(({ databaseName }) => databaseName === 'Payroll')).toMatchObject({
      status: 'fail',
      since: hoursAgo(80),
    });
    expect(whole('TAKEN')?.status).toBe('unknown');
  });

  it('that a database recorded show nothing of the database that was made in its place', () => {
    const found = of('MADE').map(({ databaseName, status, since }) => [databaseName, status, since]);
    expect(found.filter(([name]) => name !== null)).toEqual([
      ['Hr', 'pass', hoursAgo(40)],
      ['Shop', 'pass', hoursAgo(100)],
    ]);
    expect(whole('MADE')?.reason).toContain('Specifications of these databases record some: Hr, Shop.');
  });

  it('that a database recorded show nothing of its backup that was restored, until it records again', async () => {
    const found = (all: Items) =>
      of('BACK', ACCESSES, all).flatMap(({ databaseName, status }) =>
        databaseName === null ? [] : `${databaseName} ${status}`,
      );
    expect(found(items)).toEqual(['Hr pass', 'Shop pass']);
    // Of more restores than are read, the last counts, whatever it says.
    const isChange = ({ additional }: Given) => ['SA', 'DA'].includes(String(additional?.classType));
    const changes = EVENTS.filter(isChange).length;
    const verified = (i: number) => restore(45 - i / 100, 'Shop', "RESTORE VERIFYONLY FROM DISK = 'a'");
    await store.insert(store.checked(Array.from({ length: changes + 1 }, (_, i) => verified(i))));
    expect(found(await itemsWith([]))).toEqual(['Hr pass', 'Shop pass']);
    const max = jest.replaceProperty(LIMITS, 'complianceRecordsMax', changes as never);
    expect(found(await itemsWith([]).finally(() => max.restore()))).toEqual(['Hr pass']);
  });

  it('that record single actions on a sensitive object are shown by accesses for no other action', async () => {
    const all = await itemsWith(
      DECLARATIONS.filter(({ kind }) => kind === 'sensitive').map((one) => ({
        ...one,
        serverInstanceName: null,
      })) as never,
    );
    expect(whole('PART', '10.2.1.1', all)).toMatchObject({
      status: 'unknown',
      reason: 'No record says that access to Payroll.dbo.Employees is recorded.',
    });
    expect(whole('LESS', '10.2.1.1', all)).toMatchObject({ status: 'fail', since: hoursAgo(80) });
  });

  it('are of an instance whose older changes are not read, where its tenant has more than that', async () => {
    const assessed = { asOf: AS_OF, instance: null, checks: [] };
    const unread = async () => {
      const trails = await assessmentsWith([]).trails(oneTenant(store.tenantId), assessed);
      return Object.fromEntries(trails.map((one) => [one.serverInstanceName, one.unreadBefore]));
    };
    expect(Object.values(await unread()).filter((time) => time !== null)).toEqual([]);
    const max = jest.replaceProperty(LIMITS, 'complianceRecordsMax', 4 as never);
    try {
      const found = await unread();
      expect([found.OWN, found.ENDED, found.SHOWN]).toEqual([hoursAgo(80), hoursAgo(80), null]);
    } finally {
      max.restore();
    }
  });

  it('show the accesses to a sensitive object of their own database and schema alone', async () => {
    const sensitive = DECLARATIONS.filter(({ kind }) => kind === 'sensitive').map((one) => ({
      ...one,
      serverInstanceName: 'SHOWN',
    }));
    const all = await itemsWith([
      ...sensitive,
      ...sensitive.map((one) => ({ ...one, databaseName: 'Shop' })),
    ] as never);
    const elsewhere = await itemsWith(
      sensitive.map((one) => ({ ...one, databaseName: 'Shop', schemaName: 'hr' })) as never,
    );
    expect(whole('SHOWN', '10.2.1.1', elsewhere)).toMatchObject({
      status: 'unknown',
      reason: 'No record says that access to Shop.hr.Employees is recorded.',
    });
    expect(whole('SHOWN', '10.2.1.1', all)).toMatchObject({
      status: 'unknown',
      reason: 'No record says that access to Payroll.dbo.Employees is recorded.',
    });
    const databases = of('SHOWN', '10.2.1.1', all).map(({ databaseName, status }) => [databaseName, status]);
    expect(databases).toEqual(
      expect.arrayContaining([
        ['Payroll', 'unknown'],
        ['Shop', 'pass'],
      ]),
    );
  });
});
