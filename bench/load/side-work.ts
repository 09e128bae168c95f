import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Bench } from '../context';
import { effortOf, familyMs, processMs } from '../processes/processor-time';
import { createReadKey, createTenant, type Service } from '../processes/service';
import { bodyOf, Sender } from './sender';

const WINDOW_MS = 5_000;
const LOOPS = 4;
const BATCH = 500;
const LIST = '/api/v1/public/audit-activity?pageSize=20';

/** The work of one kind that was done in a window of time. */
export interface SideRound {
  /** Items a second. */
  readonly rate: number;
  /** Milliseconds of processor time for one item: of the service, and of all processes. */
  readonly each: { readonly service: number; readonly all: number };
}

/** Reads and ingest that run beside the measured work. */
export class SideWork {
  private constructor(
    private readonly bench: Bench,
    private readonly service: Service,
    private readonly readKey: string,
    private readonly agentKey: string,
  ) {}

  static async open(bench: Bench, service: Service, tenantId: string): Promise<SideWork> {
    const { agentKey } = await createTenant(service, 'Beside');
    return new SideWork(bench, service, await createReadKey(service, [tenantId]), agentKey);
  }

  /** List pages, requested by a few callers, each one after the other. */
  reads(): Promise<SideRound> {
    const { url } = this.service.server;
    return this.#measure(async () => {
      const response = await fetch(`${url}${LIST}`, { headers: { 'X-Api-Key': this.readKey } });
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
      return 1;
    });
  }

  /** Events, sent in batches. */
  async ingest(): Promise<SideRound> {
    const sender = new Sender(this.service.server.url, LOOPS);
    try {
      return await this.#measure(() => sender.send(this.agentKey, batch()));
    } finally {
      sender.close();
    }
  }

  async #measure(work: () => Promise<number>): Promise<SideRound> {
    const clocks = {
      service: () => processMs(this.service.server.pid),
      postgres: () => familyMs(this.bench.postgresPid),
      bench: () => processMs(process.pid),
    };
    const { value, effort } = await effortOf(clocks, async () => {
      const end = performance.now() + WINDOW_MS;
      const loop = async () => {
        let done = 0;
        while (performance.now() < end) done += await work();
        return done;
      };
      const done = await Promise.all(Array.from({ length: LOOPS }, loop));
      return done.reduce((sum, count) => sum + count, 0);
    });
    const all = effort.service + effort.postgres + effort.bench;
    return {
      rate: (value / effort.wall) * 1_000,
      each: { service: effort.service / value, all: all / value },
    };
  }
}

/**
 * Compares the rate beside other work with the rate that the processor share of that work leaves. The result is 1 if
 * the other work costs no more than its share. The share is that of the service's thread or of all processors,
 * whichever is larger.
 */
export function overShare(alone: SideRound, beside: SideRound): number {
  const others = (kind: 'service' | 'all') =>
    Math.max(0, beside.each[kind] - alone.each[kind]) * (beside.rate / 1_000);
  const share = Math.max(others('service'), others('all') / availableParallelism());
  return beside.rate / alone.rate / Math.max(0.01, 1 - share);
}

/** A batch of new events with the present time. */
function batch(): Buffer {
  const fileGuid = randomUUID();
  const eventTime = new Date().toISOString();
  const events = Array.from({ length: BATCH }, (_, index) => ({
    eventTime,
    actionId: 'SL',
    succeeded: true,
    statement: `SELECT c FROM t WHERE id = ${index}`,
    serverInstanceName: 'SQL01',
    serverPrincipalName: `login${index % 50}`,
    sourceType: 'DirectFile',
    file: 'a.sqlaudit',
    fileGuid,
    blockOffset: 512 * index,
    index: 0,
    parts: 1,
  }));
  return bodyOf(JSON.stringify(events));
}
