import { readdirSync } from 'node:fs';
import { type Problem, problem } from './problem';
import { shippedFolder } from './shipped-folder';

/** What each action group writes. Each other file of the folder `compliance` is a framework, named by its id. */
export const GROUPS_FILE = 'groups.yml';
const SUFFIX = '.yml';

/** @returns the folder of the frameworks that ship with the service, and their ids in alphabetical order */
export function shippedFrameworkFiles(): { readonly folder: string; readonly ids: readonly string[] } {
  const folder = shippedFolder('compliance', GROUPS_FILE);
  const files = readdirSync(folder).filter((name) => name.endsWith(SUFFIX) && name !== GROUPS_FILE);
  return { folder, ids: files.map((name) => name.slice(0, -SUFFIX.length)).sort() };
}

export const frameworkFile = (id: string): string => `${id}${SUFFIX}`;

export function frameworkProblems(id: string, field: string): readonly Problem[] {
  const { ids } = shippedFrameworkFiles();
  return ids.includes(id) ? [] : [problem(field, 'unknown', `must be one of ${ids.join(', ')}`)];
}
