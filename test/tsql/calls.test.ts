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
    [
      "DECLARE @n AS sysname='xp_cmdshell',@v AS int=1 EXEC sp_configure @n,@v",
      ["sp_configure 'xp_cmdshell',1"],
    ],
    ["EXEC sp_configure 'xp%shell',1", ["sp_configure 'xp_cmdshell',1"]],
    ["EXEC sp_configure 'c[^a]r enab_ed',1", ["sp_configure 'clr enabled',1"]],
    ["EXEC sp_configure 'zzz%',1", ["sp_configure 'zzz%',1"]],
    [
      "EXEC sp_executesql N'EXEC @p @c',N'@p sysname, @c varchar(9)',N'xp_cmdshell','dir'",
      ["sp_executesql 'EXEC @p @c','@p sysname, @c varchar(9)','xp_cmdshell','dir'", "xp_cmdshell 'dir'"],
    ],
    ["DECLARE @p sysname=IIF(@a=1,'xp_cmdshell','x');EXEC @p 'dir'", ["xp_cmdshell 'dir'"]],
    ["DECLARE @p sysname='xp_cmdshell';IF 1=0 SET @p='x';EXEC @p 'dir'", ["xp_cmdshell 'dir'", "x 'dir'"]],
    ["DECLARE @p sysname=CASE WHEN 1=1 THEN 'sp_who' END EXEC @p", ['sp_who']],
    ["EXEC [xp_cmd\u00adshell] 'x'", ["xp_cmdshell 'x'"]],
    ["EXEC [\u24e7p_cmdshell] 'x'", ["xp_cmdshell 'x'"]],
    ["{call master..xp_cmdshell('x')}", ["xp_cmdshell 'x'"]],
    ["SELECT 1;{ ? = call sp_configure ('shell', 1) }", ["sp_configure 'xp_cmdshell',1"]],
    ['{call sp_who}', ['sp_who']],
    ["SELECT '{call sp_who}'", []],
    ["DECLARE @p sysname=CASE WHEN 1=2 THEN 'a' WHEN 2>1 THEN 'b' ELSE 'c' END+'d';EXEC @p", ['bd']],
    ["DECLARE @p sysname=CASE WHEN 1=2 THEN 'a' ELSE 'b'+'c' END;EXEC @p 1", ['bc 1']],
    ["DECLARE @p sysname=IIF('a'='a','b','c')+'d';EXEC @p", ['bd']],
    ["DECLARE @p sysname=TRIM('z' FROM 'zbz')+TRIM(LEADING 'c' FROM 'cd')+TRIM(' e ');EXEC @p", ['bde']],
    ["DECLARE @p sysname={fn CONCAT('a',{fn LCASE('B')})};EXEC @p", ['ab']],
    ["DECLARE @p sysname='a'||'b';SET @p||='c';EXEC @p", ['abc']],
    [String.raw`DECLARE @u varchar(9)='\\h\'+@@SPID;EXEC xp_y @u`, [String.raw`xp_y '\\h\@_'`]],
    [String.raw`DECLARE @u varchar(9)='h\'+@@SPID;EXEC xp_y @u`, ['xp_y @u']],
    [
      "DECLARE @p sysname;EXEC sp_executesql N'SET @o=''sp_''+@a',N'@o sysname OUTPUT,@a sysname',@p OUTPUT,'who';EXEC @p",
      ["sp_executesql 'SET @o=''sp_''+@a','@o sysname OUTPUT,@a sysname',@p,'who'", 'sp_who'],
    ],
    [
      "EXEC sp_executesql N'SET @o=''who''',N'@o sysname OUTPUT',@o=@p OUT;SET @p='sp_'+@p;EXEC @p",
      ["sp_executesql 'SET @o=''who''','@o sysname OUTPUT'", 'sp_who'],
    ],
    [
      "EXEC sp_prepexecrpc @h OUT,N'{call xp_cmdshell(?)}',N'x'",
      ["sp_prepexecrpc @h,'{call xp_cmdshell(?)}','x'", 'xp_cmdshell'],
    ],
    ["DECLARE @p sysname=CASE WHEN 1=1 AND 2<>3 THEN 'a' END+'b';EXEC @p", ['ab']],
    ["DECLARE @p sysname=CASE WHEN 1=2 OR LEN('a ')=1 THEN 'a' ELSE 'b' END;EXEC @p", ['a']],
    ["DECLARE @p sysname=CASE WHEN 1=1 AND @x=2 THEN 'a' ELSE 'b' END;EXEC @p", []],
    ["DECLARE @p sysname=ISNULL(NULLIF('a','A'),'b')+NULLIF('c','d')+CHAR(UNICODE('e'));EXEC @p", ['bce']],
    ["SELECT @p=a+b FROM(SELECT 'xp_cmd' a,'shell' b)q;EXEC @p 'a'", ["xp_cmd 'a'", "xp_cmdshell 'a'"]],
    ["SET CONTEXT_INFO 0x78705F61;SET @p=CONTEXT_INFO();EXEC @p 'b'", ["xp_a 'b'"]],
    ["EXEC('EXEC sp_a ?,?','b''',2) AT L", ["sp_a 'b''',2"]],
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
      ['x'],
      ['base64'],
    ],
    [
      "DECLARE @b char(4)='eA==';EXEC(CAST(CAST('' AS xml).value('xs:base64Binary(sql:variable(\"@b\"))','varbinary(9)') AS varchar(9)))",
      ['x'],
      ['base64'],
    ],
    [
      "EXEC(CONVERT(varchar(9),CAST('' AS xml).value('xs:hexBinary(\"6162\")','varbinary(9)')))",
      ['ab'],
      ['hex'],
    ],
    ["EXEC(CONVERT(varchar(9),CONVERT(varbinary(9),'0x6162',1)))", ['ab'], ['hex']],
    ["EXEC(CAST(BASE64_DECODE('YWI=') AS varchar(9)))", ['ab'], ['base64_decode']],
    [String.raw`EXEC(UNISTR(N'\0061\\\+000062'))`, [String.raw`a\b`], ['unistr']],
    ["EXEC(REGEXP_REPLACE('aab','a+','b'))", [], ['regexp_replace']],
    ['EXEC(REGEXP_REPLACE(@x,@y,@z))', [], []],
    ["EXEC(CAST('<a>b&lt;</a><a>c</a>' AS xml).value('(/a)[2]','sysname'))", ['c'], ['xml']],
    ["EXEC(CAST('<r><ab>c</ab><a>b</a></r>' AS xml).value('(/r/a)[1]','sysname'))", ['b'], ['xml']],
    ["EXEC(CAST('<a>b&#x110000;</a>' AS xml).value('.','sysname'))", ['b&#x110000;'], ['xml']],
    ["DECLARE @x xml='<r><a>b</a><a>c&gt;</a></r>';EXEC(@x.value('.','sysname'))", ['bc>'], ['xml']],
    ["DECLARE @x xml='<r a=\"b\"/>';EXEC(@x.value('(/r/@a)[1]','sysname')+'c')", ['bc'], ['xml']],
    ["EXEC((SELECT x FROM t FOR XML PATH(''),TYPE).value('.','nvarchar(max)'))", [], []],
    ["DECLARE @p sysname=REVERSE('ohw_ps');EXEC @p", [], ['reverse']],
    ["EXEC((SELECT STRING_AGG('DROP TABLE '+name,';') FROM sys.tables))", ['DROP TABLE @_'], []],
    [
      "DECLARE @s sysname;SELECT @s=STRING_AGG(value,'') FROM STRING_SPLIT('sp_|who','|');EXEC(@s)",
      ['sp_who'],
      ['list'],
    ],
    [
      'DECLARE @s sysname=\'\';SELECT @s+=value FROM OPENJSON(\'["exec ","a"]\');EXEC(@s)',
      ['exec a'],
      ['list'],
    ],
    ["DECLARE @s sysname='';SELECT @s+='d '+value FROM STRING_SPLIT('a,b',',');EXEC(@s)", ['d @_'], []],
    [
      String.raw`DECLARE @d varchar(9)='\\h\'+'x';RESTORE LABELONLY FROM DISK=@d`,
      [String.raw`RESTORE LABELONLY FROM DISK='\\h\x'`],
      [],
    ],
    [
      "DECLARE @d char(9)='a';SELECT * FROM sys.dm_os_file_exists(@d);SELECT 1",
      ["dm_os_file_exists('a')"],
      [],
    ],
    ["EXEC(CAST(CAST('<a>YWI=</a>' AS xml).value('.','varbinary(9)') AS varchar(9)))", ['ab'], ['base64']],
    [
      "EXEC((SELECT 'DROP TABLE '+x FROM t FOR XML PATH(''),TYPE).value('.','nvarchar(max)'))",
      ['DROP TABLE @_'],
      [],
    ],
    [
      'DECLARE @j char(9)=\'{"q":["exec ","a"]}\',@s char(9)=\'\';SELECT @s+=value FROM OPENJSON(@j,\'$.q\');EXEC(@s)',
      ['exec a'],
      ['list'],
    ],
    ["WHILE @i<9 BEGIN SET @s+=CHAR(ASCII('b')-1);SET @i+=1 END EXEC(@s)", ['a'], ['char']],
    ["DECLARE @s sysname='L.m.sys.sp_executesql';EXEC @s 'a'", ['EXEC L.m.sys.sp_executesql', 'a'], []],
    ["EXEC('a'+CHAR(13)+CHAR(10)+'b')", ['a\r\nb'], []],
    ["EXEC('a'+0x62)", ['ab'], ['hex']],
    ["EXEC(0x61+'b')", ['ab'], ['hex']],
    ["EXEC('SELECT '+@x)", ['SELECT @_'], []],
    ['EXEC("xp_cmdshell 1")', ['xp_cmdshell 1'], []],
    ["DECLARE @s varchar(9)='a' COLLATE Latin1_General_BIN+'b';EXEC(@s)", ['ab'], []],
    ["EXEC(CONCAT_WS('_','a','b','c'))", ['a_b_c'], []],
    ["EXEC(ISNULL(NULL,'a')+COALESCE(NULL,NULL,'b'))", ['ab'], []],
    ["EXEC(ISNULL(@x,'a'))", [], []],
    ["EXEC(FORMATMESSAGE('%s-%s','a','b'))", ['a-b'], []],
    ["EXEC sp_MSforeachdb @replacechar='!',@command1='a',@precommand='b'", ['a', 'b'], []],
    ["EXEC sp_MSforeachtable 'a',@command3='c'", ['a', 'c'], []],
    ["EXEC sp_executesql @statement=N'a'", ['a'], []],
    ["EXEC sp_sqlexec 'a'", ['a'], []],
    ["EXEC((SELECT STRING_AGG(CHAR(v),'') FROM t))", [], ['char']],
  ])('%s executes %j, made by %j', (sql, executed, madeBy) => {
    const reading = readCalls(sql);
    expect(reading.executed).toEqual(executed);
    expect(reading.madeBy).toEqual(madeBy);
  });

  it.each<[string, readonly string[]]>([
    ["SELECT * FROM OPENQUERY([L],'EXEC xp_cmdshell ''x''')", ["xp_cmdshell 'x'"]],
    [
      "SELECT * FROM OPENROWSET('P','Server=.;',N'SET NOCOUNT ON;EXEC xp_cmdshell ''x''')a",
      ["xp_cmdshell 'x'"],
    ],
    ["SELECT * FROM OPENROWSET(BULK 'EXEC x',SINGLE_CLOB)a", []],
    ["INSERT @t VALUES('EXEC a 1');SELECT @q=q FROM @t;EXEC(@q)", ['a 1']],
    ["INSERT @t VALUES('EXEC a 1');SELECT @q=q FROM @t;EXEC sp_executesql @q", ['sp_executesql @q', 'a 1']],
    ["SELECT @p=name FROM sys.all_objects WHERE name LIKE 'xp[_]cmd%';EXEC @p 'x'", ["xp_cmdshell 'x'"]],
    ["DECLARE c CURSOR FOR SELECT 'xp_a';FETCH c INTO @p;EXEC @p 1", ['xp_a 1']],
    ["EXEC('sp_'+SPACE(0)+REPLICATE('x',2))", ['sp_xx']],
  ])('of %s are %j, by a text that it executes', (sql, calls) => {
    expect(readCalls(sql).calls).toEqual(calls);
  });

  it('see that a loop makes a text of characters', () => {
    const sql = 'WHILE @i<9 BEGIN SET @s+=CHAR(ASCII(@e)^@k) SET @i+=1 END EXEC(@s)';
    expect(readCalls(sql).madeBy).toEqual(['char']);
  });
});

describe('a statement that wants to cost much', () => {
  const DOUBLED = `DECLARE @a varchar(max)='aaaaaaaa';${'SET @a+=@a;'.repeat(13)}`;
  const each = (text: (n: number) => string) => Array.from({ length: 4_000 }, (_, n) => text(n)).join(';');

  it.each([
    ['a text in which each character becomes a long one', `${DOUBLED}EXEC(REPLACE(@a,'a',@a))`],
    ['parentheses that do not end', `SET @x=${'f(a b,'.repeat(9_000)}1 EXEC(@x)`],
    ['signs', `EXEC(${'~'.repeat(60_000)}1)`],
    ['repetitions', "EXEC(REPLICATE(REPLICATE('a',9000000),9000000))"],
  ])('is read to its end: %s', (_, sql) => {
    for (const { length } of readCalls(sql).executed) expect(length).toBeLessThanOrEqual(65_536);
  });

  it.each([
    ['functions', `${DOUBLED}${each((n) => `SET @v${n}=REVERSE(@a)`)};EXEC(@v3999)`],
    ['conversions', `${DOUBLED}${each((n) => `SET @v${n}=CONVERT(varchar(9),@a,1)`)};EXEC(@v3999)`],
    [
      'binary values',
      `DECLARE @a varbinary(max)=0x${'41'.repeat(9_000)};${each(() => 'SET @a=@a+0x41')};EXEC(@a)`,
    ],
    ['binary values that are joined in another way', `EXEC(${'0x41||'.repeat(20_000)}0x41)`],
  ])('is not read beyond what statements need, and this is noted: %s', (_, sql) => {
    expect(readCalls(sql).madeBy).toContain('work');
  });

  it('hides no call behind many others', () => {
    const { calls, procedures } = readCalls(
      `${each((n) => `EXEC p ${n}`)};EXEC sp_configure 'clr enabled',1`,
    );
    expect(procedures).toContain('sp_configure');
    expect(calls).toContain("sp_configure 'clr enabled',1");
    const { executed } = readCalls(`${each(() => "EXEC('a')")};EXEC('b')`);
    expect(executed).toEqual(['a', 'b']);
  });

  it.each([
    ['calls of the system', each((n) => `EXEC sp_help ${n}`)],
    ['names', Array.from({ length: 11_000 }, (_, n) => `EXEC p${n}`).join(';')],
    ['texts', each((n) => `EXEC('a${n}')`)],
    ['a long text of a function', `${DOUBLED}EXEC(CONCAT(@a,REPLICATE('a',4000),@a))`],
  ])('has no more of this than is read, or it is noted: %s', (_, sql) => {
    expect(readCalls(sql).madeBy).toContain('work');
  });

  it('is read as deep as nobody nests texts, and what is deeper is noted', () => {
    const nested = (depth: number): string =>
      depth === 0 ? "xp_cmdshell 'x'" : `EXEC('${nested(depth - 1).replaceAll("'", "''")}')`;
    expect(readCalls(nested(12)).procedures).toEqual(['xp_cmdshell']);
    expect(readCalls(nested(14)).madeBy).toContain('work');
  });

  it('does not have the long value of a variable in each of its calls', () => {
    const { calls } = readCalls(`${DOUBLED}${each(() => 'EXEC p @a')}`);
    expect(calls.join('').length).toBeLessThan(1_200_000);
    expect(calls.at(-1)).toBe('p @a');
  });
});
