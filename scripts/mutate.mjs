import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { ROOT, setup } from './setup.mjs';

/** A share of a folder is made of blocks of this many lines. */
const LINES = 10;
const HOW_TO_RUN = `npm run mutate -- FOLDER [--share N] [--list]
Changes the code below FOLDER in one small place at a time, runs the unit tests that reach that place, and tells how many
changes a test noticed. --share changes every Nth block of ${LINES} lines only. --list prints each change that no test
noticed.`;

/** A suite that imports one of these starts a database, a service or a program, so that it is too slow to run per change. */
const STARTERS = [
  'test/support/(world|use-world|use-database|engines|store|postgres-template|citus|child-service|release|npm-start)',
  'test/support/(watched-child|retention|inserter|dashboard-session|fake-service)',
];
/** Folders whose suites judge the tree, the packages or a running service. */
const BESIDE = /^test\/(agent|browser|contract|database|deploy|http|installer|scripts|simulation)\//;
const CHANGED_NOWHERE = ['answers.ts', 'types.ts', '.d.ts'];
const TIME_LIMIT = { timeoutMS: 5_000, timeoutFactor: 2 };

const { folder, share, isListed } = optionsOf(process.argv.slice(2));
await setup();
const suites = suitesOf(folder);
if (suites.length === 0) {
  process.stderr.write(`No suite that starts nothing reaches ${folder}.\n`);
  process.exit(1);
}
const results = await new Stryker({
  mutate: changedPlaces(),
  // Texts are for people. Their words are read, not tested.
  mutator: { excludedMutations: ['StringLiteral', 'Regex'] },
  testRunner: 'jest',
  jest: { projectType: 'custom', config: jestConfig(suites), enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  ...TIME_LIMIT,
  dryRunTimeoutMinutes: 20,
  concurrency: 2,
  tempDirName: `.mutants/sandbox-${process.pid}`,
  ignorePatterns: ['deploy/helm', '.bench', '.data', '.mutants', '.setup', '/coverage', 'dist'],
  reporters: ['progress-append-only'],
  allowConsoleColors: false,
  logLevel: 'warn',
}).runMutationTest();
rmSync(join(ROOT, `.mutants/sandbox-${process.pid}`), { recursive: true, force: true });
print(results);

function optionsOf(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { list: { type: 'boolean' }, share: { type: 'string', default: '1' } },
    });
    const [folder, ...more] = positionals;
    const share = Number(values.share);
    if (!folder || more.length > 0 || !Number.isInteger(share) || share < 1) throw new Error('wrong options');
    return { folder: folder.replace(/\/$/, ''), share, isListed: values.list === true };
  } catch {
    process.stderr.write(`${HOW_TO_RUN}\n`);
    process.exit(2);
  }
}

/** @returns the files that are changed, or blocks of their lines, evenly spread over the folder */
function changedPlaces() {
  const files = readdirSync(join(ROOT, folder), { recursive: true })
    .map((name) => posix.join(folder, String(name).replaceAll(sep, '/')))
    .filter((file) => /\.tsx?$/.test(file) && !CHANGED_NOWHERE.some((end) => file.endsWith(end)))
    .sort();
  if (share === 1) return files;
  let block = 0;
  return files.flatMap((file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n').length;
    const first = Array.from({ length: Math.ceil(lines / LINES) }, (_, i) => i * LINES + 1);
    return first.filter(() => block++ % share === 0).map((line) => `${file}:${line}-${line + LINES - 1}`);
  });
}

/**
 * The score is of the changes that a test could judge. A run that its time limit ended names nothing, so it does not
 * count. `NoCoverage` counts what no unit test runs: other suites may.
 */
function print(all) {
  const files = new Map();
  for (const mutant of all) {
    const file = mutant.fileName.startsWith(ROOT) ? mutant.fileName.slice(ROOT.length + 1) : mutant.fileName;
    const counts = files.get(file) ?? { noticed: 0, survived: 0, late: 0, unseen: 0 };
    if (['Killed', 'RuntimeError'].includes(mutant.status)) counts.noticed += 1;
    else if (mutant.status === 'Survived') counts.survived += 1;
    else if (mutant.status === 'Timeout') counts.late += 1;
    else if (mutant.status === 'NoCoverage') counts.unseen += 1;
    files.set(file, counts);
    if (isListed && mutant.status === 'Survived') {
      const { line, column } = mutant.location.start;
      console.log(`${file}:${line}:${column} ${mutant.replacement.replace(/\s+/g, ' ').slice(0, 100)}`);
    }
  }
  const whole = { noticed: 0, survived: 0, late: 0, unseen: 0 };
  for (const [file, counts] of [...files].sort(([a], [b]) => a.localeCompare(b))) {
    console.log(row(counts, file));
    for (const key of Object.keys(whole)) whole[key] += counts[key];
  }
  console.log(row(whole, `${folder}, ${suites.length} suites`));
}

function row({ noticed, survived, late, unseen }, name) {
  const seen = noticed + survived;
  const score = seen === 0 ? '   -' : `${Math.round((100 * noticed) / seen)} %`;
  return `${score.padStart(5)}  ${String(noticed).padStart(5)} of ${String(seen).padEnd(5)} ${String(late).padStart(4)} ended by the time limit, ${String(unseen).padStart(4)} that no unit test runs  ${name}`;
}

/** Our jest with these suites alone. Stryker runs it in a copy of the tree. */
function jestConfig(paths) {
  const { rootDir: _, maxWorkers: __, ...config } = createRequire(import.meta.url)('../jest.config.cjs');
  return { ...config, roots: ['<rootDir>/test'], testMatch: paths.map((path) => `<rootDir>/${path}`) };
}

/** The suites that import a file of the folder, themselves or through what they share with others, and no starter. */
function suitesOf(wanted) {
  const known = new Map();
  for (const top of ['agent', 'dashboard/src', 'rest-facade', 'src', 'test']) {
    for (const name of readdirSync(join(ROOT, top), { recursive: true })) {
      const file = posix.join(top, String(name).replaceAll(sep, '/'));
      if (/\.tsx?$/.test(file)) known.set(file.replace(/\.tsx?$/, ''), file);
    }
  }
  const reached = (name, isFollowed, seen = new Set()) => {
    if (seen.has(name)) return seen;
    seen.add(name);
    const file = known.get(name) ?? known.get(`${name}/index`);
    if (!file || !isFollowed(file)) return seen;
    const text = readFileSync(join(ROOT, file), 'utf8');
    // Suites of the page load it by jest.requireActual, so any text that looks like a path counts.
    for (const [, target] of text.matchAll(/'(\.{1,2}\/[^'\n]+|node:[a-z_/]+)'/g)) {
      const next = target.startsWith('.') ? posix.join(posix.dirname(file), target) : target;
      reached(next, isFollowed, seen);
    }
    return seen;
  };
  const starter = new RegExp(`^(${STARTERS.join('|')})$`);
  return [...known.values()]
    .filter((file) => file.endsWith('.test.ts') && !BESIDE.test(file))
    .filter((file) => {
      const name = file.replace(/\.ts$/, '');
      if ([...reached(name, () => true)].some((one) => starter.test(one))) return false;
      const named = [...reached(name, (one) => one.startsWith('test/'))];
      return named.some((one) => one.startsWith(`${wanted}/`));
    });
}
