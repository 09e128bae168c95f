import { runBeside, runCli } from '../support/cli';
import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { useWorld } from '../support/use-world';

describe('tenant retention on the command line', () => {
  const open = useWorld(ANY_ENGINE);
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
    expect(JSON.parse(json.lines[0] ?? '')).toEqual({ tenantId, retentionDays: null, holdsInForce: 0 });
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

  it('makes holds, lists and ends them, and tells of them whoever changes the tenant', async () => {
    const { tenantId } = await open.world.tenant();
    const held = await run(
      ...['hold', 'create', '--tenant', tenantId, '--filter', 'databaseName:Payroll'],
      ...['--until', '2199-01-01T00:00:00Z', '--reason', 'case 7', '--json'],
    );
    const { holdId, ...made } = JSON.parse(held.lines[0] ?? '');
    expect(made).toMatchObject({
      tenantId,
      filter: 'databaseName:Payroll',
      reason: 'case 7',
      isInForce: true,
    });
    expect((await run('hold', 'create', '--tenant', tenantId, '--reason', 'case 8')).lines[0]).toMatch(
      new RegExp(`^hold [0-9a-f-]{36}: every event of tenant ${tenantId} stay`),
    );
    const told = 'legal holds in force: 2 (`hold list`); what they hold is not removed';
    expect((await run('tenant', 'retention', tenantId, '--days', '9')).lines[0]?.split('\n')[1]).toBe(told);
    expect((await run('tenant', 'disable', tenantId, '--reason', 'x')).lines[0]?.split('\n')[1]).toBe(told);
    expect(await run('hold', 'end', holdId, '--reason', 'settled')).toEqual({
      lines: [`hold ${holdId} of tenant ${tenantId} has ended`],
      error: null,
    });
    const listed = await run('hold', 'list', '--tenant', tenantId, '--json');
    expect(JSON.parse(listed.lines[0] ?? '')).toMatchObject([
      { reason: 'case 8', filter: null, isInForce: true },
      { reason: 'case 7', isInForce: false, endedReason: 'settled' },
    ]);
  });

  describe('where it would remove events', () => {
    const DAYS = 100;
    const old = (days: number) =>
      anEvent({ eventTime: new Date(Date.now() - days * 86_400_000).toISOString().replace('Z', '0000Z') });
    const twoOfThreeOld = async () => {
      const tenant = await open.world.tenant();
      await tenant.ingest([old(300), old(DAYS + 1), old(DAYS - 1)]);
      return tenant.tenantId;
    };
    const daysOf = async (tenantId: string) => {
      const { tenants } = await open.world.operate('{ tenants { tenantId retentionDays } }');
      return tenants.find((one: { tenantId: string }) => one.tenantId === tenantId).retentionDays;
    };
    const TOLD =
      /^2 events of before \d{4}-\d\d-\d\dT[\d:.]+Z are removed within the hour, for good; 1 stay\./;
    const answering = (answer: boolean) => {
      const asked: string[] = [];
      const confirm = async (question: string) => asked.push(question) > 0 && answer;
      const set = (tenantId: string, ...options: string[]) =>
        runBeside({ confirm }, ['tenant', 'retention', tenantId, '--days', `${DAYS}`, ...options], {
          AUDIT_ACTIVITY_URL: open.world.service.url,
          AUDIT_ACTIVITY_OPERATOR_KEY: open.world.operatorKey,
        });
      return { asked, set };
    };

    it('tells how many, asks, and does what the operator says', async () => {
      const tenantId = await twoOfThreeOld();
      const no = answering(false);
      expect(await no.set(tenantId)).toEqual({ lines: [], error: 'Nothing was changed.' });
      expect(no.asked).toEqual([expect.stringMatching(TOLD)]);
      expect(await daysOf(tenantId)).toBeNull();
      const yes = answering(true);
      const { lines, error } = await yes.set(tenantId);
      expect(error).toBeNull();
      expect(lines[0]?.split('\n')).toEqual([
        `tenant ${tenantId}: events are kept for ${DAYS} days`,
        expect.stringMatching(TOLD),
      ]);
      expect(yes.asked).toHaveLength(1);
      expect(await daysOf(tenantId)).toBe(DAYS);
    });

    it('does not ask with --yes, nor about what removes nothing', async () => {
      const { asked, set } = answering(false);
      const tenantId = await twoOfThreeOld();
      expect((await set(tenantId, '--yes')).error).toBeNull();
      const { tenantId: other } = await open.world.tenant();
      expect((await set(other)).error).toBeNull();
      expect(asked).toEqual([]);
      expect([await daysOf(tenantId), await daysOf(other)]).toEqual([DAYS, DAYS]);
    });

    it('refuses where nobody can be asked, and says why', async () => {
      const tenantId = await twoOfThreeOld();
      const { lines, error } = await run('tenant', 'retention', tenantId, '--days', `${DAYS}`, '--json');
      expect(lines).toEqual([]);
      const refusal = JSON.parse(error ?? '').error;
      expect(refusal.code).toBe('not_confirmed');
      expect(refusal.message).toMatch(TOLD);
      expect(refusal.message).toMatch(/Nothing was changed.*no terminal.*--yes/);
      expect(await daysOf(tenantId)).toBeNull();
    });
  });
});
