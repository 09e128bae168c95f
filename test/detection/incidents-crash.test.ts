import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { ChildService } from '../support/child-service';
import { createTestDatabase, describeOnPostgres } from '../support/engines';
import { anEvent, type IngestedEvent } from '../support/events';
import { SEED } from '../support/share';
import { until } from '../support/until';
import { INGEST } from '../support/world';

const LOGINS = 8;
const ROUNDS = 12;
const KILLS = 5;

/** A grant by one login to another, so that incidents join over rounds. */
const grant = (round: number, n: number): IngestedEvent =>
  anEvent({
    actionId: 'APRL',
    objectName: 'sysadmin',
    serverPrincipalName: `admin${n % LOGINS}`,
    clientIp: `203.0.113.${10 + (n % LOGINS)}`,
    hostName: `H${n % LOGINS}`,
    statement: `ALTER SERVER ROLE sysadmin ADD MEMBER u${round}_${n}`,
    additional: {
      classType: 'SG',
      targetServerPrincipalName: round % 4 === 3 ? `admin${(n + 1) % LOGINS}` : `u${round}_${n}`,
    },
    eventTime: `2026-01-05T${String(1 + Math.floor(round / 2)).padStart(2, '0')}:${round % 2 ? '40' : '10'}:${String(n % 60).padStart(2, '0')}.0000000Z`,
  });
const batches = Array.from({ length: ROUNDS }, (_, round) =>
  Array.from({ length: LOGINS / 2 }, (__, i) => grant(round, (round * 3 + i * 2) % LOGINS)),
);

/** A number from 0 up to 1 that the seed decides. */
function* numbers(): Generator<number, never> {
  for (let x = SEED; ; ) {
    x = (x * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield x / 2_147_483_648;
  }
}

describeOnPostgres('incidents of a service that is killed', () => {
  /** @returns the incidents in the order in which they began, each with its alerts */
  async function formed(kills: number) {
    const database = await createTestDatabase('postgresql');
    const client = new Client({ connectionString: database.databaseUrl ?? '' });
    await client.connect();
    const start = () =>
      ChildService.start({ DATABASE_URL: database.databaseUrl ?? '', DATA_DIR: database.dataDir });
    let service = await start();
    const random = numbers();
    try {
      const operate = <T>(query: string, variables: object = {}) =>
        service.graphql<T>(service.operatorKey, query, variables);
      const { createTenant } = await operate<{ createTenant: { tenantId: string } }>(
        'mutation { createTenant(name: "test") { tenantId } }',
      );
      const t = createTenant.tenantId;
      const { createAgentKey } = await operate<{ createAgentKey: { key: string } }>(
        'mutation($t: String!) { createAgentKey(name: "test", tenantId: $t) { key } }',
        { t },
      );
      for (const [round, events] of batches.entries()) {
        await service.graphql(createAgentKey.key, INGEST, { batch: { events } });
        if (round % 2 === 0 || round / 2 >= kills) continue;
        await delay(random.next().value * 1_500);
        await service.stop('SIGKILL');
        service = await start();
      }
      const total = batches.flat().length;
      await until(
        () => client.query('SELECT sum(finding_count)::int AS n FROM alert'),
        ({ rows }) => rows[0].n >= total,
      );
      const { rows } = await client.query(
        `SELECT i.title, i.severity, i.alert_count AS alerts, i.event_count::int AS events,
           (SELECT array_agg(a.group_values ORDER BY a.group_values COLLATE "C") FROM alert a
            WHERE a.incident_id = i.incident_id) AS members
         FROM incident i WHERE i.alert_count > 0 ORDER BY i.number`,
      );
      return rows;
    } finally {
      await service.stop('SIGKILL');
      await client.end();
      await database.drop();
    }
  }

  it('are those of one that ran through, in the same order', async () => {
    const plain = await formed(0);
    expect(plain.length).toBeGreaterThan(1);
    expect(Math.max(...plain.map(({ alerts }) => alerts))).toBeGreaterThan(1);
    expect(await formed(KILLS)).toEqual(plain);
  }, 300_000);
});
