import { request } from 'node:http';
import { anEvent } from '../events';
import { until } from '../until';
import { INGEST } from '../world';

const EVERY_MS = 1_000;
const WITHIN_MS = 2_000;
/** Ends a call that is never answered. */
const GIVE_UP_MS = 20_000;
const EVENTS = 5;
const LIST = '/api/v1/public/audit-activity';
const TEXT_CHARS = 300;
/** Another address than that of the attacks, which come from 127.0.0.1. */
const ADDRESS = '127.0.0.3';

export interface Keys {
  readonly tenantId: string;
  readonly keyId: string;
  /** The key of the public API. */
  readonly key: string;
  readonly agentKey: string;
}

/** A tenant that keeps every limit. Once a second it reads a list and sends a small batch. */
export class Neighbour {
  /** Calls that were refused, failed or were answered late. */
  readonly problems: string[] = [];
  #accepted = 0;
  #rounds = 0;

  constructor(
    private readonly url: string,
    private readonly keys: Keys,
    /** Milliseconds in which service and tests waited for a processor that other work had. */
    private readonly waited: () => number,
  ) {}

  /** Counts the events that earlier attacks of the file left. */
  async begin(): Promise<void> {
    this.#accepted = await this.#total();
  }

  /** Begins a round each second, however long the previous takes, until `work` and at least two rounds have ended. */
  async during(work: () => Promise<void>): Promise<void> {
    const open: Promise<void>[] = [this.#round()];
    const timer = setInterval(() => open.push(this.#round()), EVERY_MS);
    try {
      await work();
      await until(
        () => open.length,
        (begun) => begun >= 2,
      );
    } finally {
      clearInterval(timer);
      await Promise.all(open);
    }
  }

  /** Resolves when this many further rounds have ended. */
  async rounds(count: number): Promise<void> {
    const wanted = this.#rounds + count;
    await until(
      () => this.#rounds,
      (over) => over >= wanted,
      GIVE_UP_MS + (count + 1) * EVERY_MS,
    );
  }

  /** Compares the number of acknowledged events with the number of stored ones. */
  async count(): Promise<void> {
    const total = await this.#total();
    if (total !== this.#accepted)
      this.problems.push(`${this.#accepted} events were accepted, ${total} are there`);
  }

  async #total(): Promise<number> {
    const answer = await this.#call(`${LIST}?pageSize=1`, this.keys.key);
    return JSON.parse(answer.text).meta?.totalCount;
  }

  async #round(): Promise<void> {
    await Promise.all([this.#read(), this.#send()]);
    this.#rounds++;
  }

  async #read(): Promise<void> {
    await this.#timed('list', () => this.#call(LIST, this.keys.key));
  }

  async #send(): Promise<void> {
    const events = Array.from({ length: EVENTS }, () => anEvent());
    const body = JSON.stringify({ query: INGEST, variables: { batch: { events } } });
    const answer = await this.#timed('batch', () => this.#call('/graphql', this.keys.agentKey, body));
    if (answer?.status !== 200) return;
    const { data, errors } = JSON.parse(answer.text);
    this.#accepted += data?.ingestAuditEvents?.accepted ?? 0;
    if (errors || data.ingestAuditEvents.accepted !== EVENTS)
      this.problems.push(`batch: ${answer.text.slice(0, TEXT_CHARS)}`);
  }

  async #timed(what: string, call: () => Promise<Answer>): Promise<Answer | null> {
    const [start, waited] = [performance.now(), this.waited()];
    const answer = await call().catch((error) => {
      this.problems.push(`${what}: ${error}`);
      return null;
    });
    const ms = Math.round(performance.now() - start - (this.waited() - waited));
    if (ms > WITHIN_MS) this.problems.push(`${what}: answered after ${ms} ms`);
    if (answer && (answer.status < 200 || answer.status > 299))
      this.problems.push(`${what}: ${answer.status} ${answer.text.slice(0, TEXT_CHARS)}`);
    return answer;
  }

  /** Uses a new connection for each call, so that the neighbour notices if an attack takes all connections. */
  #call(path: string, key: string, body?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const call = request(
        this.url + path,
        {
          method: body === undefined ? 'GET' : 'POST',
          agent: false,
          localAddress: ADDRESS,
          headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
          signal: AbortSignal.timeout(GIVE_UP_MS),
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
          response.once('error', reject);
        },
      );
      call.once('error', reject);
      call.end(body);
    });
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}
