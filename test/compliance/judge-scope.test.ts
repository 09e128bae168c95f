import { LIMITS } from '../../src/limits';
import {
  judgeApplications,
  judgeAuditors,
  judgeReaders,
  judgeSensitive,
} from '../../src/modules/compliance/judge-scope';
import { objectKey, READS_OF_FILES } from '../../src/modules/compliance/later-questions';
import type { InstanceTrail } from '../../src/modules/compliance/trail';

const at = (minute: number) => `2026-05-04T08:${String(minute).padStart(2, '0')}:00.0000000Z`;
const PERIOD = { from: '2026-04-05T00:00:00.0000000Z', to: '2026-05-05T00:00:00.0000000Z' };
const SERVER = () => 'server' as const;
const RECORDED = { is: 'configured', since: at(1), by: 'eve', recordId: 'made' };
const GAP = { fileName: 'a.sqlaudit', afterTime: at(3), beforeTime: null };

/** A trail on which every group is recorded. */
const trailOf = (scope: object, more: object = {}) =>
  ({
    scope: { sensitive: [], isSensitiveKnown: true, auditors: [], applications: [], ...scope },
    replay: { of: () => RECORDED, filterOf: () => null, databasesOf: () => [], mayBeOfDatabase: () => false },
    seen: new Map(),
    sources: [],
    period: PERIOD,
    accesses: async () => new Map(),
    records: async (filter: string) => [
      { at: at(9), recordId: `newest of ${filter}` },
      { at: at(2), recordId: 'first' },
    ],
    auditChanges: [],
    verified: async () => ({ endedAt: new Date(0), entries: 3, wrong: 0, problem: null }),
    readers: async () => [],
    logons: async () => new Map(),
    ...more,
  }) as unknown as InstanceTrail;

describe('whether accesses to sensitive objects are recorded', () => {
  const object = (objectName: string, databaseName = 'HR') => ({
    databaseName,
    schemaName: 'dbo',
    objectName,
  });
  /** @param known what is known of each object, by its name; absent: nothing */
  const judged = (
    objects: readonly ReturnType<typeof object>[],
    known: Readonly<Record<string, object>>,
    {
      within = null,
      stopped = null,
      ...more
    }: {
      within?: string | null;
      stopped?: string | null;
      lastMs?: number;
      sources?: readonly object[];
    } = {},
  ) => {
    const replay = {
      ofObject: ({ objectName }: { objectName: string }) => known[objectName],
      filterOf: () => null,
      mayBeOfActions: () => false,
      stillSince: (time: string) => (stopped !== null && stopped >= time ? { ...off(9), at: stopped } : null),
    };
    const accesses = async () =>
      new Map(more.lastMs === undefined ? [] : objects.map((one) => [objectKey(one), more.lastMs]));
    return judgeSensitive(trailOf({ sensitive: objects }, { replay, accesses, ...more }), SERVER, within);
  };
  const off = (minute: number, by: string | null = null) => ({
    ...{ is: 'contradicted', since: at(minute), by, recordId: `off ${minute}` },
  });

  it('is so since the last of them was, and each record counts once', async () => {
    const known = { a: { ...RECORDED, since: at(5) }, b: RECORDED, c: { ...RECORDED, recordId: 'other' } };
    expect(
      await judged(
        ['a', 'b', 'c'].map((name) => object(name)),
        known,
      ),
    ).toMatchObject({
      ...{ status: 'pass', since: at(5), recordIds: ['made', 'other'] },
    });
  });

  it('is not since the first was taken out, and those are named alone', async () => {
    const known = { a: RECORDED, b: off(7), c: off(4, 'mallory') };
    expect(
      await judged(
        ['a', 'b', 'c'].map((name) => object(name)),
        known,
      ),
    ).toMatchObject({
      ...{ status: 'fail', since: at(4), recordIds: ['off 7', 'off 4'] },
      reason: `Access to HR.dbo.b, HR.dbo.c is not recorded since ${at(4)} by mallory.`,
    });
    const reasonOf = async (length: number) => {
      const many = Array.from({ length }, (_, i) => object(`o${i}`));
      return (await judged(many, Object.fromEntries(many.map(({ objectName }) => [objectName, off(4)]))))
        .reason;
    };
    const five = 'HR.dbo.o0, HR.dbo.o1, HR.dbo.o2, HR.dbo.o3, HR.dbo.o4';
    expect(await reasonOf(5)).toContain(`${five} is not`);
    expect(await reasonOf(7)).toContain(`${five} and 2 more is not`);
  });

  it('is shown by an access after it was taken out, from the next millisecond on', async () => {
    const of = (ms: number) => judged([object('a')], { a: off(4) }, { lastMs: Date.parse(at(4)) + ms });
    expect(await of(1)).toMatchObject({ status: 'fail' });
    expect(await of(2)).toMatchObject({
      ...{ status: 'pass', since: '2026-05-04T08:04:00.0020000Z' },
      reason: 'Access to each sensitive object is recorded. Of HR.dbo.a, events alone show it.',
    });
  });

  it('is not shown by an access after which every audit that is known stopped', async () => {
    const lastMs = Date.parse(at(4));
    const stoppedAt = (stopped: string) => judged([object('a')], {}, { lastMs, stopped });
    expect(await stoppedAt(at(4))).toMatchObject({ status: 'fail', since: at(4), recordIds: ['off 9'] });
    expect(await stoppedAt(at(3))).toMatchObject({ status: 'pass' });
  });

  it('is not known where no record says so, and not in a gap', async () => {
    expect(await judged([object('a'), object('b')], { a: RECORDED })).toMatchObject({
      ...{ status: 'unknown', reason: 'No record says that access to HR.dbo.b is recorded.' },
    });
    expect(await judged([object('a')], { a: RECORDED }, { sources: [{ gaps: [GAP] }] })).toMatchObject({
      ...{ status: 'fail', since: at(3) },
    });
  });

  it('is not known where accesses were to too many objects to count, unless a record says so', async () => {
    const accesses = async () => null;
    const reason = (objects: string) =>
      `No record says that access to ${objects} is recorded. Accesses were to more objects than can be counted.`;
    expect(
      await judged([object('a'), object('b'), object('c')], { a: RECORDED, b: off(4) }, {
        accesses,
      } as object),
    ).toMatchObject({ status: 'unknown', reason: reason('HR.dbo.b, HR.dbo.c') });
    expect(await judged([object('a')], { a: RECORDED }, { accesses } as object)).toMatchObject({
      ...{ status: 'pass', reason: 'Access to each sensitive object is recorded.' },
    });
  });

  it('is of one database, in any letter case, where one is judged', async () => {
    const objects = [object('a'), object('b', 'CRM')];
    const known = { a: RECORDED, b: off(4) };
    expect(await judged(objects, known, { within: 'hr' })).toMatchObject({ status: 'pass' });
    expect(await judged(objects, known, { within: 'Crm' })).toMatchObject({ status: 'fail' });
    expect(await judged(objects, known, { within: 'other' })).toMatchObject({ status: 'not_applicable' });
  });
});

describe('whether only auditors change what is audited', () => {
  const change = (by: string | null, minute: number) => ({
    by,
    at: at(minute),
    recordId: `by ${by} ${minute}`,
  });

  it('fails by strangers, the first of them first, and is not known by records that name nobody', () => {
    const auditChanges = [
      change('ann', 1),
      change(null, 2),
      change('eve', 3),
      change('bob', 4),
      change('eve', 5),
    ];
    expect(judgeAuditors(trailOf({ auditors: ['ANN'] }, { auditChanges }), SERVER)).toMatchObject({
      ...{ status: 'fail', since: at(3), recordIds: ['by eve 3', 'by bob 4', 'by eve 5'] },
      reason: `eve, bob changed what is audited, and is no declared auditor; first at ${at(3)}.`,
    });
    const own = [change('ann', 1), change(null, 2)];
    expect(judgeAuditors(trailOf({ auditors: ['ann'] }, { auditChanges: own }), SERVER)).toMatchObject({
      ...{ status: 'unknown', recordIds: ['by null 2'] },
      reason: 'A change of what is audited states no login: at 2026-05-04T08:02:00.0000000Z.',
    });
    const auditors = [change('ann', 1), change('ANN', 2)];
    expect(judgeAuditors(trailOf({ auditors: ['ann'] }, { auditChanges: auditors }), SERVER)).toMatchObject({
      ...{ status: 'pass', recordIds: ['made', 'by ann 1', 'by ANN 2'] },
    });
  });

  it('is not known while nobody is declared', () => {
    const auditChanges = [change('eve', 3), change(null, 4)];
    expect(judgeAuditors(trailOf({}, { auditChanges }), SERVER)).toMatchObject({
      ...{ status: 'unknown', recordIds: ['by eve 3', 'by null 4'] },
      reason: 'No login is declared an auditor. In 30 days, eve, somebody changed what is audited.',
    });
  });
});

describe('whether only auditors read audit files', () => {
  const judged = (scope: object, more: object, verified = false) =>
    judgeReaders({ verified } as never, trailOf(scope, more), SERVER);

  it('fails by strangers, since their first record', async () => {
    const readers = async () => ['ann', '', 'eve'];
    const found = await judged({ auditors: ['ann'] }, { readers });
    expect(found).toMatchObject({
      ...{ status: 'fail', since: at(2), recordIds: [expect.anything(), 'first'] },
      reason: expect.stringMatching(/^a login that is not stated, eve read audit files/),
    });
    expect(found.recordIds[0]).toBe(
      `newest of ${READS_OF_FILES} AND (NOT serverPrincipalName:* OR serverPrincipalName:"eve")`,
    );
  });

  it('is told by the newest reads of others where there are too many logins to count', async () => {
    const judgedBy = (auditors: readonly string[], records: readonly object[], verified = false) => {
      const asked: string[] = [];
      const more = {
        readers: async () => null,
        records: async (filter: string) => {
          asked.push(filter);
          return records;
        },
      };
      return judged({ auditors }, more, verified).then((found) => ({ ...found, asked }));
    };
    const others = [
      { at: at(9), recordId: 'newest' },
      { at: at(2), recordId: 'first' },
    ];
    const many = 'more logins than can be counted read audit files on';
    expect(await judgedBy(['ann', 'corp\\*'], others)).toMatchObject({
      ...{ status: 'fail', since: at(2), recordIds: ['newest', 'first'] },
      reason: `In 30 days, ${many} the server, also such as are no declared auditors.`,
      asked: [`${READS_OF_FILES} AND NOT serverPrincipalName~("ann" OR "corp\\\\"*)`],
    });
    expect(await judgedBy(['ann'], [])).toMatchObject({
      ...{ status: 'pass', reason: expect.stringContaining(`In 30 days, ${many} it.`) },
    });
    expect(await judgedBy(['ann', '*'], others)).toMatchObject({ status: 'pass', asked: [] });
    const nobody = `In 30 days, ${many} it.`;
    expect(await judgedBy([], others)).toMatchObject({
      ...{ status: 'unknown', reason: `No login is declared an auditor. ${nobody}`, asked: [] },
    });
    expect(await judgedBy([], others, true)).toMatchObject({
      ...{ status: 'unknown', reason: `No auditor is declared. ${nobody}`, asked: [] },
    });
    const declared = Array.from({ length: LIMITS.complianceNamesAskedMax + 1 }, (_, i) => `login${i}`);
    expect(await judgedBy(declared, others)).toMatchObject({
      ...{ status: 'unknown', asked: [] },
      reason: `In 30 days, ${many} the server, and more are declared than can be told apart.`,
    });
    expect((await judgedBy(declared.slice(1), others)).status).toBe('fail');
  });

  it('is not better than what is known of changes, or of the log', async () => {
    const readers = async () => ['ann'];
    const auditChanges = [{ by: 'eve', at: at(3), recordId: 'r' }];
    expect(await judged({ auditors: ['ann'] }, { readers, auditChanges })).toMatchObject({
      ...{
        status: 'fail',
        reason: expect.stringMatching(/^eve changed .* In 30 days, ann read audit files on it\.$/),
      },
    });
    const verified = async () => ({ endedAt: new Date(0), entries: 3, wrong: 1, problem: null });
    expect(await judged({ auditors: ['ann'] }, { verified, auditChanges }, true)).toMatchObject({
      status: 'fail',
    });
    expect(await judged({ auditors: ['ann'] }, { auditChanges }, true)).toMatchObject({ status: 'pass' });
    expect(await judged({}, { readers }, true)).toMatchObject({
      ...{ status: 'unknown', reason: 'No auditor is declared. In 30 days, ann read audit files on it.' },
    });
    const { reason } = await judged({ auditors: ['ann'] }, {});
    expect(reason).toContain('Nobody read audit files on the server.');
  });
});

describe('whether log-ons come from declared applications', () => {
  const logons = async () =>
    new Map([
      ['Payroll 2', 3],
      ['ssms', 40],
      ['', 7],
      ['sqlcmd', 9],
    ]);

  it('fails by the others, those with the most log-ons first, since their first record', async () => {
    const found = await judgeApplications(
      trailOf({ applications: ['payroll*', 'SQLCMD'] }, { logons }),
      SERVER,
    );
    expect(found).toMatchObject({
      ...{ status: 'fail', since: at(2) },
      reason:
        'Log-ons came from applications that are not declared: ssms (40), an application without a name (7).',
    });
    expect(found.recordIds[0]).toBe(
      'newest of actionId:LGIS AND (applicationName:"ssms" OR NOT applicationName:*)',
    );
  });

  it('passes where all are declared, and is not known where none is', async () => {
    const applications = ['*'];
    expect(await judgeApplications(trailOf({ applications }, { logons }), SERVER)).toMatchObject({
      ...{ status: 'pass', reason: 'Each log-on of 30 days came from a declared application.' },
    });
    expect(await judgeApplications(trailOf({}, { logons }), SERVER)).toMatchObject({
      ...{
        status: 'unknown',
        reason: expect.stringContaining('log-ons came from ssms (40), sqlcmd (9), an appl'),
      },
    });
  });

  it('tells by the newest of the others where there are too many to count', async () => {
    const judgedBy = (applications: readonly string[], records: readonly object[] = []) => {
      const asked: string[] = [];
      const more = {
        logons: async () => null,
        records: async (filter: string) => {
          asked.push(filter);
          return records;
        },
      };
      return judgeApplications(trailOf({ applications }, more), SERVER).then((found) => ({
        ...found,
        asked,
      }));
    };
    const many = 'log-ons came from more applications than can be counted';
    expect(await judgedBy([])).toMatchObject({
      ...{ status: 'unknown', reason: `No application is declared. In 30 days, ${many}.`, asked: [] },
    });
    const others = [
      { at: at(9), recordId: 'newest' },
      { at: at(2), recordId: 'first' },
    ];
    expect(await judgedBy(['payroll*', 'my "x"'], others)).toMatchObject({
      ...{ status: 'fail', since: at(2), recordIds: ['newest', 'first'] },
      asked: ['actionId:LGIS AND NOT applicationName~("payroll"* OR "my \\"x\\"")'],
    });
    const passes = { status: 'pass', reason: 'Each log-on of 30 days came from a declared application.' };
    expect(await judgedBy(['payroll*'])).toMatchObject(passes);
    expect(await judgedBy(['a', '*'])).toMatchObject({ ...passes, asked: [] });
    const declared = Array.from({ length: LIMITS.complianceNamesAskedMax + 1 }, (_, i) => `app${i}`);
    expect(await judgedBy(declared, others)).toMatchObject({
      ...{ status: 'unknown', asked: [] },
      reason: `In 30 days, ${many}, and more are declared than can be told apart.`,
    });
    expect((await judgedBy(declared.slice(1), others)).status).toBe('fail');
  });
});
