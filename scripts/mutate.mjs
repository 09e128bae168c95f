import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix, sep } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { ROOT, setup } from './setup.mjs';

const HOW_TO_RUN = `npm run mutate -- FOLDER [--list]
Changes the code below FOLDER in one small place at a time, runs the unit tests that reach that place, and tells how many
changes a test noticed. --list prints each change that no test noticed. A further run looks only at what is new.`;

/** A suite that imports one of these starts a database, a service or a program, so that it is too slow to run per change. */
const STARTERS = [
  'test/support/(world|use-world|use-database|engines|store|postgres-template|citus|child-service|release|npm-start)',
  'test/support/(watched-child|retention|inserter|dashboard-session|fake-service)',
];
/** Folders whose suites judge the tree, the packages or a running service. */
const BESIDE = /^test\/(agent|browser|citus|contract|deploy|http|installer|postgres|scripts|simulation)\//;
const CHANGED_NOWHERE = ['answers.ts', 'types.ts', '.d.ts'];
const FOUND_IN_TIME = { timeoutMS: 3_000, timeoutFactor: 1.5 };

const [folder, ...options] = process.argv.slice(2);
if (!folder || options.some((option) => option !== '--list')) {
  process.stderr.write(`${HOW_TO_RUN}\n`);
  process.exit(2);
}
await setup();
const suites = suitesOf(folder);
if (suites.length === 0) {
  process.stderr.write(`No suite that starts nothing reaches ${folder}.\n`);
  process.exit(1);
}
const temporary = `.mutants/${folder.replaceAll('/', '-')}`;
const results = await new Stryker({
  mutate: [
    `${folder}/**/*.ts`,
    `${folder}/**/*.tsx`,
    ...CHANGED_NOWHERE.map((end) => `!${folder}/**/*${end}`),
  ],
  // Texts are for people. Their words are read, not tested.
  mutator: { excludedMutations: ['StringLiteral', 'Regex'] },
  testRunner: 'jest',
  jest: { projectType: 'custom', config: jestConfig(suites), enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  ...FOUND_IN_TIME,
  concurrency: 2,
  incremental: true,
  incrementalFile: `${temporary}.json`,
  tempDirName: `.mutants/sandbox-${process.pid}`,
  ignorePatterns: ['deploy', '.bench', '.data', '.mutants', '.setup', 'coverage', 'dist'],
  reporters: ['progress-append-only'],
  allowConsoleColors: false,
  logLevel: 'warn',
}).runMutationTest();
rmSync(join(ROOT, `.mutants/sandbox-${process.pid}`), { recursive: true, force: true });
print(results);

/** `NoCoverage` counts what no unit test runs: other suites may, and the score does not tell. */
function print(all) {
  const files = new Map();
  for (const mutant of all) {
    const file = mutant.fileName.startsWith(ROOT) ? mutant.fileName.slice(ROOT.length + 1) : mutant.fileName;
    const counts = files.get(file) ?? { noticed: 0, survived: 0, unseen: 0 };
    if (['Killed', 'Timeout', 'RuntimeError'].includes(mutant.status)) counts.noticed += 1;
    else if (mutant.status === 'Survived') counts.survived += 1;
    else if (mutant.status === 'NoCoverage') counts.unseen += 1;
    files.set(file, counts);
    if (options.includes('--list') && mutant.status === 'Survived') {
      const { line, column } = mutant.location.start;
      console.log(`${file}:${line}:${column} ${mutant.replacement.replace(/\s+/g, ' ').slice(0, 100)}`);
    }
  }
  const whole = { noticed: 0, survived: 0, unseen: 0 };
  for (const [file, counts] of [...files].sort(([a], [b]) => a.localeCompare(b))) {
    console.log(row(counts, file));
    for (const key of Object.keys(whole)) whole[key] += counts[key];
  }
  console.log(row(whole, `${folder}, ${suites.length} suites`));
}

function row({ noticed, survived, unseen }, name) {
  const seen = noticed + survived;
  const score = seen === 0 ? '   -' : `${Math.round((100 * noticed) / seen)} %`;
  return `${score.padStart(5)}  ${String(noticed).padStart(5)} of ${String(seen).padEnd(5)} and ${String(unseen).padEnd(5)} that no unit test runs  ${name}`;
}

/** Our jest with these suites alone. Stryker runs it in a copy of the tree. */
function jestConfig(paths) {
  const { rootDir: _, maxWorkers: __, ...config } = createRequire(import.meta.url)('../jest.config.cjs');
  return { ...config, roots: ['<rootDir>/test'], testMatch: paths.map((path) => `<rootDir>/${path}`) };
}

/** The suites that reach the folder by their imports, and no starter. */
function suitesOf(wanted) {
  const known = new Map();
  for (const top of ['agent', 'dashboard/src', 'rest-facade', 'src', 'test']) {
    for (const name of readdirSync(join(ROOT, top), { recursive: true })) {
      const file = posix.join(top, String(name).replaceAll(sep, '/'));
      if (/\.tsx?$/.test(file)) known.set(file.replace(/\.tsx?$/, ''), file);
    }
  }
  const reached = (name, seen = new Set()) => {
    if (seen.has(name)) return seen;
    seen.add(name);
    const file = known.get(name) ?? known.get(`${name}/index`);
    if (!file) return seen;
    const text = readFileSync(join(ROOT, file), 'utf8');
    // Suites of the page load it by jest.requireActual, so any text that looks like a path counts.
    for (const [, target] of text.matchAll(/'(\.{1,2}\/[^'\n]+|node:[a-z_/]+)'/g)) {
      reached(target.startsWith('.') ? posix.join(posix.dirname(file), target) : target, seen);
    }
    return seen;
  };
  const starter = new RegExp(`^(${STARTERS.join('|')})$`);
  return [...known.values()]
    .filter((file) => file.endsWith('.test.ts') && !BESIDE.test(file))
    .filter((file) => {
      const names = [...reached(file.replace(/\.ts$/, ''))];
      const isRunHere = !names.some((name) => starter.test(name));
      return isRunHere && names.some((name) => name.startsWith(`${wanted}/`));
    });
}
