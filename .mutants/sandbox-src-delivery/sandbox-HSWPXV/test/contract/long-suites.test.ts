import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import long from '../support/long-suites.json';

const ROOT = path.resolve(__dirname, '../..');

describe('the long suites', () => {
  it('are the suites that ask for a number of cases, and each has more cases in full than in short', async () => {
    const names = (await readdir(path.join(ROOT, 'test'), { recursive: true }))
      .map((name) => path.posix.join('test', name))
      .filter((name) => name.endsWith('.test.ts') && existsSync(path.join(ROOT, name)));
    const asking = names.filter((name) =>
      readFileSync(path.join(ROOT, name), 'utf8').includes(`casesOf(${'__filename'})`),
    );
    expect(Object.keys(long.suites).sort()).toEqual(asking.sort());
    expect(long.only.filter((name) => !names.includes(name) || asking.includes(name))).toEqual([]);
    for (const [name, { short, full }] of Object.entries(long.suites))
      expect([name, short >= 0 && full > short]).toEqual([name, true]);
  });
});
