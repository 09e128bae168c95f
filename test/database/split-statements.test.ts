import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { splitStatements } from '../../src/database/migrate';

describe('the statements of a script', () => {
  it.each([
    ['one without a semicolon', 'SELECT 1', ['SELECT 1']],
    ['several', 'SELECT 1; SELECT 2;\nSELECT 3', ['SELECT 1', 'SELECT 2', 'SELECT 3']],
    ['none', ' ;;\n-- only a comment\n;', []],
    ['without their comments', '-- a; b\nSELECT 1 -- c; d\n, 2;', ['SELECT 1 \n, 2']],
    ['with quoted semicolons', "SELECT ';', 'it''s; fine';", ["SELECT ';', 'it''s; fine'"]],
    ['with quoted names', 'SELECT 1 AS "a;""b";', ['SELECT 1 AS "a;""b"']],
    ['with quoted comments', "SELECT '--no comment'; SELECT 2", ["SELECT '--no comment'", 'SELECT 2']],
    ['with a minus', 'SELECT 2 - 1; SELECT - -1', ['SELECT 2 - 1', 'SELECT - -1']],
    ['with a body', 'DO $$ BEGIN a; b; END $$; SELECT 1', ['DO $$ BEGIN a; b; END $$', 'SELECT 1']],
    ['with a tagged body', 'DO $x$ $$ a; $$ $x$;', ['DO $x$ $$ a; $$ $x$']],
    ['with a parameter', 'SELECT $1; SELECT $2', ['SELECT $1', 'SELECT $2']],
  ])('%s', (_, sql, expected) => expect(splitStatements(sql)).toEqual(expected));

  it('of every migration are whole: each begins with a verb and has balanced quotes and brackets', () => {
    const folder = path.resolve(__dirname, '../../prisma/migrations');
    const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(names.length).toBeGreaterThan(0);
    for (const { name } of names) {
      const statements = splitStatements(readFileSync(path.join(folder, name, 'migration.sql'), 'utf8'));
      expect(statements.length).toBeGreaterThan(0);
      for (const statement of statements) {
        expect(statement).toMatch(
          /^(CREATE|ALTER|DROP|COMMENT|INSERT|UPDATE|DELETE|DO|SELECT|GRANT|REVOKE)\b/,
        );
        const count = (character: string) => statement.split(character).length - 1;
        expect(count('(')).toBe(count(')'));
        expect(count("'") % 2).toBe(0);
      }
    }
  });
});
