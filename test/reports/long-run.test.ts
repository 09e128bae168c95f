import { once } from 'node:events';
import { Client } from 'pg';
import { open } from '../http/support/raw';
import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { waitersOn } from '../support/lock-waiters';
import { PATIENT, useLimits } from '../support/use-limits';
import { useWorld } from '../support/use-world';

const PERIOD = { startTime: '2026-01-05T00:00:00Z', endTime: '2026-01-06T00:00:00Z' };

describeOnPostgres('a run that takes longer than a connection may be silent', () => {
  // The statement waits for as long as the test holds the table, on a busy machine for seconds.
  useLimits({ ...PATIENT, connectionIdleMs: 1_500, requestCheckMs: 50 });
  const at = useWorld('postgresql');
  it('reaches the caller who waits for it, while an idle caller is cut off', async () => {
    const { world } = at;
    const tenant = await world.tenant();
    await tenant.ingest([anEvent({ eventTime: '2026-01-05T08:00:00Z', actionId: 'UP' })]);
    const { key } = await world.key({ tenantIds: [tenant.tenantId], scopes: ['read:reports'] });
    const blocker = new Client({ connectionString: world.database.databaseUrl ?? '' });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE report_run IN ACCESS EXCLUSIVE MODE');
    const query = { ...PERIOD, format: 'json' };
    const answer = world.get('/reports/data-changes/content', key, { query });
    await waitersOn(blocker, 1);
    // This connection is silent for a shorter time than the one before.
    const idle = open(world.service.url);
    await once(idle.socket, 'connect');
    idle.socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${tenant.agentKey}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    await idle.ended;
    await blocker.query('COMMIT');
    await blocker.end();
    const { status, body } = await answer;
    expect([status, body.end?.rows ?? body]).toEqual([200, 1]);
  });
});
