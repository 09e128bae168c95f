import { readdirSync } from 'node:fs';
import { type Problem, problem } from './problem';
import { shippedFolder } from './shipped-folder';

/** What each action group writes. Each other file of the folder `compliance` is a framework, named by its id. */
export const GROUPS_FILE = 'groups.yml';
const SUFFIX = '.yml';

interface FrameworkFiles {
  readonly folder: string;
  /** In alphabetical order. */
  readonly ids: readonly string[];
}

let listed: FrameworkFiles | undefined;

/** The frameworks that ship with the service. The folder is listed once in a process. */
export function shippedFrameworkFiles(): FrameworkFiles {
  if (listed) return listed;
  const folder = shippedFolder('compliance', GROUPS_FILE);
  const files = readdirSync(folder).filter((name) => name.endsWith(SUFFIX) && name !== GROUPS_FILE);
  listed = { folder, ids: files.map((name) => name.slice(0, -SUFFIX.length)).sort() };
  return listed;
}

export const frameworkFile = (id: string): string => `${id}${SUFFIX}`;

export function frameworkProblems(id: string, field: string): readonly Problem[] {
  const { ids } = shippedFrameworkFiles();
  return ids.includes(id) ? [] : [problem(field, 'unknown', `must be one of ${ids.join(', ')}`)];
}
