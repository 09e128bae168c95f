import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { ROOT, setup } from './setup.mjs';

/**
 * `npm run mutate -- FOLDER [--list]`: changes one small thing of the folder's code at a time, and runs the unit suites
 * that reach it. A unit suite starts no database and no process. It prints the score of each file, and with `--list` the
 * mistakes that no suite noticed. The report is `.mutants/<folder>.html`.
 */
const [folder, ...flags] = process.argv.slice(2);
if (!folder || flags.some((flag) => flag !== '--list')) {
  process.stderr.write('usage: npm run mutate -- FOLDER [--list], for example src/event\n');
  process.exit(2);
}
const OUT = join(ROOT, '.mutants');
const name = relative(ROOT, resolve(folder)).replaceAll('/', '-');

/** Modules that start an engine, a server or a process. A suite that reaches one of them is no unit suite. */
const STARTERS = [
  'src/database/embedded.ts',
  'src/service.ts',
  'test/support/child-service.ts',
  'test/support/watched-child.ts',
];

/** Suites of a program or of the repository as a whole. They say little of one line, and take long. */
const BESIDE = /^test\/(agent|browser|contract|deploy|http|installer|postgres|scripts|simulation)\//;

await setup({ without: ['dashboard'] });
mkdirSync(OUT, { recursive: true });
const suites = unitSuites();
// The place of the tree and the number of workers are the tool's to set.
const { rootDir: _, maxWorkers: __, ...jestOptions } = createRequire(import.meta.url)('../jest.config.cjs');
if (process.env.DRY) {
  console.log(suites.join('\n'));
  process.exit(0);
}
const config = join(OUT, `${name}.json`);
const report = join(OUT, `${name}-report.json`);
writeFileSync(
  config,
  JSON.stringify({
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    jest: {
      config: { ...jestOptions, testMatch: suites.map((suite) => `<rootDir>/${suite}`) },
      enableFindRelatedTests: false,
    },
    mutate: [`${folder}/**/*.{ts,tsx}`, `!${folder}/**/*.d.ts`],
    coverageAnalysis: 'perTest',
    // Code that runs while a module loads is seen by no test of its own.
    ignoreStatic: true,
    // Texts for people: no test repeats them.
    mutator: { excludedMutations: ['StringLiteral'] },
    disableTypeChecks: false,
    checkers: [],
    concurrency: 2,
    timeoutMS: 20_000,
    incremental: true,
    incrementalFile: join(OUT, `${name}-incremental.json`),
    tempDirName: join(OUT, `sandbox-${name}`),
    reporters: ['json', 'html'],
    jsonReporter: { fileName: report },
    htmlReporter: { fileName: join(OUT, `${name}.html`) },
    ignorePatterns: ['.bench', '.data', 'dist', '.mutants', 'docs', 'installer', 'deploy'],
    symlinkNodeModules: true,
    allowConsoleColors: false,
  }),
);
const code = await run(join(ROOT, 'node_modules/@stryker-mutator/core/bin/stryker.js'), ['run', config]);
if (code === 0) printScores();
process.exitCode = code;

/** The suites whose run-time imports reach the folder, and none of STARTERS. */
function unitSuites() {
  const all = readdirSync(join(ROOT, 'test'), { recursive: true }).map((each) => `test/${each}`);
  return all.filter((suite) => {
    if (!suite.endsWith('.test.ts') || BESIDE.test(suite)) return false;
    const files = [...reachedBy(suite)];
    return (
      files.some((file) => file.startsWith(`${folder}/`)) && !STARTERS.some((file) => files.includes(file))
    );
  });
}

/** The project's files that a file loads when it runs. Imports of types alone load nothing. */
function reachedBy(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(ROOT, file), 'utf8');
  for (const [, target] of text.matchAll(
    /^(?:import|export)\s+(?!type\b)(?:[^;'"]*?from\s+)?['"](\.[^'"]+)['"]/gm,
  )) {
    const path = join(dirname(file), target);
    const next = [path, `${path}.ts`, `${path}.tsx`].find(
      (each) => /\.tsx?$/.test(each) && existsSync(join(ROOT, each)),
    );
    if (next) reachedBy(next, found);
  }
  return found;
}

/** Mutants that tests can see are those that some suite runs. */
function printScores() {
  const { files } = JSON.parse(readFileSync(report, 'utf8'));
  const sum = { noticed: 0, survived: 0, unseen: 0 };
  for (const [file, { mutants, source }] of Object.entries(files)) {
    const count = (...states) => mutants.filter(({ status }) => states.includes(status)).length;
    const [noticed, survived] = [count('Killed', 'Timeout'), count('Survived')];
    const unseen = count('NoCoverage', 'Ignored');
    sum.noticed += noticed;
    sum.survived += survived;
    sum.unseen += unseen;
    console.log(line(file, noticed, survived, unseen));
    if (flags.includes('--list'))
      for (const mutant of mutants.filter(({ status }) => status === 'Survived'))
        console.log(
          `    ${mutant.location.start.line}: ${excerpt(source, mutant.location)} -> ${mutant.replacement}`,
        );
  }
  console.log(line(`${folder}, all`, sum.noticed, sum.survived, sum.unseen));
}

function line(what, noticed, survived, unseen) {
  const seen = noticed + survived;
  const score = seen === 0 ? '-' : `${Math.round((100 * noticed) / seen)} %`;
  return `${what}: ${score} noticed, ${survived} of ${seen} not; ${unseen} that no unit test reaches`;
}

function excerpt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.join(' ').replaceAll(/\s+/g, ' ').slice(0, 120);
}

function run(script, args) {
  const child = spawn(process.execPath, [script, ...args], { cwd: ROOT, stdio: 'inherit' });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
