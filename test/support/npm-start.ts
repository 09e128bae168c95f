import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './imports';

const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  scripts: { start: string };
};

/** The bounds of memory in `npm start`: an option of Node, and an environment variable with its value. */
export const HEAP_BOUND = wordLike(/^--max-old-space-size=\d+$/);
export const ARENAS_BOUND = wordLike(/^MALLOC_ARENA_MAX=\d+$/);

/** These bounds as an environment. */
export function npmStartEnv(): Record<string, string> {
  return { NODE_OPTIONS: HEAP_BOUND, ...Object.fromEntries([ARENAS_BOUND.split('=')]) };
}

function wordLike(form: RegExp): string {
  const word = scripts.start.split(' ').find((each) => form.test(each));
  if (!word) throw new Error(`npm start has nothing like ${form}`);
  return word;
}
