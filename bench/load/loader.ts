import type { Client } from 'pg';
import type { Bench } from '../context';
import { Calendar } from '../data/calendar';
import { BATCH_EVENTS, EventSource } from '../data/event-source';
import { sharesOf, TENANTS } from '../data/tenants';
import { withClient } from '../processes/databases';
import { createTenant, type Service, startService } from '../processes/service';
import { backlogText, caughtUp } from './backlog';
import { bodyOf, inParallel, Sender } from './sender';

const CONNECTIONS = 3;
const TELL_MS = 5_000;
const NOTED_BATCHES = 10;
const NOTE = 'UPDATE bench_tenant SET batches = greatest(batches, $1) WHERE place = $2';

/** The result of a load. */
export interface LoadRecord {
  readonly rows: number;
  /** From the start of the load to the last receipt. */
  readonly seconds: number;
  /** The time until everything was folded and indexed. */
  readonly settledSeconds: number;
  readonly rowsPerSecond: number;
  readonly serviceMemoryPeakMb: number | null;
  readonly databaseMb: number;
}

interface LoadTenant {
  readonly place: number;
  readonly agent_key: string;
  /** The number of batches that are certainly stored. */
  readonly batches: number;
}
interface Job extends LoadTenant {
  readonly source: EventSource;
  readonly batch: number;
}

/** Loads the made data through a service, by the mutation agents use, and waits until the counts are folded. */
export async function load(bench: Bench, url: string, rows: number): Promise<Omit<LoadRecord, 'databaseMb'>> {
  const service = await startService(bench, url, { LOG_LEVEL: 'warn' });
  try {
    return await withClient(url, (client) => loadThrough(bench, client, service, rows));
  } finally {
    await bench.untrack(service.server);
  }
}

async function loadThrough(bench: Bench, client: Client, service: Service, rows: number) {
  const tenants = await ensureTenants(client, service);
  const sources = sharesOf(rows).map((count, place) => new EventSource(place, count, new Calendar()));
  const sender = new Sender(service.server.url, CONNECTIONS);
  const jobs = jobsOf(tenants, sources);
  const sent = { events: 0, total: jobs.reduce((sum, { source, batch }) => sum + source.sizeOf(batch), 0) };
  const started = performance.now();
  bench.say(`loading ${sent.total.toLocaleString('en')} of ${rows.toLocaleString('en')} events`);
  let tell = setInterval(() => bench.say(progress(sent, performance.now() - started)), TELL_MS);
  try {
    await inParallel(jobs, CONNECTIONS, async ({ source, batch, place, agent_key }) => {
      await sender.send(agent_key, bodyOf(source.batch(batch)));
      sent.events += source.sizeOf(batch);
      // Batches of another connection may still be under way. Sent again, they are duplicates and cost little.
      const sure = batch + 1 - CONNECTIONS;
      if (sure > 0 && sure % NOTED_BATCHES === 0) await client.query(NOTE, [sure, place]);
    });
    clearInterval(tell);
    const seconds = (performance.now() - started) / 1000;
    bench.say(progress(sent, seconds * 1000));
    tell = setInterval(() => backlogText(client, true).then(bench.say, bench.say), TELL_MS);
    await caughtUp(client, true);
    const settledSeconds = (performance.now() - started) / 1000;
    const peak = service.server.memory.read();
    bench.say(
      `  loaded, folded and indexed in ${Math.round(settledSeconds)} s; service peak ${Math.round(peak ?? 0)} MB`,
    );
    return { rows, seconds, settledSeconds, rowsPerSecond: sent.events / seconds, serviceMemoryPeakMb: peak };
  } finally {
    clearInterval(tell);
    sender.close();
  }
}

async function ensureTenants(client: Client, service: Service): Promise<LoadTenant[]> {
  const list = async () => (await client.query('SELECT * FROM bench_tenant ORDER BY place')).rows;
  for (let place = (await list()).length; place < TENANTS; place++) {
    const { tenantId, agentKey } = await createTenant(service, `Tenant ${place + 1}`);
    const insert = 'INSERT INTO bench_tenant (place, tenant_id, agent_key) VALUES ($1, $2, $3)';
    await client.query(insert, [place, tenantId, agentKey]);
  }
  return list();
}

/** All missing batches in the order of time, as agents of many tenants would send them side by side. */
function jobsOf(tenants: readonly LoadTenant[], sources: readonly EventSource[]): Job[] {
  const jobs = tenants.flatMap((tenant) => {
    const source = sources[tenant.place];
    if (!source) return [];
    const missing = Array.from({ length: source.batches }, (_, batch) => batch).slice(tenant.batches);
    return missing.map((batch) => ({ ...tenant, source, batch }));
  });
  const when = ({ batch, source }: Job) => (batch * BATCH_EVENTS) / source.count;
  return jobs.sort((a, b) => when(a) - when(b));
}

function progress({ events, total }: { events: number; total: number }, ms: number): string {
  const rate = events / (ms / 1000);
  const left = Math.max(0, (total - events) / rate);
  const percent = ((100 * events) / total).toFixed(1);
  return `  ${percent} %  ${Math.round(rate).toLocaleString('en')} rows/s  ${Math.floor(left / 60)} min ${Math.round(left % 60)} s left`;
}
