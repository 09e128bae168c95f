import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { ID_BYTES } from '../event/record-id';
import type { Answer } from '../event/shape';
import type { AUDIT_LOG } from '../modules/evidence/answer-fields';
import { parseNote } from '../modules/evidence/checkpoint';
import { endCountOf } from '../modules/evidence/verify/event-file';
import type { Hole, LogCopy, RemovalAnswer } from '../modules/evidence/verify/log-copy';
import { HASH_BYTES } from '../trail/evidence/merkle';
import { API_BASE_PATH } from '../version';
import { CommandError } from './service-client';

const TIMEOUT_MS = 60_000;
const POLL_MS = 1_000;
/** Attempts of a call that is refused for a while, by the rate limit or because the database is away. */
const TRIES_MAX = 10;

type AuditLogAnswer = Answer<typeof AUDIT_LOG>;

/** The verifier's client of the public API. It needs a key that reads the tenant. */
export class VerifyClient {
  readonly #query: Readonly<Record<string, string>>;

  /**
   * @param tenantId may be left out if the key reads only one tenant
   * @param waitMs how long to wait for the log to catch up
   */
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
    tenantId: string | undefined,
    private readonly waitMs: number,
  ) {
    this.#query = tenantId === undefined ? {} : { tenantId };
  }

  /**
   * Waits until the log holds, signed, all events accepted so far. Returns the log as it is when that takes too long or
   * the log has a problem.
   */
  async caughtUp(): Promise<AuditLogAnswer> {
    const end = performance.now() + this.waitMs;
    const atFirst = await this.#auditLog();
    const wanted = atFirst.size + atFirst.waitingEvents;
    for (let log = atFirst; ; log = await this.#auditLog()) {
      const signed = log.checkpoint === null ? 0 : (parseNote(log.checkpoint)?.size ?? 0);
      const isOver = log.problem !== null || performance.now() > end;
      if ((signed >= wanted && !log.backfilling) || isOver)
        return { ...log, waitingEvents: Math.max(0, wanted - signed) };
      await setTimeout(POLL_MS);
    }
  }

  /**
   * Writes the export of all events that the key reads.
   * @returns the message for an export with fewer events than were counted, to be used unless the log explains more;
   * null: the export is complete
   */
  async saveEvents(file: string): Promise<string | null> {
    const { body, headers } = await this.#get('/audit-activity/export', { format: 'ndjson', end: 1 });
    if (!body) throw new CommandError('The export has no body.');
    try {
      await pipeline(Readable.fromWeb(body as never), createWriteStream(file));
    } catch (error) {
      throw new CommandError(`The export broke off: ${(error as Error).message}`);
    }
    const [written, counted] = [await endCountOf(file), Number(headers.get('X-Total-Count') ?? 0)];
    if (written === null) throw new CommandError('The export was cut: its last line is missing. Try again.');
    return written < counted
      ? `The export has ${written} of the ${counted} events that were there when it began. Try again.`
      : null;
  }

  /** @param before the newest checkpoint before the events were fetched */
  async log(before: string | null): Promise<LogCopy> {
    const { tenantId, publicKey, waitingEvents, refusedEvents, problem } = await this.caughtUp();
    const checkpoints: string[] = [];
    for (let more = true; more; ) {
      const after = parseNote(checkpoints.at(-1) ?? '')?.number ?? 0;
      const page = await this.#data<{ checkpoints: string[] }>('/audit-log/checkpoints', { after });
      checkpoints.push(...page.checkpoints);
      more = page.checkpoints.length > 0 && parseNote(page.checkpoints.at(-1) ?? '') !== null;
    }
    const { removals } = await this.#data<{ removals: RemovalAnswer[] }>('/audit-log/removals', {});
    const entries = await this.#entries(parseNote(checkpoints.at(-1) ?? '')?.size ?? 0);
    const about = { tenantId, publicKey, waitingEvents, refusedEvents, problem };
    return { ...about, before, checkpoints, removals, ...entries };
  }

  /** Loads the entries. Removed entries are holes: zeros in their places, so that the others keep their positions. */
  async #entries(size: number): Promise<Pick<LogCopy, 'recordIds' | 'leafHashes' | 'holes'>> {
    const [recordIds, leafHashes]: [Buffer[], Buffer[]] = [[], []];
    const holes: Hole[] = [];
    for (let at = 0; at < size; ) {
      const page = await this.#data<{ start: number; count: number; recordIds: string; leafHashes: string }>(
        '/audit-log/entries',
        { start: at },
      );
      const to = page.start === at && page.count === 0 ? size : Math.min(page.start, size);
      if (to > at) {
        holes.push({ from: at, to });
        recordIds.push(Buffer.alloc((to - at) * ID_BYTES));
        leafHashes.push(Buffer.alloc((to - at) * HASH_BYTES));
      }
      recordIds.push(Buffer.from(page.recordIds, 'base64'));
      leafHashes.push(Buffer.from(page.leafHashes, 'base64'));
      at = to + page.count;
    }
    return { recordIds: Buffer.concat(recordIds), leafHashes: Buffer.concat(leafHashes), holes };
  }

  #auditLog(): Promise<AuditLogAnswer> {
    return this.#data('/audit-log', {});
  }

  async #data<T>(path: string, query: Readonly<Record<string, string | number>>): Promise<T> {
    const response = await this.#get(path, { ...this.#query, ...query });
    return ((await response.json()) as { data: T }).data;
  }

  async #get(path: string, query: Readonly<Record<string, string | number>>): Promise<Response> {
    const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    for (let tries = 1; ; tries++) {
      const response = await this.#fetch(`${API_BASE_PATH}${path}?${new URLSearchParams(pairs)}`);
      if (response.ok) return response;
      const retryAfter = Number(response.headers.get('Retry-After') ?? 0);
      if (retryAfter <= 0 || tries === TRIES_MAX) throw await refusalOf(response, path);
      await setTimeout(retryAfter * 1000);
    }
  }

  async #fetch(path: string): Promise<Response> {
    // The limit applies until the answer begins. An export may take any time after that.
    const stop = new AbortController();
    const timer = globalThis.setTimeout(() => stop.abort(), TIMEOUT_MS);
    try {
      return await fetch(this.url + path, { headers: { 'X-Api-Key': this.apiKey }, signal: stop.signal });
    } catch (error) {
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
      throw new CommandError(
        `No service answers at ${this.url}: ${cause?.message || cause?.code || (error as Error).message}`,
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

async function refusalOf(response: Response, path: string): Promise<CommandError> {
  const body = (await response.json().catch(() => null)) as {
    error?: { code: string; message: string };
  } | null;
  const { code, message } = body?.error ?? {
    code: response.statusText,
    message: 'not as an Audit Activity service',
  };
  return new CommandError(`${path}: ${code}: ${message}`);
}
