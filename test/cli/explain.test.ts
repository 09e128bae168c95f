import { runCli } from '../support/cli';
import { ANY_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

describe('the command explain', () => {
  const open = useWorld(ANY_ENGINE);
  const run = (...args: string[]) =>
    runCli(['explain', ...args], {
      AUDIT_ACTIVITY_URL: open.world.service.url,
      DATA_DIR: open.world.database.dataDir,
    });

  it('prints what each question would read, within the given times and of the given words', async () => {
    const tenant = await open.world.tenant();
    for (const hour of ['08', '09']) await tenant.audited({ eventTime: `2026-03-04T${hour}:30:00.0000000Z` });
    const of = ['--tenant', tenant.tenantId];
    const table = (await run('hostName:HOST-X', ...of)).lines[0]?.split('\n') ?? [];
    expect(table[0]?.split(/ +/)).toEqual(['question', 'by', 'events', 'waits', 'because']);
    expect(table).toHaveLength(7);
    expect(table[1]).toMatch(/^page +columns +2 +true +counts do not know the filter hostName$/);
    const times = ['--from', '2026-03-04T09:00:00Z', '--to', '2026-03-04T10:00:00Z'];
    const ofHour = (await run('hostName:HOST-X', ...of, ...times)).lines[0];
    expect(ofHour).toMatch(/page +columns +1 +true/);
    expect((await run('*', ...of)).lines[0]).toMatch(/page +counts +0 +false/);
    expect((await run('*', ...of, '--search', 'word')).lines[0]).toMatch(/page +words/);
  });

  it('refuses a filter that is not understood, and a tenant that does not exist', async () => {
    const tenant = await open.world.tenant();
    expect((await run('hostName:(', '--tenant', tenant.tenantId)).error).toMatch(/filter is not understood/);
    expect((await run('*', '--tenant', '999999')).error).toMatch(/no such tenant/);
  });
});
