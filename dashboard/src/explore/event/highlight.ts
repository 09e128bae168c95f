import hljs from 'highlight.js/lib/core';
import sql from 'highlight.js/lib/languages/sql';
import { formatDialect, transactsql } from 'sql-formatter';

hljs.registerLanguage('sql', sql);

/** Longer ones are shown as they are: laying them out would hold up the page. */
const CHARS_MAX = 50_000;

/** The statement laid out as T-SQL; null where it is no T-SQL to the formatter, or too long. */
export function formatStatement(text: string): string | null {
  if (text.length > CHARS_MAX) return null;
  try {
    return formatDialect(text, { dialect: transactsql, keywordCase: 'preserve' });
  } catch {
    // SQL Server cuts long statements into parts and records what clients sent: not all of it parses.
    return null;
  }
}

/** HTML of the statement, its own text escaped. */
export function highlightStatement(text: string): string {
  if (text.length <= CHARS_MAX) return hljs.highlight(text, { language: 'sql', ignoreIllegals: true }).value;
  const place = document.createElement('pre');
  place.textContent = text;
  return place.innerHTML;
}
