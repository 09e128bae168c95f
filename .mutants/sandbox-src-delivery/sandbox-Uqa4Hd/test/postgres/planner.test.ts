import { Prisma } from '../../src/database/clients';
import { describeOnPostgres } from '../support/engines';
import { Store } from '../support/store';

describeOnPostgres('the settings of the planner', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open('postgresql');
  });
  afterAll(() => store.close());

  const SETTINGS = Prisma.sql`SELECT current_setting('jit') AS jit,
    current_setting('max_parallel_workers_per_gather') AS processes, current_setting('enable_seqscan') AS whole`;
  const { text, values } = SETTINGS;
  const routes = (): [string, Promise<unknown>, 'off' | 'on'][] => {
    const { prisma, run, steps, snapshot, ask, background, askOwner, migrator } = store.database;
    return [
      ['prisma', prisma.$queryRaw(SETTINGS), 'off'],
      ['run', run(text, values, []), 'off'],
      ['steps', steps([], (step) => step(text, values)), 'off'],
      ['snapshot', snapshot([], (step) => step(text, values)), 'off'],
      ['ask', ask(SETTINGS, []), 'off'],
      ['background', background.$queryRaw(SETTINGS), 'on'],
      ['askOwner', askOwner(SETTINGS, []), 'on'],
      ['migrator', migrator.$queryRaw(SETTINGS), 'on'],
    ];
  };

  it('no statement is compiled or takes further processes, and those of requests read by an index', async () => {
    for (const [route, asked, whole] of routes())
      expect([route, await asked]).toEqual([route, [{ jit: 'off', processes: '0', whole }]]);
  });
});
