import { auditStatementsOf } from '../../src/modules/compliance/audit-statement';

const about = (sql: string) => auditStatementsOf(sql)[0];

describe('a statement on audits', () => {
  it('is read with its groups, its audit and its state', () => {
    expect(
      about(`CREATE SERVER AUDIT SPECIFICATION Main FOR SERVER AUDIT Payroll
        ADD (LOGOUT_GROUP), ADD (FAILED_LOGIN_GROUP) WITH (STATE = ON)`),
    ).toEqual({
      verb: 'create',
      of: 'server',
      name: 'Main',
      audit: 'Payroll',
      renamed: null,
      adds: ['LOGOUT_GROUP', 'FAILED_LOGIN_GROUP'],
      drops: [],
      state: 'on',
    });
  });

  it.each([
    ['alter/**/server audit specification[Ma]]in]drop(logout_group)with(state=off)'],
    [
      'ALTER SERVER AUDIT SPECIFICATION "Ma]in" -- ADD (DBCC_GROUP)\n DROP (LOGOUT_GROUP) WITH ( STATE /* ON */ = OFF )',
    ],
  ])('is read in any spelling: %s', (sql) => {
    expect(about(sql)).toMatchObject({
      verb: 'alter',
      name: 'Ma]in',
      adds: [],
      drops: ['LOGOUT_GROUP'],
      state: 'off',
    });
  });

  it('counts groups of a database specification, and not its single actions', () => {
    const sql = `CREATE DATABASE AUDIT SPECIFICATION D FOR SERVER AUDIT A
      ADD (SELECT, INSERT ON SCHEMA::dbo BY public), ADD (SCHEMA_OBJECT_CHANGE_GROUP)`;

    expect(about(sql)).toMatchObject({ of: 'database', adds: ['SCHEMA_OBJECT_CHANGE_GROUP'], state: null });
  });

  it('has the single actions on objects, each with who does them', () => {
    const of = (part: string) =>
      about(`ALTER DATABASE AUDIT SPECIFICATION D ADD (${part}), DROP (UPDATE ON [dbo].Pay BY public)`)
        ?.actions;

    expect(of('SELECT, DELETE ON OBJECT::[a.b].[Sal]]ary] BY public, [CORP\\x]')).toEqual({
      adds: [
        { action: 'SELECT', schemaName: 'a.b', objectName: 'Sal]ary', by: 'public' },
        { action: 'SELECT', schemaName: 'a.b', objectName: 'Sal]ary', by: 'CORP\\x' },
        { action: 'DELETE', schemaName: 'a.b', objectName: 'Sal]ary', by: 'public' },
        { action: 'DELETE', schemaName: 'a.b', objectName: 'Sal]ary', by: 'CORP\\x' },
      ],
      drops: [{ action: 'UPDATE', schemaName: 'dbo', objectName: 'Pay', by: 'public' }],
    });
    expect(of('select on schema::Hr by dbo')?.adds).toMatchObject([{ schemaName: 'Hr', objectName: null }]);
    expect(of('select on database::Pay by dbo')?.adds).toMatchObject([
      { schemaName: null, objectName: null },
    ]);
    expect(of('select on Salary by dbo')?.adds).toMatchObject([{ schemaName: 'dbo', objectName: 'Salary' }]);
    expect(of('select on')?.adds).toEqual([]);
  });

  it('is found among others, each with its own state', () => {
    const sql = `USE master; CREATE SERVER AUDIT A TO FILE (FILEPATH = 'D:\\DROP (X_GROUP)') WITH (QUEUE_DELAY = 1000);
      ALTER SERVER AUDIT A WITH (STATE = ON); DROP SERVER AUDIT SPECIFICATION Old;`;

    expect(
      auditStatementsOf(sql).map(({ verb, of, name, state, drops }) => [verb, of, name, state, drops]),
    ).toEqual([
      ['create', 'audit', 'A', null, []],
      ['alter', 'audit', 'A', 'on', []],
      ['drop', 'server', 'Old', null, []],
    ]);
  });

  it('names the new name of an audit', () => {
    expect(about('ALTER SERVER AUDIT A MODIFY NAME = [B C]')).toMatchObject({ name: 'A', renamed: 'B C' });
  });

  it.each([
    "PRINT 'CREATE SERVER AUDIT A'",
    '-- DROP SERVER AUDIT A',
    'CREATE DATABASE Audit',
    'ALTER SERVER ROLE sysadmin ADD MEMBER x',
    '',
  ])('is not seen in %p', (sql) => {
    expect(auditStatementsOf(sql)).toEqual([]);
  });
});
