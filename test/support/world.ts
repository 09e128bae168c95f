import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PostgresKeyStore } from '../../src/caller/key.store';
import type { Config } from '../../src/config';
import { OPERATOR_KEY_FILE } from '../../src/modules/keys/operator-key';
import { createLog } from '../../src/observe/log';
import { type Service, startService } from '../../src/service';
import type { Answer } from './answer';
import { ANY_ENGINE, createTestDatabase, type EngineName, type TestDatabase } from './engines';
import { anEvent, type IngestedEvent } from './events';
import { holdWindows } from './held-windows';
import { checkAgainstDocument } from './openapi-check';
import { withPatience } from './use-limits';

const BASE = '/api/v1/public';

/** A service with a database for one test, and the means to fill and query it. */
export class World {
  #ownTenant: Promise<string> | undefined;

  private constructor(
    readonly service: Service,
    readonly database: TestDatabase,
    readonly operatorKey: string,
    readonly logLines: string[],
  ) {}

  static async open(engine: EngineName = ANY_ENGINE, settings: Partial<Config> = {}): Promise<World> {
    const database = await createTestDatabase(engine);
    return withPatience(() => World.on(database, settings));
  }

  /** A second instance on the same database. */
  static async on(database: TestDatabase, settings: Partial<Config> = {}): Promise<World> {
    holdWindows();
    const logLines: string[] = [];
    const log = createLog('info', { write: (line: string) => void logLines.push(line) });
    const service = await startService(
      {
        port: 0,
        host: '127.0.0.1',
        dataDir: database.dataDir,
        databaseUrl: database.databaseUrl,
        migrationDatabaseUrl: database.migrationDatabaseUrl ?? null,
        readDatabaseUrl: null,
        checkpointKeyFile: null,
        formerCheckpointKeys: [],
        witnesses: [],
        timeStampUrl: null,
        secretsKeyFile: null,
        destinationAllowNetworks: [],
        drill: false,
        mail: null,
        publicUrl: null,
        reportDays: 90,
        redisUrl: null,
        redisCaFile: null,
        logLevel: 'info',
        archiveAfterDays: null,
        archivePlace: null,
        searchIndex: true,
        rateLimitPerMinute: 100_000,
        trustProxy: [],
        accessLogDays: 400,
        openId: null,
        readinessDelayMs: 0,
        backgroundStatementMs: 60_000,
        drainMs: 10_000,
        metrics: null,
        otlpEndpoint: null,
        ...settings,
      },
      log,
    );
    const operatorKey = (await readFile(path.join(database.dataDir, OPERATOR_KEY_FILE), 'utf8')).trim();
    return new World(service, database, operatorKey, logLines);
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.database.drop();
  }

  async tenant(name = 'Acme'): Promise<TestTenant> {
    const { createTenant } = await this.operate(
      'mutation($name: String!) { createTenant(name: $name) { tenantId } }',
      {
        name,
      },
    );
    return TestTenant.of(this, createTenant.tenantId);
  }

  async key(request: KeyOptions = {}): Promise<{ keyId: string; key: string }> {
    const { createApiKey } = await this.operate(
      `mutation($name: String!, $tenantIds: [String!]!, $scopes: [String!]!, $expiresAt: String, $rate: Int) {
         createApiKey(name: $name, tenantIds: $tenantIds, scopes: $scopes, expiresAt: $expiresAt,
           rateLimitPerMinute: $rate) { keyId key } }`,
      {
        name: 'test',
        scopes: ['read:audit-activity'],
        ...request,
        tenantIds: request.tenantIds ?? [await this.#own()],
      },
    );
    return createApiKey;
  }

  /** A key without tenants, as releases before made them. */
  keyWithoutTenants(request: Omit<KeyOptions, 'tenantIds'> = {}): Promise<{ keyId: string; key: string }> {
    return this.#storedWith({ tenantIds: [] }, request);
  }

  /** A key without scopes, which permits nothing. */
  keyWithoutScopes(request: Omit<KeyOptions, 'scopes'> = {}): Promise<{ keyId: string; key: string }> {
    return this.#storedWith({ scopes: [] }, request);
  }

  async #storedWith(
    change: { readonly tenantIds?: readonly []; readonly scopes?: readonly [] },
    request: KeyOptions,
  ): Promise<{ keyId: string; key: string }> {
    const { insert } = PostgresKeyStore.prototype;
    const stored = jest.spyOn(PostgresKeyStore.prototype, 'insert');
    stored.mockImplementationOnce(function (this: PostgresKeyStore, key, attempt) {
      return insert.call(this, { ...key, ...change }, attempt);
    });
    try {
      return await this.key(request);
    } finally {
      stored.mockRestore();
    }
  }

  /** The tenant of keys for which a test needs none. */
  #own(): Promise<string> {
    this.#ownTenant ??= this.operate('mutation { createTenant(name: "Own") { tenantId } }').then(
      ({ createTenant }) => createTenant.tenantId,
    );
    return this.#ownTenant;
  }

  async agentKey(tenantId: string): Promise<string> {
    const { createAgentKey } = await this.operate(
      'mutation($tenantId: String!) { createAgentKey(name: "test", tenantId: $tenantId) { key } }',
      { tenantId },
    );
    return createAgentKey.key;
  }

  /** Runs a GraphQL operation as the operator; throws if the service refuses it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read data of every shape
  async operate(query: string, variables: object = {}): Promise<any> {
    const { body } = await this.graphql(this.operatorKey, query, variables);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data;
  }

  graphql(key: string | null, query: string, variables: object = {}): Promise<Answer> {
    return this.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key ? { 'X-Api-Key': key } : {}) },
      body: JSON.stringify({ query, variables }),
    });
  }

  /** Calls the public API, and checks the answer against the OpenAPI document. */
  async get(
    path: string,
    key: string | null,
    options: { query?: Query | string; headers?: Record<string, string>; method?: string } = {},
  ): Promise<WholeAnswer> {
    const answer = await this.fetch(`${BASE}${path}${queryString(options.query)}`, {
      method: options.method ?? 'GET',
      headers: { ...(key ? { 'X-Api-Key': key } : {}), ...options.headers },
    });
    await checkAgainstDocument(this, `${BASE}${path}`, options.method ?? 'GET', answer);
    return answer;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<WholeAnswer> {
    const response = await fetch(this.service.url + path, init);
    const content = Buffer.from(await response.arrayBuffer());
    const text = new TextDecoder().decode(content);
    const isJson = /[/+]json\b/.test(response.headers.get('Content-Type') ?? '') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      content,
      body: isJson ? JSON.parse(text) : null,
    };
  }
}

/** An answer with the bytes of its body. */
interface WholeAnswer extends Answer {
  readonly content: Buffer;
}

export type Query = Readonly<Record<string, string | number | boolean>>;

/** @param query parameters, or the text of a query string that an object cannot express */
function queryString(query: Query | string = {}): string {
  if (typeof query === 'string') return query && `?${query}`;
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
}

export interface KeyOptions {
  readonly name?: string;
  readonly tenantIds?: readonly string[];
  readonly scopes?: readonly string[];
  readonly expiresAt?: string;
  readonly rate?: number;
}

/** A tenant with a key that reads its events and an agent key that sends them. */
export class TestTenant {
  private constructor(
    readonly world: World,
    readonly tenantId: string,
    readonly keyId: string,
    readonly key: string,
    readonly agentKey: string,
  ) {}

  static async of(
    world: World,
    tenantId: string,
    scopes: readonly string[] = ['read:audit-activity'],
  ): Promise<TestTenant> {
    const { keyId, key } = await world.key({ tenantIds: [tenantId], scopes });
    return new TestTenant(world, tenantId, keyId, key, await world.agentKey(tenantId));
  }

  get(path: string, query: Query | string = {}): Promise<Answer> {
    return this.world.get(path, this.key, { query });
  }

  /** Stores one event and returns it as it was sent. */
  async audited(event: Partial<IngestedEvent> = {}): Promise<IngestedEvent> {
    const sent = anEvent(event);
    const { rejected } = await this.ingest([sent]);
    if (rejected.length > 0) throw new Error(JSON.stringify(rejected));
    return sent;
  }

  /** Sends events as an agent does; throws unless the service answers with a receipt. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read receipts
  async ingest(events: readonly unknown[], batch: object = {}): Promise<any> {
    const answer = await this.world.graphql(this.agentKey, INGEST, { batch: { events, ...batch } });
    if (answer.body?.errors) throw new Error(JSON.stringify(answer.body.errors));
    return answer.body.data.ingestAuditEvents;
  }
}

export const INGEST =
  'mutation($batch: AuditEventBatch!) { ingestAuditEvents(batch: $batch) { accepted duplicates rejected { index code message } } }';
