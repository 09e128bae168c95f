import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { parseNote } from '../../src/modules/evidence/checkpoint';
import { runCli } from '../support/cli';
import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const CHECK = `query($tenantId: String!, $start: Int!) { auditLogCheck(tenantId: $tenantId, start: $start) {
  signed sound problems } }`;

describeOnPostgres(
  "an operator's check holds the log against its seal and what this instance remembers, and refuses it where",
  () => {
    // Each batch gets a checkpoint of its own.
    useLimits({ ...QUICK_LOG, checkpointMs: 1 });
    const at = useWorld('postgresql');
    let database: Database;
    beforeAll(async () => {
      database = await openDatabase(at.world.database);
    });
    afterAll(() => database.close());
    const change = (tenant: TestTenant, sql: string) =>
      database.migrator.models.$executeRawUnsafe(sql.replaceAll('$1', tenant.tenantId));
    const rememberedOf = ({ tenantId }: TestTenant) =>
      path.join(at.world.database.dataDir, `checkpoints/tenant-${tenantId}`);
    /** Ingests events, and waits until the service remembers a checkpoint that covers as many. */
    const sign = async (tenant: TestTenant, size: number, count: number) => {
      await tenant.ingest(Array.from({ length: count }, () => anEvent()));
      await until(
        () => readFile(rememberedOf(tenant), 'utf8').catch(() => ''),
        (note) => parseNote(note)?.size === size,
      );
    };
    const filled = async () => {
      const tenant = await at.world.tenant();
      await sign(tenant, 40, 40);
      return { tenant };
    };
    const check = async ({ tenantId }: TestTenant, start = 0) =>
      (await at.world.operate(CHECK, { tenantId, start })).auditLogCheck;
    const LOG_TABLES = ['head', 'tile', 'place', 'checkpoint'];
    /** A tenant with two checkpoints; the function puts the database's log back to the first. */
    async function grown() {
      const { tenant } = await filled();
      const saved = await Promise.all(
        LOG_TABLES.map(async (name) => {
          const [row] = await database.migrator.models.$queryRawUnsafe<{ rows: string }[]>(
            `SELECT json_agg(t)::text AS rows FROM audit_log_${name} t WHERE tenant_id = $1::int`,
            Number(tenant.tenantId),
          );
          return [name, row?.rows ?? '[]'] as const;
        }),
      );
      await sign(tenant, 45, 5);
      const putBack = async () => {
        await takeAway(tenant);
        for (const [name, rows] of saved)
          await database.migrator.models.$executeRawUnsafe(
            `INSERT INTO audit_log_${name} SELECT * FROM json_populate_recordset(null::audit_log_${name}, $1::json)`,
            rows,
          );
      };
      return { tenant, putBack };
    }
    const takeAway = async (tenant: TestTenant) => {
      for (const name of LOG_TABLES)
        await change(tenant, `DELETE FROM audit_log_${name} WHERE tenant_id = $1`);
    };

    it('the newest checkpoint was removed, or is one of another time', async () => {
      const { tenant } = await grown();
      expect(await check(tenant)).toMatchObject({ signed: 45, sound: 45, problems: [] });
      await change(
        tenant,
        `UPDATE audit_log_checkpoint SET note = (SELECT note FROM audit_log_checkpoint WHERE tenant_id = $1 AND number = 1)
         WHERE tenant_id = $1 AND number = 2`,
      );
      const text =
        'The newest checkpoint that is stored is number 1 with 40 entries; the log was signed 2 times';
      expect((await check(tenant)).problems).toEqual([expect.stringContaining(text)]);
      await change(tenant, 'DELETE FROM audit_log_checkpoint WHERE tenant_id = $1 AND number = 2');
      expect(await check(tenant)).toMatchObject({
        signed: 45,
        sound: 45,
        problems: [expect.stringContaining(text)],
      });
      await change(tenant, 'DELETE FROM audit_log_checkpoint WHERE tenant_id = $1');
      expect((await check(tenant, 45)).problems).toEqual([
        expect.stringContaining('The newest checkpoint is not there'),
      ]);
    });

    it('the log was set back to an earlier state, sealed as it was', async () => {
      const { tenant, putBack } = await grown();
      await putBack();
      for (const start of [0, 40])
        expect((await check(tenant, start)).problems).toEqual([
          expect.stringContaining(
            'This instance refuses the log: the log was set back or replaced: it has 40 entries',
          ),
        ]);
    });

    it('the log was cut back', async () => {
      const { tenant } = await grown();
      await change(
        tenant,
        'UPDATE audit_log_head SET size = 40, signed_size = 40, checkpoints = 1 WHERE tenant_id = $1',
      );
      await change(tenant, 'DELETE FROM audit_log_checkpoint WHERE tenant_id = $1 AND number = 2');
      expect((await check(tenant)).problems).toEqual([
        expect.stringContaining('where the log ends was changed'),
      ]);
    });

    it('the log was taken away whole, and also where nothing is remembered of it', async () => {
      const { tenant } = await grown();
      await takeAway(tenant);
      const had = 'it has 0 entries and 0 checkpoints, and had 45 entries';
      expect((await check(tenant)).problems).toEqual([expect.stringContaining(had)]);
      await rm(rememberedOf(tenant));
      await until(
        async () => (await check(tenant)).problems,
        ([problem]) => !problem.includes('set back'),
      );
      expect(await check(tenant)).toMatchObject({
        signed: 0,
        sound: 0,
        problems: ['Events are stored, and there is no log: it was taken away.'],
      });
    });

    it('an event is gone, and the controls that ask for a verification tell of it', async () => {
      const tenant = await at.world.tenant();
      await sign(tenant, 20, 20);
      const { key } = await at.world.key({ tenantIds: [tenant.tenantId], scopes: ['read:compliance'] });
      const control = async () => {
        const { body } = await at.world.get('/compliance/controls?framework=pci-dss', key);
        return body.data.find(({ controlId }: { controlId: string }) => controlId === '10.3.4');
      };
      expect(await control()).toMatchObject({ status: 'unknown' });
      expect(await check(tenant, 7)).toMatchObject({ problems: [] });
      expect(await control()).toMatchObject({ status: 'unknown' });
      expect(await check(tenant)).toMatchObject({ sound: 20 });
      expect(await control()).toMatchObject({
        status: 'pass',
        reason: expect.stringContaining('all 20 entries'),
      });
      await change(
        tenant,
        'DELETE FROM audit_event WHERE record_id = (SELECT max(record_id::text) FROM audit_event WHERE tenant_id = $1)::uuid AND tenant_id = $1',
      );
      await check(tenant);
      expect(await control()).toMatchObject({
        status: 'fail',
        reason: expect.stringContaining('found an event altered or missing'),
      });
    });

    it('findings are gone, or rules were moved on in the log: the service is Degraded then, and an alert says so', async () => {
      const tenant = await at.world.tenant();
      const { key } = await at.world.key({ tenantIds: [tenant.tenantId], scopes: ['read:alerts'] });
      const alerts = async () => (await at.world.get('/alerts', key)).body.data as { title: string }[];
      const failed = { actionId: 'LGIF', succeeded: false, clientIp: '203.0.113.9' };
      await tenant.ingest(Array.from({ length: 15 }, () => anEvent(failed)));
      await until(alerts, (found) => found.length === 2);
      expect((await check(tenant)).problems).toEqual([]);
      await change(tenant, 'DELETE FROM finding WHERE tenant_id = $1');
      expect((await check(tenant)).problems).toEqual([
        '16 findings are not there any more: rules made 16, and 0 are there.',
      ]);
      await change(tenant, 'UPDATE detection_position SET position = 9000 WHERE tenant_id = $1');
      const trail = await until(alerts, (found) => found.length === 3);
      expect(JSON.stringify(trail)).toContain('How far the rules are was changed in the database, from 15');
      expect((await at.world.fetch('/health')).text).toBe('Degraded');
    });
    it('is found by verify and ends it: the note of checkpoint 1, or of another tenant, in the newest row', async () => {
      const [{ tenant }, other] = [await filled(), await filled()];
      for (const from of [tenant, other.tenant]) {
        await sign(tenant, 41 + Number(from !== tenant), 1);
        await change(
          tenant,
          `UPDATE audit_log_checkpoint SET note = (SELECT note FROM audit_log_checkpoint WHERE tenant_id = ${from.tenantId} AND number = 1)
         WHERE tenant_id = $1 AND number = (SELECT max(number) FROM audit_log_checkpoint WHERE tenant_id = $1)`,
        );
        const { lines, error } = await runCli(
          ['verify', '--service', at.world.service.url, '--json', '--wait', '0'],
          { AUDIT_ACTIVITY_API_KEY: tenant.key },
        );
        expect(error).toContain('could not be judged');
        expect(JSON.parse(lines[0] ?? '').problems).toContain(
          from === tenant ? 'checkpoint 1 does not follow checkpoint 1' : "checkpoint 1 is another tenant's",
        );
      }
    });
  },
);
