import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

/** Files that are not shipped, since no program reads them. All others are, as some are loaded by name. */
const UNREAD = [
  /\.map$/,
  /\.d\.[cm]?ts$/,
  /(^|\/)(test|tests|__tests__|docs|example|examples|\.github)\//,
  // Parts of the Prisma client for other databases or another compiler, and its ES modules.
  /^node_modules\/@prisma\/client\/runtime\/.*(sqlserver|cockroachdb|mysql|sqlite|_fast_|edge|browser|react-native).*/,
  /^node_modules\/@prisma\/client\/runtime\/.*\.mjs$/,
  // The page of /swagger uses only the bundle.
  /^node_modules\/swagger-ui-dist\/swagger-ui(-es-bundle.*)?\.js$/,
  /^node_modules\/@types\//,
];

/** Whether a file of a production package is part of a release. @param path from the root of the repository */
export const isShipped = (path) => !UNREAD.some((pattern) => pattern.test(path));

/**
 * The packages that run in production, with their dependencies, as package-lock.json lists them.
 * @returns by path, such as `node_modules/pg`: `{ name, version, integrity, license, resolved, dependencies }`, the last
 *   as paths
 */
export function productionPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const found = new Map();
  const visit = (path, wanted) => {
    const dependencies = wanted.map((name) => resolve(packages, path, name)).filter(Boolean);
    for (const each of dependencies) {
      if (found.has(each)) continue;
      const entry = packages[each];
      found.set(each, { name: nameOf(each), ...entry });
      found.get(each).dependencies = visit(each, wantedBy(entry));
    }
    return [...new Set(dependencies)].sort();
  };
  const direct = visit('', Object.keys(productionDependencies()));
  return { direct, packages: new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** What the service and the agent ask for, by name: a release has both. */
export function productionDependencies() {
  const read = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8')).dependencies;
  const { 'audit-activity-event': _, ...agent } = read('agent/package.json');
  const all = { ...read('package.json'), ...agent };
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The packages whose code is in the dashboard, in the form of `productionPackages`; the set-up has noted which. */
export function dashboardPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const paths = JSON.parse(readFileSync(join(ROOT, 'dashboard/generated/packages.json'), 'utf8'));
  return new Map(paths.map((path) => [path, { name: nameOf(path), ...packages[path], dependencies: [] }]));
}

/** Optional peers of a package do not count unless we depend on them ourselves. */
const wantedBy = ({
  dependencies = {},
  optionalDependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}) => [
  ...Object.keys(dependencies),
  ...Object.keys(optionalDependencies),
  ...Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional),
];

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Path of the package that `require(name)` finds from the package at `from`; undefined: not installed on this platform. */
function resolve(packages, from, name) {
  const parents = from === '' ? [] : from.split('/node_modules/');
  for (let depth = parents.length; depth >= 0; depth--) {
    const path = [...parents.slice(0, depth), name].join('/node_modules/');
    const found = depth === 0 ? `node_modules/${name}` : path;
    if (packages[found]) return existsSync(join(ROOT, found)) ? found : undefined;
  }
  return undefined;
}
