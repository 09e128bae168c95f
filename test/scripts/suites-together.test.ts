import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const SCRIPT = path.resolve(__dirname, '../../scripts/lib/suites-together.mjs');
/** What a suite replaces for all suites of its process, by its path. */
const REPLACING: Record<string, string> = {
  'test/keys/clock.test.ts': 'jest.useFakeTimers();\n',
  'test/keys/module.test.ts': "jest.mock('../../src/errors', () => ({}));\n",
  'test/keys/function.test.ts': "const ask = jest.spyOn(globalThis, 'fetch');\n",
  'test/keys/time.test.ts': 'jest.setTimeout(9);\n',
  'test/keys/setting.test.ts': "describe('all', () => {\n  process.env.PORT = '1';\n});\n",
};
/** A suite that replaces something within a test. */
const WITHIN = "it('one', () => {\n  jest.spyOn(globalThis, 'fetch');\n});\n";
const SUITES = [
  ...Array.from({ length: 13 }, (_, index) => `test/keys/${index}.test.ts`),
  'test/keys/long.test.ts',
  'test/keys/slow.hostile.test.ts',
  'test/keys/within.test.ts',
  ...Object.keys(REPLACING),
  'test/tail/one.test.ts',
];

describe('suites that run together', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'audit-activity-groups-'));
    for (const suite of SUITES) {
      mkdirSync(path.dirname(path.join(root, suite)), { recursive: true });
      writeFileSync(path.join(root, suite), REPLACING[suite] ?? (suite.includes('within') ? WITHIN : ''));
    }
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const evaluate = (expression: string) =>
    JSON.parse(
      execFileSync(process.execPath, [
        '--input-type=module',
        '-e',
        `import { failedSuites, inGroups } from ${JSON.stringify(SCRIPT)};
         const root = ${JSON.stringify(root)};
         console.log(JSON.stringify(${expression}));`,
      ]).toString(),
    );
  const grouped = () =>
    evaluate(`inGroups(root, ${JSON.stringify(SUITES)}, (suite) => suite.includes('long'))`) as string[];

  it('are each in one group, except long and hostile ones, and those that replace what others use or have another time limit', () => {
    const files = grouped().slice(grouped().indexOf('--runTestsByPath') + 1);
    expect(files).toEqual([
      'test/keys/long.test.ts',
      'test/keys/slow.hostile.test.ts',
      ...Object.keys(REPLACING),
      '.setup/suites-together/group-1.test.ts',
      '.setup/suites-together/group-2.test.ts',
    ]);
    const declared = files
      .slice(-2)
      .map((file) => readFileSync(path.join(root, file), 'utf8').match(/(?<=describe\(")[^"]+/g) ?? []);
    expect(declared.map(({ length }) => length)).toEqual([8, 7]);
    expect(declared.flat().sort()).toEqual(
      [...SUITES.slice(0, 13), 'test/keys/within.test.ts', 'test/tail/one.test.ts'].sort(),
    );
  });

  it('are named one by one if they fail: by their tests, or all if the group itself has failed', () => {
    grouped();
    const name = path.join(root, '.setup/suites-together/group-2.test.ts');
    const failedBy = (results: object[], file = name) =>
      evaluate(`failedSuites(root, ${JSON.stringify({ name: file, assertionResults: results })})`);
    const passed = { status: 'passed', ancestorTitles: ['test/keys/1.test.ts'] };
    const failed = { status: 'failed', ancestorTitles: ['test/keys/3.test.ts', 'a describe'] };
    expect(failedBy([passed, failed, failed])).toEqual(['test/keys/3.test.ts']);
    expect(failedBy([passed])).toEqual([
      ...[1, 3, 5, 7, 9, 11].map((index) => `test/keys/${index}.test.ts`),
      'test/keys/within.test.ts',
    ]);
    expect(failedBy([failed], path.join(root, 'test/tail/a.test.ts'))).toEqual(['test/tail/a.test.ts']);
  });
});
