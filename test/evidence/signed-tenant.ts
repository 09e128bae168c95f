import { parseNote } from '../../src/modules/evidence/checkpoint';
import { type CliOutcome, runCli } from '../support/cli';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { type TestTenant } from '../support/world';

/** Waits until a checkpoint signs this many entries. */
export const signed = (tenant: TestTenant, size: number) =>
  until(
    async () => (await tenant.get('/audit-log')).body.data,
    ({ checkpoint }) => checkpoint !== null && parseNote(checkpoint)?.size === size,
  );
export const events = (n: number) =>
  Array.from({ length: n }, (_, i) =>
    anEvent({ statement: `SELECT '${i}' AS "é" -- ${'x'.repeat(i % 50)}` }),
  );
export const verify = (tenant: TestTenant, ...args: string[]): Promise<CliOutcome> =>
  runCli(['verify', '--service', tenant.world.service.url, ...args], { AUDIT_ACTIVITY_API_KEY: tenant.key });
