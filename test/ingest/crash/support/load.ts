import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../simulation/support/random';
import { until } from '../../../support/until';
import { INGEST } from '../../../support/world';
import type { Batch, Books } from './books';
import type { TenantKeys } from './site';
import { someEvents } from './story';

const SENDERS_PER_TENANT = 2;
const RETRY_MAX_MS = 50;
/**
 * The chance that a sender gives a batch up after a lost answer, as an agent that is lost too. Others send it again.
 */
const GIVES_UP = 0.1;
const CALL_MS = 30_000;
const PROGRESS_MS = 60_000;

type Reply = { readonly status: number; readonly body: Record<string, unknown> };

/** Agents and readers that continue through every crash, and record problems in the answers. */
export class Load {
  #isOver = false;
  readonly #all: Promise<unknown>[];

  constructor(
    private readonly urls: readonly string[],
    private readonly books: Books,
    random: Random,
    tenants: readonly TenantKeys[],
  ) {
    this.#all = tenants.flatMap((tenant) => [
      ...Array.from({ length: SENDERS_PER_TENANT }, () => this.#send(tenant, random.fork())),
      this.#read(tenant, random.fork()),
    ]);
    // `end` reports the failure.
    for (const one of this.#all) one.catch(() => {});
  }

  /** Waits until this many more batches are acknowledged. */
  async progress(batches: number): Promise<void> {
    const wanted = this.books.acknowledged + batches;
    await until(
      () => this.books.acknowledged,
      (count) => count >= wanted,
      PROGRESS_MS,
    );
  }

  /** Stops senders and readers, each after its current call. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#all);
  }

  async #send({ tenantId, agentKey }: TenantKeys, random: Random): Promise<void> {
    while (!this.#isOver) {
      const batch = this.books.open(tenantId, someEvents(random));
      for (let attempt = 1; !(await this.#sendOnce(batch, agentKey, random, attempt === 1)); attempt++) {
        if (random.chance(GIVES_UP)) break;
        await pause(random.whole(1, RETRY_MAX_MS));
      }
    }
  }

  async #sendOnce(batch: Batch, key: string, random: Random, isFirst: boolean): Promise<boolean> {
    const query = JSON.stringify({ query: INGEST, variables: { batch: { events: batch.events } } });
    const reply = await this.#call(random, '/graphql', key, query);
    if (!reply) return false;
    const { data, errors } = reply.body as {
      data?: { ingestAuditEvents: { accepted: number; duplicates: number; rejected: unknown[] } };
      errors?: readonly { extensions: { code: string } }[];
    };
    if (!data || errors) {
      if (errors?.[0]?.extensions.code !== 'service_unavailable') this.#odd('a batch', reply);
      return false;
    }
    const { accepted, duplicates, rejected } = data.ingestAuditEvents;
    const isWhole = accepted + duplicates === batch.events.length && rejected.length === 0;
    const isNew = accepted === batch.events.length;
    if (!isWhole || !(isNew || (!isFirst && accepted === 0))) this.#odd('a batch', reply);
    this.books.acknowledge(batch);
    return true;
  }

  /** A total must hold every event acknowledged before the request, and no event that was not sent. */
  async #read({ tenantId, key }: TenantKeys, random: Random): Promise<void> {
    const paths = ['/audit-activity/summary', '/audit-activity?pageSize=5', '/audit-activity?search=SELECT'];
    while (!this.#isOver) {
      const least = this.books.acknowledgedEvents(tenantId);
      const path = random.pick(paths);
      const reply = await this.#call(random, `/api/v1/public${path}`, key);
      if (reply?.status === 200) {
        const { data, meta } = reply.body as Record<'data' | 'meta', { totalCount?: number }>;
        const total = data.totalCount ?? meta.totalCount ?? -1;
        if (total < least || total > this.books.sentEvents(tenantId))
          this.books.problems.push(`${path} counts ${total}, ${least} were acknowledged`);
      } else if (reply && reply.status !== 503) this.#odd(path, reply);
      await pause(random.whole(1, RETRY_MAX_MS));
    }
  }

  /** @returns null if the connection broke */
  async #call(random: Random, path: string, key: string, body?: string): Promise<Reply | null> {
    const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(CALL_MS);
    const request = { method: body ? 'POST' : 'GET', headers, signal, ...(body !== undefined && { body }) };
    try {
      const response = await fetch(random.pick(this.urls) + path, request);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') this.books.problems.push(`${path}: no answer at all`);
      return null;
    }
  }

  #odd(what: string, { status, body }: Reply): void {
    this.books.problems.push(`${what} was answered ${status} ${JSON.stringify(body).slice(0, 500)}`);
  }
}
