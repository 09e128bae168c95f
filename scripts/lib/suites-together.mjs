import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Where jest finds the groups, as its configuration says. */
const FOLDER = '.setup/suites-together';
/** More in a group spare little, and let a core idle at the end. */
const GROUP_MAX = 12;
/**
 * A suite that replaces what others of its process use, and for longer than its tests run, has the process for itself; so has
 * one with another time limit, which holds for all tests of a file.
 */
const REPLACES =
  /\bjest\.(mock|doMock|unmock|resetModules|isolateModules)\b|^(const \w+ = )?jest\.\w+\(|\bprocess\.env\.\w+ = |\bholdSharedWindows\b/m;
/** A suite that measures how long others wait has the process for itself. */
const HOSTILE = '.hostile.test.ts';

/**
 * Writes files that each declare several suites, each suite in a `describe` with its path. To load and start the service
 * takes longer than most suites do, and the suites of a group load it once.
 * @param suites paths within the project
 * @param alone tells which more suites are in no group
 * @returns arguments for jest, which runs the groups and the suites that are in none
 */
export function inGroups(root, suites, alone) {
  const folder = join(root, FOLDER);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const isTogether = (suite) => !alone(suite) && mayShare(root, suite);
  const single = suites.filter((suite) => !isTogether(suite));
  const groups = writeGroups(root, suites.filter(isTogether));
  return ['--roots', join(root, 'test'), '--roots', folder, '--runTestsByPath', ...single, ...groups];
}

const mayShare = (root, suite) =>
  !suite.endsWith(HOSTILE) && !REPLACES.test(readFileSync(join(root, suite), 'utf8'));

function writeGroups(root, suites) {
  const count = Math.ceil(suites.length / GROUP_MAX);
  return Array.from({ length: count }, (_, index) => {
    const file = join(FOLDER, `group-${index + 1}.test.ts`);
    // Every n-th, since neighbours in the alphabet often take equally long.
    const members = suites.filter((_suite, position) => position % count === index);
    writeFileSync(join(root, file), members.map((suite) => declaration(root, suite)).join(''));
    return file;
  });
}

/** What a suite has replaced and left ends with it. */
const declaration = (root, suite) =>
  `describe(${JSON.stringify(suite)}, () => {
  require(${JSON.stringify(join(root, suite))});
  afterAll(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });
});
`;

/**
 * The suites that failed in a file that jest ran: its own path, or those of a group.
 * @param result of the file, from jest's report
 */
export function failedSuites(root, { name, assertionResults }) {
  const file = relative(root, name);
  if (!file.startsWith(FOLDER)) return [file];
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length > 0) return [...new Set(failed.map(({ ancestorTitles }) => ancestorTitles[0]))];
  // What failed belongs to no test.
  return [...readFileSync(name, 'utf8').matchAll(/^describe\("(.+)"/gm)].map(([, suite]) => suite);
}
