import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './imports';

export const readDocument = (document: string) => readFileSync(path.join(ROOT, document), 'utf8');

/** The cells of the first table with this heading, by row. */
export function tableOf(document: string, heading: string): string[][] {
  const [first] = tablesOf(document, heading);
  if (!first) throw new Error(`${document} has no table "${heading}"`);
  return first;
}

/** The cells of each table with this heading, by row. */
export function tablesOf(document: string, heading: string): string[][][] {
  const lines = readDocument(document).split('\n');
  return lines.flatMap((line, at) => {
    if (!line.startsWith(`| ${heading} |`)) return [];
    const rows = lines.slice(at + 2);
    const end = rows.findIndex((row) => !row.startsWith('|'));
    return [(end < 0 ? rows : rows.slice(0, end)).map(cellsOf)];
  });
}

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The texts between back quotes in a cell. */
export const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');

/** The code blocks of one language in a document. */
export const blocksOf = (document: string, language: string): string[] =>
  [...readDocument(document).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  );
