import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './imports';

export const readDocument = (document: string) => readFileSync(path.join(ROOT, document), 'utf8');

/** The cells of the table with this heading, by row. */
export function tableOf(document: string, heading: string): string[][] {
  const lines = readDocument(document).split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  if (start < 0) throw new Error(`${document} has no table "${heading}"`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return (end < 0 ? rows : rows.slice(0, end)).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The texts between back quotes in a cell. */
export const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');

/** The code blocks of one language in a document. */
export const blocksOf = (document: string, language: string): string[] =>
  [...readDocument(document).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  );
