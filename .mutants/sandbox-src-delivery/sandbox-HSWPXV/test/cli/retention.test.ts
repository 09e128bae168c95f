import { runCli } from '../support/cli';
import { useWorld } from '../support/use-world';

describe('tenant retention on the command line', () => {
  const open = useWorld('embedded');
  const run = (...args: string[]) =>
    runCli(args, { AUDIT_ACTIVITY_URL: open.world.service.url, DATA_DIR: open.world.database.dataDir });

  it('sets the days, shows them, and removes them again', async () => {
    const made = await run('tenant', 'create', '--name', 'Acme', '--retention-days', '90', '--json');
    const { tenantId } = JSON.parse(made.lines[0] ?? '');
    const shown = async () => {
      const tenants = JSON.parse((await run('tenant', 'list', '--json')).lines[0] ?? '');
      return tenants.find((tenant: { tenantId: string }) => tenant.tenantId === tenantId).retentionDays;
    };
    expect(await shown()).toBe(90);
    expect(await run('tenant', 'retention', tenantId, '--days', '30')).toEqual({
      lines: [`tenant ${tenantId}: events are kept for 30 days`],
      error: null,
    });
    expect(await shown()).toBe(30);
    const json = await run('tenant', 'retention', tenantId, '--none', '--json');
    expect(JSON.parse(json.lines[0] ?? '')).toEqual({ tenantId, retentionDays: null });
    expect((await run('tenant', 'retention', tenantId, '--none')).lines).toEqual([
      `tenant ${tenantId}: events are kept for ever`,
    ]);
  });

  it('asks in one line for either days or none, and refuses wrong days and unknown tenants', async () => {
    for (const options of [[], ['--days', '3', '--none']])
      expect((await run('tenant', 'retention', '1', ...options)).error).toBe(
        'Give either --days N, or --none to keep events for ever.',
      );
    expect((await run('tenant', 'retention', '1', '--days', 'soon')).error).toMatch('must be a whole number');
    expect((await run('tenant', 'retention', '999', '--days', '3')).error).toBe(
      'not_found: There is no such tenant.',
    );
  });
});
