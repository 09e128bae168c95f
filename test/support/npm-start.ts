import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './imports';

const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  scripts: { start: string };
};

const words = scripts.start.split(' ');

/** The bounds of memory in `npm start`: options of Node, and environment variables with their values. */
export const HEAP_BOUNDS = words.filter((word) => word.startsWith('--max-'));
export const C_LIBRARY_BOUNDS = words.filter((word) => word.startsWith('MALLOC_'));
if (HEAP_BOUNDS.length !== 2 || C_LIBRARY_BOUNDS.length === 0)
  throw new Error('npm start lacks a bound of memory');

/** These bounds as an environment. */
export function npmStartEnv(): Record<string, string> {
  return {
    NODE_OPTIONS: HEAP_BOUNDS.join(' '),
    ...Object.fromEntries(C_LIBRARY_BOUNDS.map((bound) => bound.split('='))),
  };
}
