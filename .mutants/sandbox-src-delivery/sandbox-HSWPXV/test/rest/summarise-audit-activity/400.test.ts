import { ONE_ENGINE } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import type { TestTenant } from '../../support/world';
import { expectError } from '../support/operations';

describe.each(ONE_ENGINE)('400 of GET /audit-activity/summary on %s', (engine) => {
  const at = useWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
  });
  const refused = async (query: string): Promise<string> => {
    const answer = await acme.get('/audit-activity/summary', query);
    expectError(answer, 400, 'invalid_parameter');
    return answer.body.error.message;
  };

  it.each(['startTime', 'endTime'])('%s that is not a time', async (name) => {
    for (const text of ['', 'now', '2026-02-30', '2026-01-01T00:00:00+02:00']) {
      expect(await refused(`${name}=${text}`)).toContain(name);
    }
  });

  it('startTime after endTime', async () => {
    expect(await refused('startTime=2026-01-02&endTime=2026-01-01')).toMatch(/startTime.*after endTime/);
  });

  it.each(['startTime', 'endTime'])('%s given twice', async (name) => {
    expect(await refused(`${name}=2026-01-01&${name}=2026-01-02`)).toContain(`${name} must be given once`);
  });

  // These are parameters of the list. If they were ignored here, the answer would count everything.
  it.each(['page', 'pageSize', 'search', 'sortBy', 'actionId', 'databaseName', 'principalName', 'recordId'])(
    '%s, which is not a parameter here',
    async (name) => {
      expect(await refused(`${name}=1`)).toContain(`"${name}"`);
    },
  );

  it('names every problem', async () => {
    const message = await refused('startTime=x&endTime=y&databaseName=z');
    for (const name of ['startTime', 'endTime', 'databaseName']) expect(message).toContain(name);
  });
});
