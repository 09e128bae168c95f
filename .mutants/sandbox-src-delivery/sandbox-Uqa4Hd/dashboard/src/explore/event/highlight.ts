import hljs from 'highlight.js/lib/core';
import sql from 'highlight.js/lib/languages/sql';
import { formatDialect, transactsql } from 'sql-formatter';

hljs.registerLanguage('sql', sql);

/** Longer statements are shown without formatting, which would block the page. */
const CHARS_MAX = 50_000;

/** The statement formatted as T-SQL; null if the formatter cannot parse it, or if it is too long. */
export function formatStatement(text: string): string | null {
  if (text.length > CHARS_MAX) return null;
  try {
    return formatDialect(text, { dialect: transactsql, keywordCase: 'preserve' });
  } catch {
    // SQL Server records what clients sent, and may cut it, so not every statement parses.
    return null;
  }
}

/** The statement as HTML, with its own text escaped. */
export function highlightStatement(text: string): string {
  if (text.length <= CHARS_MAX) return hljs.highlight(text, { language: 'sql', ignoreIllegals: true }).value;
  const place = document.createElement('pre');
  place.textContent = text;
  return place.innerHTML;
}
