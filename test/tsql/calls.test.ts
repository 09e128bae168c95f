import { readCalls } from '../../src/tsql/calls';

describe('the calls of a statement', () => {
  it.each<[string, readonly string[]]>([
    ["EXEC[xp_cmdshell]'x'", ["xp_cmdshell 'x'"]],
    ["DECLARE @r int; EXEC @r = master..xp_cmdshell N'x', no_output", ["xp_cmdshell 'x','no_output'"]],
    ["xp_cmdshell 'x'", ["xp_cmdshell 'x'"]],
    ["SELECT 'EXEC xp_cmdshell'", []],
    ["EXEC app.sp_configure 'x', 1", ["app.sp_configure 'x',1"]],
    ["EXEC sp_configure @configvalue = $1, @configname = 'shell'", ["sp_configure 'xp_cmdshell',1"]],
    ["EXEC sp_configure 'strict', '0'", ["sp_configure 'clr strict security',0"]],
    ["EXEC sp_configure 'made up', +1", ["sp_configure 'made up',1"]],
    ['EXEC sp_configure @n, @v', ['sp_configure @n,@v']],
    [
      "DECLARE @n sysname='xp_'+'cmdshell',@v int; SET @v=-1 EXEC sp_configure @n,@v",
      ["sp_configure 'xp_cmdshell',-1"],
    ],
    ["EXEC sp_addrolemember @membername='x',@rolename='db_owner'", ["sp_addrolemember 'db_owner','x'"]],
    ['EXEC sp_addrolemember db_owner, eve', ["sp_addrolemember 'db_owner','eve'"]],
    ["EXEC('xp_cmd'+'shell '+@c)", ['xp_cmdshell @_']],
    [
      "EXEC sp_executesql N'EXEC xp_cmdshell @c',N'@c varchar(9)',@c='dir'",
      ["sp_executesql 'EXEC xp_cmdshell @c','@c varchar(9)'", "xp_cmdshell 'dir'"],
    ],
    ["DECLARE @p sysname='xp_dirtree'; EXEC @p 'c:'", ["xp_dirtree 'c:'"]],
    ['EXEC a 1 EXEC b 2', ['a 1', 'b 2']],
    ["EXECUTE AS LOGIN='sa' EXEC p", ['p']],
  ])('of %s are %j', (sql, calls) => {
    expect(readCalls(sql).calls).toEqual(calls);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ["EXEC(REVERSE('cexe'))", ['exec'], ['reverse']],
    ["DECLARE @s varchar(9)=CHAR(101)+CHAR(60+60);SET @s+='ec';EXEC(@s)", ['exec'], ['char']],
    ["EXEC(CONCAT(NCHAR(0x61),'b',CHAR(99)))", ['abc'], ['char']],
    ['EXEC(CAST(0x73656c65 AS varchar(9)))', ['sele'], ['hex']],
    ['EXEC(CONVERT(nvarchar(9),0x73006500))', ['se'], ['hex']],
    ['DECLARE @s varchar(9)=0x7365+0x6c65;EXEC(@s)', ['sele'], ['hex']],
    ["DECLARE @s varchar(9)=CONVERT(varchar(9),'0x6162',1);EXEC(@s)", ['ab'], ['hex']],
    ['DECLARE @s varchar(9);SET @s=(SELECT CHAR(115)+CHAR(101));EXEC(@s)', ['se'], ['char']],
    ["EXEC(REPLACE(@t,'a','b'))", [], []],
    ["EXEC(REPLACE('xay','a',''))", ['xy'], ['replace']],
    [
      "EXEC(CAST(CAST(N'' AS xml).value('xs:base64Binary(\"eA==\")','varbinary(9)') AS varchar(9)))",
      [],
      ['base64'],
    ],
    ["EXEC('a'+CHAR(13)+CHAR(10)+'b')", ['a\r\nb'], []],
    ["EXEC('SELECT '+@x)", ['SELECT @_'], []],
  ])('%s executes %j, made by %j', (sql, executed, madeBy) => {
    const reading = readCalls(sql);
    expect(reading.executed).toEqual(executed);
    expect(reading.madeBy).toEqual(madeBy);
  });
});
