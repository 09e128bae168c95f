import { fakeService } from './doors';
import 'reflect-metadata';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createFacade } from '../../rest-facade/app';
import { Authenticator } from '../../src/caller/authenticate';
import type { AcceptCall } from '../../src/caller/call';
import type { Principal } from '../../src/caller/principal';
import { CHANGE_SHARES, FairShare, LARGE_SHARES, sharesOf } from '../../src/caller/rate-limit/fair-share';
import { AnswerBytes } from '../../src/caller/rate-limit/holdings';
import { createGraphqlRouter } from '../../src/graphql/server';
import { InFlight } from '../../src/http/in-flight';
import { createHttpServer } from '../../src/http/server';
import { LIMITS } from '../../src/limits';
import { AccessLogResolver } from '../../src/modules/access-log/access-log.resolver';
import { AuditEventResolver } from '../../src/modules/activity/audit-event.resolver';
import { DestinationResolver } from '../../src/modules/destinations/destination.resolver';
import type { DestinationManager } from '../../src/modules/destinations/manage-destinations';
import { EventProofResolver, EvidenceResolver } from '../../src/modules/evidence/evidence.resolver';
import type { EvidenceLog } from '../../src/modules/evidence/evidence-log';
import { ExploreResolver } from '../../src/modules/explore/explore.resolver';
import { IngestResolver } from '../../src/modules/ingest/ingest.resolver';
import { readBatch } from '../../src/modules/ingest/read-batch';
import { intakeFor } from '../../src/modules/ingest/receive-batch';
import type { AuditEventWriter } from '../../src/modules/ingest/stored-writer';
import { KeyResolver } from '../../src/modules/keys/key.resolver';
import { KeyManager } from '../../src/modules/keys/manage-keys';
import { KeyRenewal } from '../../src/modules/keys/renew-keys';
import { AuditSourceResolver } from '../../src/modules/sources/audit-source.resolver';
import type { RetentionManager } from '../../src/modules/tenants/retention/manage-retention';
import { RetentionResolver } from '../../src/modules/tenants/retention/retention.resolver';
import { TenantResolver } from '../../src/modules/tenants/tenant.resolver';
import { createSchema, RESOLVERS } from '../../src/schema';
import { LargeStatements } from '../../src/store/bytes/large-statements';
import type { AuditEventReader } from '../../src/store/rows/audit-event-reader';
import { tenantSet } from '../../src/tenant-set';
import { FakeKeyStore, FakeTenantStore } from './fakes/key-store';

export const READER: Principal = {
  kind: 'public',
  keyId: '11111111-1111-4111-8111-111111111111',
  name: 'test',
  scopes: ['read:audit-activity'],
  tenantIds: tenantSet([1]),
  rateLimitPerMinute: null,
};
export const AGENT: Principal = { kind: 'agent', keyId: READER.keyId, name: 'test', tenantId: 1 };
export const OPERATOR: Principal = { kind: 'operator', keyId: READER.keyId, name: 'test' };

const unused = () => Promise.reject(new Error('not expected to be called'));

/** The parts that a test puts behind the entrances; no test expects a call of the others. */
interface Behind {
  readonly reader?: AuditEventReader;
  readonly writer?: AuditEventWriter;
  readonly retention?: RetentionManager;
  readonly evidence?: EvidenceLog;
  readonly destinations?: DestinationManager;
  readonly principal?: Principal;
  readonly acceptCall?: AcceptCall;
  /** Takes an agent's turn, see `IngestGate`. */
  readonly enter?: () => Promise<() => void>;
}

function resolversOf(
  { reader, retention, evidence, destinations }: Behind,
  writer: AuditEventWriter,
): object[] {
  const store = new FakeKeyStore();
  const tenants = new FakeTenantStore(1);
  const fairShare = new FairShare(sharesOf(LIMITS.databaseConnections));
  const log = evidence ?? (undefined as never);
  const given = [
    new AccessLogResolver({ newest: unused }, fairShare),
    new AuditEventResolver(reader ?? { page: unused, find: unused, summary: unused }, fairShare, Date.now),
    new AuditSourceResolver(
      { report: unused, sources: unused, gaps: unused, removeGaps: unused, remove: unused, retire: unused },
      tenants,
      unused,
      { groups: { list: unused }, packages: { list: unused } },
      Date.now,
    ),
    new DestinationResolver(destinations ?? (undefined as never), { pauseOf: () => null }, Date.now),
    new EvidenceResolver(log, tenants),
    new EventProofResolver(log),
    new ExploreResolver({ histogram: unused, facets: unused, groups: unused }, fairShare),
    new IngestResolver(writer, Date.now),
    new KeyResolver(
      new KeyManager(store, tenants, new Authenticator(store)),
      new KeyRenewal(store, tenants, new Authenticator(store)),
      Date.now,
    ),
    new RetentionResolver(retention ?? (undefined as never)),
    new TenantResolver(
      tenants,
      new Authenticator(store),
      { counts: async () => new Map(), inForce: async () => [] },
      Date.now,
    ),
  ];
  // No test calls the other parts.
  const others = RESOLVERS.filter((one) => !given.some((resolver) => resolver.constructor === one));
  return [...given, ...others.map(({ prototype }) => Object.create(prototype))];
}

/** REST and GraphQL over HTTP with the real schema, and the parts that a test puts behind them. */
export async function openFakeService(behind: Behind) {
  const logLines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) });
  const acceptCall: AcceptCall =
    behind.acceptCall ??
    (async ({ requestId, address, entrance, gone }) => ({
      requestId,
      address,
      entrance,
      gone,
      principal: behind.principal ?? READER,
      again: unused,
      note: () => {},
      charge: () => {},
    }));
  // No event of these tests is large.
  const large = new LargeStatements(fakeService({}), new FairShare(LARGE_SHARES));
  const writer = behind.writer ?? { open: () => ({ add: () => {}, store: unused }) };
  const schema = createSchema({
    resolvers: resolversOf(behind, writer),
    answers: new AnswerBytes(),
    changes: new FairShare(CHANGE_SHARES),
    accessLog: { note: () => {} },
    accessViews: { note: () => {} },
    nowMs: Date.now,
  });
  const facade = createFacade({
    schema,
    acceptCall,
    log,
    checkHealth: async () => 'Healthy',
    beginExport: unused,
    large,
    packages: { make: unused as never, assertSigns: unused, coverage: unused },
    reports: { make: unused, file: unused },
    tail: {
      large,
      tail: { read: unused },
      answers: new AnswerBytes(),
      streams: { begin: () => null },
      whileWaiting: unused,
      stopping: new AbortController().signal,
    },
  });
  const inFlight = new InFlight();
  const { whileReading } = inFlight;
  const server = createHttpServer({
    facade,
    graphql: await createGraphqlRouter({
      schema,
      acceptCall,
      large,
      whileReading,
      log,
      agents: {
        enter: behind.enter ?? (async () => () => {}),
        read: (body, { tenantId }) => readBatch(body, intakeFor(tenantId, writer, Date.now())),
      },
    }),
    inFlight,
    log,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    logLines,
    rest: (path: string) => fetch(`${url}/api/v1/public${path}`),
    graphql: (query: string, variables: object = {}) =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      }),
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
