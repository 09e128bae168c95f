import type { Express } from 'express';
import { pino } from 'pino';
import { createFacade } from '../../../rest-facade/app';
import { createAssistantsRouter } from '../../../src/assistants/router';
import { createGraphqlRouter } from '../../../src/graphql/server';
import { createProbes } from '../../../src/http/health';
import { InFlight } from '../../../src/http/in-flight';
import { createHttpServer } from '../../../src/http/server';
import { createDashboardRouter } from '../../../src/modules/dashboard/router';
import { describeSchema } from '../../../src/schema';

interface Layer {
  readonly route?: { readonly path: string | readonly string[] };
  readonly handle: { readonly stack?: readonly Layer[] };
}

/** @returns the paths of all routes that answer requests, each with the path of its router */
export async function routesOfTheService(): Promise<string[]> {
  const log = pino({ level: 'silent' });
  const schema = describeSchema();
  const unused = () => Promise.reject(new Error('not expected to be called'));
  const inFlight = new InFlight();
  const { whileReading } = inFlight;
  const server = createHttpServer({
    facade: createFacade({
      schema,
      acceptCall: unused,
      beginExport: unused,
      checkHealth: unused,
      log,
      tail: {} as never,
      packages: {} as never,
      reports: {} as never,
      large: {} as never,
    }),
    graphql: await createGraphqlRouter({
      schema,
      acceptCall: unused,
      whileReading,
      log,
      agents: { enter: unused, read: unused },
      large: {} as never,
    }),
    mcp: createAssistantsRouter({ schema, acceptCall: unused, whileReading, log }),
    dashboard: createDashboardRouter({
      sessions: {} as never,
      tenants: {} as never,
      acceptCall: unused,
      whileReading,
      answerExport: () => unused,
      answerPackage: () => unused,
      answerLive: () => unused,
      answerNewRun: () => unused,
      answerRunFile: () => unused,
      // The sign-in at an identity provider is left out, because it needs one and has its own tests.
      openId: null,
      firstKeyFile: async () => null,
      assets: {} as never,
      log,
    }),
    probes: createProbes(unused),
    inFlight,
    log,
  });
  const [app] = server.listeners('request') as [Express];
  return pathsOf((app.router as unknown as { stack: Layer[] }).stack);
}

const pathsOf = (stack: readonly Layer[]): string[] =>
  stack.flatMap(({ route, handle }) => [
    ...(route ? [route.path].flat() : []),
    ...pathsOf(handle.stack ?? []),
  ]);
