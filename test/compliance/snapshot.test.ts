import { LIMITS } from '../../src/limits';
import { readSnapshot } from '../../src/modules/compliance/snapshot';

const ROW = { specification: 'Main', audit: 'Trail', auditIsOn: true, isOn: true };
const GIVEN = { serverInstanceName: 'PAY01', takenAt: '2026-01-05T08:00:00', databaseName: 'Payroll' };
const read = (given: unknown) => readSnapshot(JSON.stringify(given));
const problemsOf = (given: unknown) => {
  const found = read(given);
  return 'problems' in found ? found.problems.map(({ message }) => message).join() : 'none';
};

describe('what a server says of its specifications', () => {
  it('is read by specification and database, with groups apart from actions', () => {
    const details = [
      { ...ROW, action: ' logout_group ' },
      { ...ROW, database: 'Payroll', action: 'select', schemaName: 'dbo', objectName: 'Salaries' },
      { ...ROW, action: 'FAILED_LOGIN_GROUP' },
      { ...ROW, database: 'Payroll', action: 'UPDATE', schemaName: '', by: 'eve' },
      { ...ROW, specification: 'Empty', isOn: false, auditIsOn: false },
    ];
    expect(read({ ...GIVEN, details })).toEqual({
      serverInstanceName: 'PAY01',
      takenAt: '2026-01-05T08:00:00',
      snapshot: {
        databaseName: 'Payroll',
        specifications: [
          {
            ...{ name: 'Main', database: null, audit: 'Trail', auditIsOn: true, isOn: true },
            ...{ groups: ['LOGOUT_GROUP', 'FAILED_LOGIN_GROUP'], actions: [] },
          },
          {
            ...{ name: 'Main', database: 'Payroll', audit: 'Trail', auditIsOn: true, isOn: true, groups: [] },
            actions: [
              { action: 'SELECT', schemaName: 'dbo', objectName: 'Salaries', by: 'public' },
              { action: 'UPDATE', schemaName: null, objectName: null, by: 'eve' },
            ],
          },
          {
            ...{ name: 'Empty', database: null, audit: 'Trail', auditIsOn: false, isOn: false },
            ...{ groups: [], actions: [] },
          },
        ],
      },
    });
  });

  it('may be broken into lines anywhere, and a server may have no specification', () => {
    const text = JSON.stringify(GIVEN);
    const broken = [text.slice(0, 9), text.slice(9, 30), text.slice(30)];
    const whole = { ...GIVEN, snapshot: { databaseName: 'Payroll', specifications: [] } };
    for (const lineEnd of ['\n', '\r\n'])
      expect(readSnapshot(broken.join(lineEnd))).toMatchObject({
        serverInstanceName: whole.serverInstanceName,
        snapshot: whole.snapshot,
      });
  });

  it.each<[string, object | null, RegExp]>([
    ['no server', { ...GIVEN, serverInstanceName: '' }, /serverInstanceName/],
    ['no database', { ...GIVEN, databaseName: 7 }, /databaseName/],
    ['a time that cannot be kept', { ...GIVEN, takenAt: '0000-12-31T23:59:59' }, /takenAt/],
    ['no time', { ...GIVEN, takenAt: 'yesterday' }, /takenAt/],
    [
      'a name that is too long',
      { ...GIVEN, databaseName: 'x'.repeat(LIMITS.filterCharsMax + 1) },
      /databaseName/,
    ],
    ['no list', { ...GIVEN, details: { 0: ROW } }, /details/],
    ['too many rows', { ...GIVEN, details: Array(LIMITS.snapshotRowsMax + 1).fill(ROW) }, /details, at most/],
    ['a row without its audit', { ...GIVEN, details: [ROW, { ...ROW, audit: null }] }, /row 2/],
    ['a row that is not told to be on', { ...GIVEN, details: [{ ...ROW, isOn: 1 }, ROW] }, /row 1/],
    [
      'an audit that is not told to be on',
      { ...GIVEN, details: [ROW, ROW, { ...ROW, auditIsOn: 'yes' }] },
      /row 3/,
    ],
    ['nothing', null, /serverInstanceName/],
  ])('is refused with %s', (_, given, problem) => {
    expect(problemsOf(given)).toMatch(problem);
  });

  it('is refused where it is no JSON, and may have as many rows as there may be', () => {
    expect(readSnapshot('sqlcmd: error')).toMatchObject({ problems: [{ field: 'snapshot' }] });
    expect(problemsOf({ ...GIVEN, details: Array(LIMITS.snapshotRowsMax).fill(ROW) })).toBe('none');
  });
});
