import type { Server } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { createFacade } from '../rest-facade/app';
import { answerExport } from '../rest-facade/export';
import { answerLive, type LiveEntrance } from '../rest-facade/live';
import { answerPackage, type PackageEntrance } from '../rest-facade/package';
import { answerNewRun, answerRunFile } from '../rest-facade/report';
import type { TailEntrance } from '../rest-facade/tail';
import { createAssistantsRouter } from './assistants/router';
import { entryOf } from './caller/access-log';
import { attemptBy } from './caller/call';
import type { Callers } from './caller/callers';
import type { Config } from './config';
import type { WholeTexts } from './event/marks';
import type { AgentBodies } from './graphql/read-body';
import { createGraphqlRouter } from './graphql/server';
import type { CheckHealth } from './http/health';
import { createProbes } from './http/health';
import type { InFlight, OnAnswered } from './http/in-flight';
import { createHttpServer } from './http/server';
import { builtSite, documentsSite } from './http/site';
import { firstKeyFile } from './modules/dashboard/first-key';
import type { PageAssets } from './modules/dashboard/page-assets';
import { createDashboardRouter } from './modules/dashboard/router';
import type { BeginExport } from './modules/export/export-events';
import type { ReportEntrance } from './modules/reports/module';
import type { Tracing } from './observe/tracing';

/** The entrances behind one HTTP server: the REST façade, GraphQL, assistants (MCP), the dashboard and the documents. */
export async function createEntrances(parts: {
  readonly config: Pick<Config, 'openId' | 'trustProxy'>;
  readonly schema: GraphQLSchema;
  readonly callers: Callers;
  readonly agents: AgentBodies;
  readonly beginExport: BeginExport;
  readonly large: WholeTexts;
  readonly packages: PackageEntrance;
  readonly reports: ReportEntrance;
  readonly tail: Omit<TailEntrance, 'whileWaiting'>;
  readonly pageAssets: PageAssets;
  readonly operatorKeyFile: string | null;
  readonly checkHealth: CheckHealth;
  readonly isReady: () => Promise<boolean>;
  readonly inFlight: InFlight;
  readonly onAnswered: readonly OnAnswered[];
  readonly tracing: Tracing | null;
  readonly log: Logger;
}): Promise<Server> {
  const { config, schema, callers, agents, beginExport, large, checkHealth, inFlight, tracing, log } = parts;
  const { acceptCall, sessions, tenants } = callers;
  const { whileReading } = inFlight;
  const tail: TailEntrance = {
    ...parts.tail,
    whileWaiting: (...waiting) => inFlight.whileWaiting(...waiting),
  };
  return createHttpServer({
    facade: createFacade({
      schema,
      acceptCall,
      beginExport,
      large,
      packages: parts.packages,
      reports: parts.reports,
      checkHealth,
      tracing,
      log,
      tail,
    }),
    graphql: await createGraphqlRouter({ schema, acceptCall, agents, large, whileReading, tracing, log }),
    mcp: createAssistantsRouter({ schema, acceptCall, whileReading, tracing, log }),
    dashboard: createDashboardRouter({
      sessions,
      tenants,
      acceptCall,
      whileReading,
      log,
      answerExport: (callOf) => answerExport(beginExport, large, callOf),
      answerLive: (callOf) =>
        answerLive({ ...tail, maskedTenants: callers.maskedTenants, noteView: noteIn(callers) }, callOf),
      answerPackage: (callOf) => answerPackage(beginExport, parts.packages, large, callOf),
      answerNewRun: (callOf) => answerNewRun(parts.reports, callOf),
      answerRunFile: (callOf) => answerRunFile(parts.reports, callOf),
      openId: config.openId,
      assets: parts.pageAssets,
      firstKeyFile: firstKeyFile(parts.operatorKeyFile, tenants),
    }),
    site: documentsSite(builtSite()),
    probes: createProbes(parts.isReady),
    inFlight,
    tracing,
    log,
    trustProxy: config.trustProxy,
    onAnswered: parts.onAnswered,
  });
}

/** Notes an access of the page where its reads are joined. */
const noteIn =
  ({ accessViews }: Pick<Callers, 'accessViews'>): LiveEntrance['noteView'] =>
  (call, { operation, parameters, ...result }) =>
    accessViews.note(entryOf(attemptBy(call, operation, { at: Date.now(), parameters }), result));
