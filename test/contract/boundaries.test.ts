import { importsOf, type Source, sourcesOf } from '../support/imports';

interface Border {
  /** Folders and files (without extension) this holds for; the longest match counts. */
  readonly of: readonly string[];
  /** Folders and files below the repository that may be imported; its own folder always may. */
  readonly files: readonly string[];
  /** Packages; `node:` modules are allowed everywhere but in the core, which has its own few. */
  readonly packages: readonly string[];
}

const CORE = [
  'src/audit-event',
  'src/tenant',
  'src/access-log',
  'src/errors',
  'src/limits',
  'src/version',
  'src/closed',
  'src/deadline',
  'src/refusal',
];
const USE_CASES = [
  ...['src/search', 'src/ingest', 'src/api-key', 'src/rate-limit', 'src/retention'],
  'src/audit-source',
  'src/evidence',
  ...['src/explore', 'src/export', 'src/session'],
];

/** Dependencies point inwards: rest-facade → graphql → use cases → audit-event ← agent. */
const BORDERS: readonly Border[] = [
  { of: CORE, files: CORE, packages: [] },
  { of: USE_CASES, files: [...CORE, ...USE_CASES], packages: ['lru-cache', 'pino'] },
  { of: ['src/export/formats'], files: [...CORE, ...USE_CASES], packages: ['csv-stringify'] },
  { of: ['src/session/session-cookie'], files: [...CORE, 'src/session'], packages: ['express'] },
  {
    of: ['src/postgres'],
    files: [...CORE, ...USE_CASES, 'src/config', 'src/generated/prisma', 'src/metrics/figures'],
    packages: ['@electric-sql/pglite', '@prisma/adapter-pg', 'pg', 'pglite-prisma-adapter', 'pino'],
  },
  { of: ['src/redis'], files: [...CORE, ...USE_CASES], packages: ['ioredis', 'pino'] },
  {
    of: ['src/graphql'],
    files: [...CORE, ...USE_CASES, 'src/telemetry/tracing'],
    packages: [
      ...['graphql', 'graphql-jit', 'graphql-scalars', 'type-graphql', 'reflect-metadata'],
      ...['@apollo/server', '@as-integrations/express5', 'express', 'pino'],
    ],
  },
  {
    of: ['rest-facade'],
    files: [
      ...['src/graphql/execute', 'src/graphql/context', 'src/graphql/access', 'src/graphql/access-log'],
      'src/graphql/export-rule',
      ...['src/audit-event', 'src/errors', 'src/limits', 'src/health', 'src/version'],
      ...['src/rate-limit/limiter', 'src/api-key/scopes', 'src/evidence/answer-fields', 'src/export'],
      'src/api-key/principal',
      ...['src/closed', 'src/deadline', 'src/refusal', 'src/telemetry/tracing'],
    ],
    packages: ['express', 'graphql', 'helmet', 'pino', 'swagger-jsdoc', 'swagger-ui-dist'],
  },
  {
    of: ['agent'],
    files: ['src/audit-event', 'src/limits', 'package.json'],
    packages: ['commander', 'exponential-backoff', 'rotating-file-stream', 'tinyglobby', 'zod'],
  },
  { of: ['src/config'], files: ['src/api-key/address-list', 'src/limits'], packages: ['zod'] },
  { of: ['src/background'], files: [], packages: ['pino'] },
  { of: ['src/health'], files: ['src/rate-limit/limiter'], packages: [] },
  { of: ['src/operator-key'], files: ['src/access-log', 'src/api-key'], packages: [] },
  {
    of: ['src/http-server'],
    files: [
      ...[...CORE, 'src/api-key/key-format', 'src/api-key/principal'],
      ...['src/health', 'src/http', 'src/telemetry/tracing'],
      'src/dashboard-server/paths',
    ],
    packages: ['express', 'helmet', 'pino'],
  },
  {
    of: ['src/http'],
    files: [
      ...CORE,
      ...['src/api-key/address-list', 'src/api-key/principal', 'src/rate-limit/holdings'],
      ...['src/health', 'src/ingest/receive-batch'],
    ],
    packages: ['express', 'pino'],
  },
  {
    of: ['src/dashboard-server'],
    files: [...CORE, ...USE_CASES, 'src/config', 'src/graphql/context', 'src/graphql/access-log'],
    packages: ['express', 'openid-client', 'pino', 'zod'],
  },
  { of: ['src/metrics'], files: [...CORE, 'src/http/answered'], packages: ['prom-client'] },
  {
    of: ['src/telemetry'],
    files: [...CORE, 'src/http/answered', 'src/postgres/database'],
    packages: [
      ...['@opentelemetry/api', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources'],
      ...['@opentelemetry/sdk-trace-node', 'express', 'pino'],
    ],
  },
  { of: ['src/log'], files: ['src/api-key/key-format', 'src/config'], packages: ['pino'] },
  { of: ['src/log-destination'], files: [], packages: ['pino'] },
  {
    of: ['src/cli'],
    files: [
      ...['src/api-key/scopes', 'src/limits', 'src/operator-key', 'src/postgres/distribute/distribute'],
      ...['src/evidence', 'src/version', 'src/audit-event', 'src/errors', 'package.json'],
    ],
    packages: ['commander'],
  },
  {
    of: ['dashboard/src'],
    // What is a fact for both sides, and computes without Node; the rest comes over GraphQL.
    files: [
      ...['src/audit-event', 'src/limits', 'src/api-key/scopes', 'src/audit-source/audit-source'],
      'src/explore/action-names',
      'dashboard/generated/operations',
    ],
    packages: [
      ...['react', 'react-dom', 'wouter', 'urql', '@graphql-typed-document-node/core'],
      ...['@mantine/core', '@mantine/hooks', 'mantine-datatable', '@tabler/icons-react', 'uplot'],
      ...['sql-formatter', 'highlight.js'],
    ],
  },
  // Composition roots put everything together.
  { of: ['src/service'], files: ['src', 'rest-facade/app', 'rest-facade/export'], packages: ['pino'] },
  { of: ['src/main'], files: ['src'], packages: [] },
  { of: ['src/cli/main'], files: ['src'], packages: [] },
  { of: ['src/node-env'], files: [], packages: [] },
];

/** The core computes and touches nothing: no files, no network, no clock of its own. */
const CORE_NODE = ['node:crypto'];
const within = (place: string, folders: readonly string[]) =>
  folders.filter((folder) => place === folder || place.startsWith(`${folder}/`));
const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

function borderOf(place: string): Border | undefined {
  const longest = (border: Border) => Math.max(0, ...within(place, border.of).map((folder) => folder.length));
  const [best] = BORDERS.toSorted((a, b) => longest(b) - longest(a));
  return best && longest(best) > 0 ? best : undefined;
}

/** One sentence for each import that crosses a border it must not. */
function violations(source: Source): string[] {
  const place = source.file.replace(/\.tsx?$/, '');
  const border = borderOf(place);
  if (!border) return [`${source.file}: no border is stated for it in this test`];
  const isCore = within(place, CORE).length > 0;
  const [own] = within(place, border.of);
  return importsOf(source).flatMap(({ target, isFile }) => {
    if (isFile) {
      const allowed = within(target, [...border.files, own ?? '']).length > 0;
      return allowed ? [] : [`${source.file}: ${own} must not import ${target}`];
    }
    if (target.startsWith('node:')) {
      return !isCore || CORE_NODE.includes(target)
        ? []
        : [`${source.file}: the core must not import ${target}`];
    }
    return border.packages.includes(packageOf(target))
      ? []
      : [`${source.file}: ${own} must not import the package ${target}`];
  });
}

const ALL = sourcesOf('src', 'rest-facade', 'agent', 'dashboard/src');

describe('borders between folders', () => {
  it('are not crossed by any import', () => {
    expect(ALL.length).toBeGreaterThan(60);
    expect(ALL.flatMap(violations)).toEqual([]);
  });

  it.each([
    ['src/audit-event/bad.ts', `import { z } from 'zod';`, 'the package zod'],
    ['src/audit-event/bad.ts', `import { readFile } from 'node:fs/promises';`, 'node:fs/promises'],
    ['src/audit-event/bad.ts', `import { x } from '../ingest/receive-batch';`, 'src/ingest/receive-batch'],
    [
      'src/search/bad.ts',
      `import type { PrismaClient } from '../postgres/database';`,
      'src/postgres/database',
    ],
    ['src/api-key/bad.ts', `const e = require('express');`, 'the package express'],
    ['src/ingest/bad.ts', `export * from '../../src/caller/call';`, 'src/graphql/context'],
    ['src/postgres/bad.ts', `import Redis from 'ioredis';`, 'the package ioredis'],
    ['src/redis/bad.ts', `await import('../postgres/database');`, 'src/postgres/database'],
    [
      'src/graphql/bad.ts',
      `import { Prisma } from '../generated/prisma/client';`,
      'src/generated/prisma/client',
    ],
    ['src/graphql/bad.ts', `import { ROUTES } from '../../rest-facade/routes';`, 'rest-facade/routes'],
    [
      'rest-facade/bad.ts',
      `import { ApolloServer } from '@apollo/server/standalone';`,
      'the package @apollo/server/standalone',
    ],
    [
      'rest-facade/bad.ts',
      `import { KeyManager } from '../src/api-key/manage-keys';`,
      'src/api-key/manage-keys',
    ],
    ['rest-facade/bad.ts', `import { createSchema } from '../src/graphql/schema';`, 'src/graphql/schema'],
    ['agent/tail/bad.ts', `import { startService } from '../../src/service';`, 'src/service'],
    ['agent/bad.ts', `import { GraphQLError } from 'graphql';`, 'the package graphql'],
    [
      'dashboard/src/bad.tsx',
      `import { Authenticator } from '../../src/caller/authenticate';`,
      'src/api-key/authenticate',
    ],
    ['src/cli/bad.ts', `import { openDatabase } from '../postgres/database';`, 'src/postgres/database'],
  ])('would be seen to be crossed: %s with %s', (file, text, named) => {
    expect(violations({ file, text })).toEqual([
      expect.stringMatching(new RegExp(`^${file}: .* must not import ${named}$`)),
    ]);
  });

  it('must be stated for a new folder', () => {
    expect(violations({ file: 'src/alerts/new.ts', text: '' })).toEqual([
      expect.stringContaining('no border is stated'),
    ]);
  });
});
