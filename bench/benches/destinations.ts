import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Bench } from '../context';
import { compared, type Figure, reported } from '../figure';
import { EventReceiver } from '../http/event-receiver';
import type { Datasets } from '../load/dataset';
import { sequenced } from '../load/sequenced';
import { overShare, type SideRound, SideWork } from '../load/side-work';
import { processMs } from '../processes/processor-time';
import { type Service, startService } from '../processes/service';
import { short } from '../report';

const MANY = 10;
const POLL_MS = 20;
const PATIENCE_MS = 600_000;
const PER = 10_000;
/** Of 10,000 events: 10,000 a second. */
const A_SECOND = { medianAtMost: 1_000 } as const;
const FLAT_MB = { under: 50 } as const;
/** Of what the destinations' share of the processor leaves. */
const NO_SLOWER = { atLeast: 0.9 } as const;

const CREATE = `mutation($tenantId: String!, $url: String!) { createDestination(tenantId: $tenantId, name: "bench",
  type: "webhook", url: $url, from: "beginning") { destinationId } }`;
const REMOVE = 'mutation($id: String!) { removeDestination(destinationId: $id) { destinationId } }';

/** The time that a webhook on this host needs for 10,000 events, alone and beside nine others, and the memory. */
export async function destinations(bench: Bench, datasets: Datasets): Promise<Figure[]> {
  const dataset = await datasets.of(bench.options.rows);
  const service = await startService(bench, dataset.url, { DESTINATION_ALLOW_NETWORKS: '127.0.0.0/8' });
  const client = new Client({ connectionString: dataset.url });
  await client.connect();
  const sizes: number[] = [];
  const tenantIds = dataset.tenantIds.slice(0, MANY).map(String);
  for (const tenantId of tenantIds) sizes.push(await sequenced(client, Number(tenantId)));
  await client.end();
  const receiver = bench.track(await EventReceiver.open());
  const rounds = Array.from({ length: bench.options.rounds });
  const [alone, work, together, peaks]: number[][] = [[], [], [], []];
  const side = await SideWork.open(bench, service, tenantIds[0] ?? '');
  const beside = { reads: new Beside(), ingest: new Beside() };
  for (const _ of rounds) {
    const before = processMs(service.server.pid);
    const one = await deliver(service, receiver, tenantIds.slice(0, 1), sizes[0] ?? 0);
    alone?.push(one);
    work?.push(((processMs(service.server.pid) - before) / (sizes[0] ?? 0)) * PER);
    const all = sizes.reduce((sum, size) => sum + size, 0);
    for (const kind of KINDS) beside[kind].alone.push(await side[kind]());
    together?.push(await deliver(service, receiver, tenantIds, all));
    await besides(service, receiver, tenantIds, async () => {
      for (const kind of KINDS) {
        beside[kind].beside.push(await side[kind]());
        if (receiver.events >= all) throw new Error('the destinations had no work left: take more --rows');
      }
    });
    peaks?.push(service.server.memory.read() ?? Number.NaN);
    bench.say(`  10,000 events: alone ${short(one)} ms, ten together ${short(together?.at(-1) ?? 0)} ms`);
  }
  await bench.untrack(receiver);
  await bench.untrack(service.server);
  const named = (name: string, unit: string, values: readonly number[] = [], more = {}) =>
    reported('destinations', name, unit, values, more);
  return [
    named('10,000 events to one webhook', 'ms', alone, { target: A_SECOND, note: 'batches of 500, signed' }),
    named('the same, processor of the service', 'ms', work),
    named('10,000 events with ten webhooks at work', 'ms', together, { note: 'of all together' }),
    named('memory of the service', 'MB', peaks?.slice(-1)),
    named('growth of it from the first round to the last', 'MB', [(peaks?.at(-1) ?? 0) - (peaks?.[0] ?? 0)], {
      target: FLAT_MB,
    }),
    ...KINDS.flatMap((kind) => beside[kind].figures(kind)),
  ];
}

const KINDS = ['reads', 'ingest'] as const;
const UNITS = { reads: 'pages/s', ingest: 'events/s' } as const;

/** Work alone and beside ten destinations that have much to send, round by round. */
class Beside {
  readonly alone: SideRound[] = [];
  readonly beside: SideRound[] = [];

  figures(kind: keyof typeof UNITS): Figure[] {
    const about = { bench: 'destinations', unit: UNITS[kind] };
    const rates = (rounds: readonly SideRound[]) => rounds.map(({ rate }) => rate);
    const [alone, beside] = [rates(this.alone), rates(this.beside)];
    const expected = beside.map(
      (rate, i) => rate / overShare(this.alone[i] as SideRound, this.beside[i] as SideRound),
    );
    return [
      compared({ ...about, name: `${kind} beside ten webhooks at work`, target: null }, beside, {
        name: 'without them',
        values: alone,
      }),
      compared({ ...about, name: `${kind}, the same`, target: NO_SLOWER }, beside, {
        name: 'what their share of the processor leaves',
        values: expected,
      }),
    ];
  }
}

/** Runs work while the destinations are at work. */
async function besides(
  service: Service,
  receiver: EventReceiver,
  tenantIds: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const ids = await begin(service, receiver, tenantIds);
  await work();
  for (const id of ids) await service.operate(REMOVE, { id });
}

/** @returns milliseconds for 10,000 events, from the first one received to the last */
async function deliver(
  service: Service,
  receiver: EventReceiver,
  tenantIds: readonly string[],
  events: number,
): Promise<number> {
  const ids = await begin(service, receiver, tenantIds);
  const [begun, first] = [performance.now(), receiver.events];
  await received(receiver, events);
  const ms = performance.now() - begun;
  for (const id of ids) await service.operate(REMOVE, { id });
  return (ms / (events - first)) * PER;
}

/** @returns the destinations, of which the first events have come */
async function begin(
  service: Service,
  receiver: EventReceiver,
  tenantIds: readonly string[],
): Promise<readonly string[]> {
  receiver.events = 0;
  const ids: string[] = [];
  for (const tenantId of tenantIds) {
    const made = await service.operate<{ createDestination: { destinationId: string } }>(CREATE, {
      tenantId,
      url: receiver.url,
    });
    ids.push(made.createDestination.destinationId);
  }
  await received(receiver, 1);
  return ids;
}

async function received(receiver: EventReceiver, events: number): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (receiver.events < events) {
    if (performance.now() > end) throw new Error(`${receiver.events} of ${events} events were delivered`);
    await sleep(POLL_MS);
  }
}
