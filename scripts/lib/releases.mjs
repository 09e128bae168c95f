import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseVersionOf, changedFiles, commitOf, taggedCommit } from './version.mjs';

/**
 * The releases that were made, with their commits. It is a file of the repository, because a clone may lack the tags.
 */
export const RECORD = 'releases.json';
const recordOf = (root) =>
  existsSync(join(root, RECORD)) ? JSON.parse(readFileSync(join(root, RECORD), 'utf8')) : [];

/** What a release is made of. */
const SOURCES = [
  ...[
    'agent',
    'client',
    'compliance',
    'dashboard',
    'deploy',
    'docs',
    'installer',
    'prisma',
    'reports',
    'rest-facade',
    'rules',
    'src',
  ],
  ...['Dockerfile', 'package.json', 'package-lock.json', 'scripts'],
];

/** @returns why these sources may not become a release, or null */
export function refusalOf(root) {
  const version = baseVersionOf(root);
  const commit = commitOf(root);
  // Sources that do not know their commit have no version that could be mistaken for another build's.
  if (commit === null) return null;
  const [changed, ...more] = changedFiles(root, SOURCES);
  if (changed)
    return `${changed}${more.length > 0 ? ` and ${more.length} more files` : ''} ${more.length > 0 ? 'differ' : 'differs'} from commit ${commit}: commit the change first.`;
  const others = [
    ...recordOf(root)
      .filter((release) => release.version === version && release.commit !== commit)
      .map((release) => [release.commit, RECORD]),
    ...[taggedCommit(root, `v${version}`)]
      .filter((tagged) => tagged !== null && tagged !== commit)
      .map((tagged) => [tagged, `the tag v${version}`]),
  ];
  const [[other, source] = []] = others;
  if (!other) return null;
  return `Version ${version} is commit ${other}, says ${source}, and this is commit ${commit}: raise "version" in package.json.`;
}

/** Notes a whole release. @returns what to do next; null: nothing new was noted */
export function record(root) {
  const version = baseVersionOf(root);
  const commit = commitOf(root);
  const releases = recordOf(root);
  if (commit === null || releases.some((release) => release.version === version)) return null;
  writeFileSync(join(root, RECORD), `${JSON.stringify([...releases, { version, commit }], null, 2)}\n`);
  return `${RECORD} notes ${version} as commit ${commit}: if you publish this release, commit ${RECORD} and raise "version" in package.json.`;
}
