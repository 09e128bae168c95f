/** A piece that must not be split: comment, quoted text, quoted name, or dollar-quoted body. */
const PIECE = /--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;|[^-'"$;]+|[\s\S]/g;

/** The statements of an SQL script, without comments and closing semicolons. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let statement = '';
  for (const [piece] of sql.matchAll(PIECE)) {
    if (piece === ';') {
      statements.push(statement.trim());
      statement = '';
    } else if (!piece.startsWith('--')) statement += piece;
  }
  statements.push(statement.trim());
  return statements.filter((text) => text !== '');
}
