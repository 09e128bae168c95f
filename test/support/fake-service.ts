import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createFacade } from '../../rest-facade/app';
import { Authenticator } from '../../src/caller/authenticate';
import { KeyManager } from '../../src/modules/keys/manage-keys';
import type { Principal } from '../../src/caller/principal';
import { EvidenceLog } from '../../src/modules/evidence/evidence-log';
import type { CreateContext, Services } from '../../src/graphql/context';
import { createSchema } from '../../src/schema';
import { createGraphqlRouter } from '../../src/graphql/server';
import { InFlight } from '../../src/http/in-flight';
import { createHttpServer } from '../../src/http/server';
import { LIMITS } from '../../src/limits';
import { AnswerBytes } from '../../src/caller/rate-limit/answer-bytes';
import { FairShare, sharesOf } from '../../src/caller/rate-limit/fair-share';
import { RetentionManager } from '../../src/modules/tenants/retention/manage-retention';
import { FakeKeyStore, FakeTenantStore } from './fakes/key-store';

export const READER: Principal = {
  kind: 'public',
  keyId: '11111111-1111-4111-8111-111111111111',
  name: 'test',
  scopes: ['read:audit-activity'],
  tenantIds: [1],
  rateLimitPerMinute: null,
};
export const AGENT: Principal = { kind: 'agent', keyId: READER.keyId, name: 'test', tenantId: 1 };
export const OPERATOR: Principal = { kind: 'operator', keyId: READER.keyId, name: 'test' };

const unused = () => Promise.reject(new Error('not expected to be called'));

/** Both entrances over HTTP with the real schema, and whatever a test puts behind them. */
export async function openFakeService(
  parts: Partial<Services> & { principal?: Principal; createContext?: CreateContext },
) {
  const store = new FakeKeyStore();
  const tenants = new FakeTenantStore(1);
  const services: Services = {
    reader: { page: unused, find: unused, summary: unused },
    explorer: { histogram: unused, facets: unused },
    answers: new AnswerBytes(),
    fairShare: new FairShare(sharesOf(LIMITS.databaseConnections)),
    writer: { insert: unused },
    tenants,
    keys: new KeyManager(store, tenants, new Authenticator(store)),
    retention: new RetentionManager({
      setDays: unused,
      limitedTenants: unused,
      weeks: unused,
      dropWeek: unused,
      removeStep: unused,
      forgetValues: unused,
      runs: unused,
    }),
    sources: { report: unused, sources: unused, gaps: unused, removeGaps: unused },
    accessLog: { note: () => {} },
    evidence: new EvidenceLog(
      {
        states: unused,
        checkpoints: unused,
        tiles: unused,
        leafTiles: unused,
        tilesAround: unused,
        removals: unused,
      },
      '',
      () => null,
    ),
    accessEntries: { append: unused, newest: unused, removeBefore: unused },
    now: Date.now,
    ...parts,
  };
  const logLines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) });
  const createContext: CreateContext =
    parts.createContext ??
    (async ({ requestId, address, entrance, gone }) => ({
      ...{ requestId, address, entrance, gone, services },
      principal: parts.principal ?? READER,
      again: unused,
    }));
  const schema = createSchema();
  const facade = createFacade({
    ...{ schema, createContext, log },
    checkHealth: async () => 'Healthy',
    beginExport: unused,
  });
  const inFlight = new InFlight();
  const { whileReading } = inFlight;
  const server = createHttpServer({
    facade,
    graphql: await createGraphqlRouter({ schema, createContext, whileReading, log }),
    inFlight,
    log,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
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
