/** T-SQL with secrets in its literals. No word of a seed stands in a name. */
const FORMS: readonly ((seed: string, n: number) => string)[] = [
  (s) => `SELECT * FROM dbo.Employee WHERE Ssn = '${s}'`,
  (s) => `SELECT TOP (5) [Name] FROM dbo.Employee WHERE Ssn = N'${s}' AND Note LIKE '%${s}%'`,
  (s, n) => `UPDATE dbo.Account SET Balance = ${n} WHERE Iban = '${s}'`,
  (s, n) => `INSERT INTO dbo.Card (Pan, Cvv, Holder) VALUES (${n}, 0x${n.toString(16)}, '${s}')`,
  (s) => `EXEC dbo.usp_Login @user = 'x''${s}', @password = N'it''s ${s}'`,
  (s) => `EXEC('SELECT ''${s}'' FROM dbo.T')`,
  (s) => `-- token ${s}\nSELECT 1 /* ${s} /* nested ${s} */ end */ FROM dbo.T`,
  (s) => `CREATE LOGIN app WITH PASSWORD = '${s}', CHECK_POLICY = OFF`,
  (s) => `SET QUOTED_IDENTIFIER OFF; SELECT "${s}"`,
  (s) => `SELECT * FROM OPENROWSET('SQLNCLI', 'Server=.;Uid=sa;Pwd=${s};', 'SELECT 1')`,
  (s) => `DECLARE @k nvarchar(50) = N'${s}'; SELECT @k COLLATE Latin1_General_BIN`,
  (s, n) => `SELECT $${n}.50, -${n}, 1e${n % 300}, ${n}.${n} FROM dbo.T WHERE a='${s}'AND b=N'${s}'`,
  (s) => `MERGE dbo.T AS t USING (VALUES ('${s}')) AS v(x) ON t.x = v.x WHEN MATCHED THEN DELETE;`,
  (s) => `SELECT '${s}`,
  (s) => `SELECT 1 /* ${s}`,
  (s) => `BACKUP DATABASE HR TO URL = 'https://x.example/b?sig=${s}' WITH CREDENTIAL = '${s}'`,
  (s) => `EXEC sp_executesql N'SELECT @p', N'@p varchar(40)', @p = '${s}'`,
  (s) => `SELECT N'${s} first line\r\n${s} second line'\r\nGO`,
  (s) => `BULK INSERT dbo.T FROM '\\\\share\\${s}.csv' WITH (FIELDTERMINATOR = ',')`,
  (s) => `SELECT 'a' + '${s}' + 'b' AS [it's], '''${s}''' FROM [dbo].[T]`,
];

export interface Seeded {
  readonly statement: string;
  /** What no answer may have. */
  readonly secrets: readonly string[];
}

/** 200 statements, each with a text and a number of its own. */
export const SEEDED: readonly Seeded[] = Array.from({ length: 200 }, (_, i) => {
  const seed = `qzx${(i + 17) ** 3 + 100_000}secret`;
  const n = 700_000_000 + i * 104_729;
  const statement = (FORMS[i % FORMS.length] as (typeof FORMS)[number])(seed, n);
  return { statement, secrets: [seed, ...(statement.includes(String(n)) ? [String(n)] : [])] };
});
