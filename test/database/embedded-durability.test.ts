import { stat } from 'node:fs/promises';
import path from 'node:path';
import { ChildService } from '../support/child-service';
import { createTestDatabase, type TestDatabase } from '../support/engines';
import { anEvent } from '../support/events';
import { INGEST, World } from '../support/world';

// Each start of a process or of a new database takes seconds on a busy machine.
jest.setTimeout(180_000);

/** Enough for three rounds of 200 events in batches of 20, and the batches under way when a round ends. */
const BATCHES_MAX = 100;

interface Receipt {
  readonly ingestAuditEvents: { readonly accepted: number; readonly duplicates: number };
}
const batchOf = (count: number) => Array.from({ length: count }, () => anEvent());

async function tenantOf(service: ChildService): Promise<{ agentKey: string; key: string }> {
  const { createTenant } = await service.graphql<{ createTenant: { tenantId: string } }>(
    service.operatorKey,
    'mutation { createTenant(name: "Acme") { tenantId } }',
  );
  const { agent, reader } = await service.graphql<{ agent: { key: string }; reader: { key: string } }>(
    service.operatorKey,
    `mutation($id: String!) { agent: createAgentKey(name: "a", tenantId: $id) { key }
       reader: createApiKey(name: "r", tenantIds: [$id], scopes: ["read:audit-activity"]) { key } }`,
    { id: createTenant.tenantId },
  );
  return { agentKey: agent.key, key: reader.key };
}

async function storedCount(service: ChildService, key: string): Promise<number> {
  const response = await fetch(`${service.url}/api/v1/public/audit-activity/summary`, {
    headers: { 'X-Api-Key': key },
  });
  const { data } = (await response.json()) as { data: { totalCount: number } };
  return data.totalCount;
}

describe('the embedded database', () => {
  let place: TestDatabase;
  let dataDir: string;
  beforeEach(async () => {
    place = await createTestDatabase('embedded');
    ({ dataDir } = place);
  });
  afterEach(() => place.drop());

  it('keeps everything across a restart, and stops cleanly', async () => {
    const first = await ChildService.start({ DATA_DIR: dataDir });
    // The engine's files are writable by everybody, so their folder must keep other users out.
    expect((await stat(path.join(dataDir, 'database'))).mode & 0o777).toBe(0o700);
    const { agentKey, key } = await tenantOf(first);
    await first.graphql<Receipt>(agentKey, INGEST, { batch: { events: batchOf(25) } });
    expect(await first.stop()).toEqual([0, null]);
    const second = await ChildService.start({ DATA_DIR: dataDir });
    expect(second.operatorKey).toBe(first.operatorKey);
    expect(await storedCount(second, key)).toBe(25);
    await second.stop();
  });

  it("is opened by one process at a time: a second one is refused with the first one's id, and changes nothing", async () => {
    const first = await ChildService.start({ DATA_DIR: dataDir });
    const { key } = await tenantOf(first);
    await expect(ChildService.start({ DATA_DIR: dataDir })).rejects.toThrow(
      new RegExp(`ended with 1: .*${dataDir} is in use by process ${first.process.pid}\\.`),
    );
    expect(await storedCount(first, key)).toBe(0);
    await first.stop();
  });

  it('is refused to a second instance in the same process', async () => {
    const world = await World.open('embedded');
    await expect(World.on(world.database)).rejects.toThrow(`is in use by process ${process.pid}`);
    await world.close();
  });

  it('loses no acknowledged event when the process is killed while it stores', async () => {
    let key = '';
    let agentKey = '';
    let acknowledged = 0;
    const sent: ReturnType<typeof batchOf>[] = [];
    for (let round = 0; round < 3; round++) {
      const service = await ChildService.start({ DATA_DIR: dataDir });
      if (round === 0) ({ key, agentKey } = await tenantOf(service));
      expect(await storedCount(service, key)).toBeGreaterThanOrEqual(acknowledged);
      const killAfter = acknowledged + 200;
      const send = async (): Promise<void> => {
        for (;;) {
          const events = batchOf(20);
          sent.push(events);
          const { ingestAuditEvents } = await service.graphql<Receipt>(agentKey, INGEST, {
            batch: { events },
          });
          acknowledged += ingestAuditEvents.accepted;
          if (sent.length > BATCHES_MAX) throw new Error('new events do not count as accepted');
          // The kill comes when enough is acknowledged, while the other senders' batches are under way.
          if (acknowledged >= killAfter) service.process.kill('SIGKILL');
        }
      };
      const ended = new Promise((resolve) =>
        service.process.once('exit', (_code, signal) => resolve(signal)),
      );
      const outcomes = await Promise.allSettled([send(), send(), send()]);
      service.process.kill('SIGKILL');
      expect(await ended).toBe('SIGKILL');
      const why = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message);
      expect(why).toEqual(Array(3).fill(expect.stringMatching(/^(fetch failed|terminated)$/)));
    }
    const last = await ChildService.start({ DATA_DIR: dataDir });
    const before = await storedCount(last, key);
    expect(before).toBeGreaterThanOrEqual(acknowledged);
    expect(before).toBeLessThanOrEqual(sent.length * 20);
    // Sending every batch again completes the store, and each event is stored once.
    for (const events of sent) await last.graphql<Receipt>(agentKey, INGEST, { batch: { events } });
    expect(await storedCount(last, key)).toBe(sent.length * 20);
    await last.stop();
  });
});
