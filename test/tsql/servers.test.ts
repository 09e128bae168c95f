import { serversIn } from '../../src/tsql/servers';
import { growthOf, LINEAR_MAX } from '../support/growth';

describe('the servers that names of four parts name', () => {
  it.each<[string, readonly string[]]>([
    ['SELECT * FROM LNK.Sales.dbo.Orders', ['LNK']],
    ['SELECT * FROM [L N]..[dbo].Orders o JOIN B.s.d.t ON o.id = t.id', ['L N', 'B']],
    ['SELECT * FROM dbo.f(1), LNK.Sales.dbo.Orders', ['LNK']],
    ['SELECT * FROM a JOIN b ON a.x = b.x, LNK.Sales.dbo.Orders', ['LNK']],
    ['SELECT * FROM (SELECT x FROM dbo.y) z, LNK.Sales.dbo.Orders', ['LNK']],
    ['SELECT * FROM (LNK.Sales.dbo.Orders o CROSS JOIN x)', ['LNK']],
    ['INSERT TOP (5) INTO LNK.Sales.dbo.Orders(a, b) SELECT 1, 2', ['LNK']],
    ['UPDATE TOP (@n) LNK.Sales.dbo.Orders SET a = 1', ['LNK']],
    ['DELETE LNK.-- here\nSales./* * */dbo.Orders', ['LNK']],
    ['EXEC @r = LNK...sp_who', ['LNK']],
    ['CREATE SYNONYM s FOR LNK.Sales.dbo.Orders', ['LNK']],
    ['SELECT Sales.dbo.Orders.Id, Sales.dbo.Orders.Nr FROM Sales.dbo.Orders', []],
    ['SELECT 1 FROM a, b WHERE Sales.dbo.a.x = Sales.dbo.b.x ORDER BY Sales.dbo.a.x, Sales.dbo.a.y', []],
    ["SELECT x.c.value('.', 'int') FROM dbo.t CROSS APPLY Sales.dbo.t.nodes('/a') AS x(c)", []],
    ['INSERT INTO Sales.dbo.Orders(Id) SELECT Sales.dbo.Lines.Id FROM Sales.dbo.Lines', []],
    ['SELECT a.b.c.', []],
  ])('of %s are %j', (sql, servers) => {
    expect(serversIn(sql)).toEqual(servers);
  });

  it.each([
    ['tables', 'FROM a.b.c.d,'],
    ['parentheses', 'FROM('],
    ['TOP', 'UPDATE TOP('],
    ['dots', 'FROM .'],
  ])('megabytes of %s are read in a time that grows no faster than their length', (_, piece) => {
    expect(growthOf(piece, 1_000_000, serversIn)).toBeLessThan(LINEAR_MAX);
  });
});
