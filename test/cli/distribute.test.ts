import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { compiledService } from '../support/child-service';
import { runCli } from '../support/cli';

const done = { citus: '13.2-2', distributed: ['tenant', 'audit_event'], before: [] };

describe('the command distribute', () => {
  const run = (args: string[], answer: object = done) => {
    const asked: (number | null)[] = [];
    const outcome = runCli(
      ['distribute', ...args],
      {},
      async () => [],
      async (shards) => {
        asked.push(shards);
        return { ...done, ...answer };
      },
    );
    return outcome.then(({ lines, error }) => ({ lines, error, asked }));
  };

  it('says which tables it distributed, in words or in JSON', async () => {
    expect(await run([])).toEqual({
      lines: ['distributed: tenant, audit_event'],
      error: null,
      asked: [null],
    });
    expect((await run([], { distributed: ['tenant'] })).lines).toEqual(['distributed: tenant']);
    expect((await run([], { distributed: [] })).lines).toEqual(['nothing to distribute']);
    const { lines, asked } = await run(['--json', '--shards', '64']);
    expect([JSON.parse(lines[0] ?? ''), asked]).toEqual([done, [64]]);
  });

  it('ends with 1 and one line on stderr when the database has no Citus', async () => {
    const main = path.join(await compiledService(), 'src/cli/main.js');
    const urls = [...(process.env.TEST_DATABASE_URL ? [process.env.TEST_DATABASE_URL] : []), ''];
    for (const DATABASE_URL of urls) {
      const options = { env: { PATH: process.env.PATH ?? '', DATABASE_URL }, encoding: 'utf8' as const };
      const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'distribute'], options);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^.*nothing was distributed.*\n$/);
    }
  }, 180_000);
});
