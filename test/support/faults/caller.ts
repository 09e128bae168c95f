import type { Answer } from '../answer';
import { ChildService } from '../child-service';
import { anEvent } from '../events';
import { checkAgainstDocument } from '../openapi-check';
import { mistakesOf } from '../watched-child';
import { INGEST } from '../world';

const BASE = '/api/v1/public';
/** Five seconds are promised. The rest is for a busy machine. */
const WITHIN_MS = 10_000;
const READS = ['/audit-activity', '/audit-activity/summary', '/audit-activity?search=select', '/audit-log'];
const EVENTS = 20;

type Batch = ReturnType<typeof anEvent>[];

/** A service in a process of its own, with a tenant, and the calls that a test makes while something is broken. */
export class Caller {
  /** Answers that are undocumented or late. */
  readonly problems: string[] = [];
  readonly unacknowledged: Batch[] = [];
  acknowledged = 0;

  private constructor(
    readonly service: ChildService,
    private readonly mistakes: readonly string[],
    readonly keys: { readonly tenantId: string; readonly agentKey: string; readonly key: string },
  ) {}

  static async open(env: Readonly<Record<string, string>>): Promise<Caller> {
    let mistakes: readonly string[] = [];
    const settings = { RATE_LIMIT_PER_MINUTE: '100000', ...env };
    const service = await ChildService.start(settings, (child) => {
      mistakes = mistakesOf(child);
    });
    const operate = <T>(query: string, variables: object = {}) =>
      service.graphql<T>(service.operatorKey, query, variables);
    const { createTenant } = await operate<{ createTenant: { tenantId: string } }>(
      'mutation { createTenant(name: "Acme") { tenantId } }',
    );
    const { tenantId } = createTenant;
    const { agent, reader } = await operate<{ agent: { key: string }; reader: { key: string } }>(
      `mutation($id: String!) { agent: createAgentKey(name: "a", tenantId: $id) { key }
         reader: createApiKey(name: "r", tenantIds: [$id], scopes: ["read:audit-activity"]) { key } }`,
      { id: tenantId },
    );
    return new Caller(service, mistakes, { tenantId, agentKey: agent.key, key: reader.key });
  }

  /** @returns the unexpected errors of the service's process */
  async close(signal: NodeJS.Signals = 'SIGTERM'): Promise<readonly string[]> {
    await this.service.stop(signal);
    return this.mistakes;
  }

  /** Makes every read and sends a batch, all at the same time. @returns the statuses of the reads */
  async all(): Promise<number[]> {
    const [statuses] = await Promise.all([Promise.all(READS.map((path) => this.read(path))), this.send()]);
    return statuses;
  }

  async read(path: string): Promise<number> {
    const answer = await this.#timed(path, () =>
      this.fetch(BASE + path, { headers: { 'X-Api-Key': this.keys.key } }),
    );
    if (!answer) return 0;
    await checkAgainstDocument(this, BASE + path.replace(/\?.*/, ''), 'GET', answer).catch((error) =>
      this.problems.push(String(error)),
    );
    const { status, headers } = answer;
    if (status !== 200 && status !== 503) this.problems.push(`${path}: ${status} ${answer.text}`);
    if (status === 503 && !(Number(headers.get('Retry-After')) >= 1))
      this.problems.push(`${path}: no Retry-After`);
    return status;
  }

  /** Sends a new batch, or a given batch again that was not acknowledged. */
  async send(batch: Batch = Array.from({ length: EVENTS }, () => anEvent())): Promise<void> {
    this.unacknowledged.push(batch);
    const answer = await this.#timed('a batch', () =>
      this.fetch('/graphql', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Api-Key': this.keys.agentKey },
        body: JSON.stringify({ query: INGEST, variables: { batch: { events: batch } } }),
      }),
    );
    const { data, errors } = answer?.body ?? {};
    if (data?.ingestAuditEvents) {
      const { accepted, duplicates } = data.ingestAuditEvents;
      if (accepted + duplicates !== batch.length) this.problems.push(`a batch: ${answer?.text}`);
      this.unacknowledged.splice(this.unacknowledged.indexOf(batch), 1);
      this.acknowledged += batch.length;
    } else if (errors?.[0]?.extensions.code !== 'service_unavailable') {
      this.problems.push(`a batch: ${answer?.status} ${answer?.text}`);
    }
  }

  /** Sends all unacknowledged batches again, as an agent does. */
  async sendAgain(): Promise<void> {
    for (const batch of this.unacknowledged.splice(0)) await this.send(batch);
  }

  readonly fetch = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(this.service.url + path, init);
    const { status, headers } = response;
    const text = await response.text();
    const isJson = headers.get('Content-Type')?.includes('json');
    return { status, headers, text, body: isJson ? JSON.parse(text) : null };
  };

  async #timed(what: string, call: () => Promise<Answer>): Promise<Answer | null> {
    const start = performance.now();
    const answer = await call().catch((error) => {
      this.problems.push(`${what}: ${error}`);
      return null;
    });
    const ms = Math.round(performance.now() - start);
    if (ms > WITHIN_MS) this.problems.push(`${what} was answered after ${ms} ms with ${answer?.status}`);
    return answer;
  }
}
