import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { circlesOf, importsOf, ROOT, type Source, sourcesOf, withoutEnd } from '../support/imports';

interface Border {
  /** The folders and files (without extension) that this border holds for; the longest match counts. */
  readonly of: readonly string[];
  /** The folders and files of the repository that they may import, beside their own folder. */
  readonly files: readonly string[];
  /** The packages that they may import. All but the core may also import every `node:` module. */
  readonly packages: readonly string[];
}

/** Facts and small functions that every part uses. */
const FACTS = [
  'src/errors',
  'src/tenant-set',
  'src/limits',
  'src/problem',
  'src/version',
  'src/deadline',
  'src/rests',
  'src/steady-clock',
  'src/address-list',
];
const CORE = ['src/event', ...FACTS];
/** What modules build on. Code that two modules need belongs there. */
const BELOW_MODULES = [
  ...[...CORE, 'src/caller', 'src/database', 'src/store', 'src/graphql', 'src/module'],
  ...['src/rules', 'src/delivery', 'src/framework-ids', 'src/shipped-folder', 'src/csv', 'src/package-check'],
  'src/data-folder',
  'src/asked-thread',
];
const OBSERVED = ['figures', 'gathered', 'metrics', 'open-metrics'].map((name) => `src/observe/${name}`);
const MODULES = readdirSync(path.join(ROOT, 'src/modules')).map((name) => `src/modules/${name}`);
const GRAPHQL_PACKAGES = ['graphql', 'graphql-scalars', 'type-graphql', 'reflect-metadata'];
const DATABASE_PACKAGES = [
  ...['@electric-sql/pglite', '@prisma/adapter-pg', 'pg', 'pglite-prisma-adapter', 'pino'],
];

/** What ships, and what makes, tests and measures it. */
const PRODUCT = ['src', 'rest-facade', 'agent', 'dashboard/src', 'client'];
const BESIDE_PRODUCT = ['installer', 'scripts', 'bench', 'test'];
const PACKAGES = ['.', 'agent', 'dashboard'].flatMap((folder) => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'),
  );
  return Object.keys({ ...dependencies, ...devDependencies });
});

/** The rooms of detection by floors. A room reads the rooms below, and none on its own floor. */
const DETECTION_FLOORS = [['base'], ['rules', 'alerts'], ['detector'], ['watch', 'backtests'], ['notices']];
const DETECTION_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'src/modules/detection/notices': ['lru-cache', 'nodemailer'],
  'src/modules/detection/rules': ['lru-cache'],
};
const detectionRoom = (name: string) => `src/modules/detection/${name}`;
const DETECTION_ROOMS = DETECTION_FLOORS.flatMap((rooms, floor) =>
  rooms.map((room) => ({
    of: detectionRoom(room),
    below: DETECTION_FLOORS.slice(0, floor).flat().map(detectionRoom),
  })),
);

/** Dependencies point down: service → entrances → modules → trail → caller → database → event. */
const BORDERS: readonly Border[] = [
  { of: CORE, files: CORE, packages: [] },
  // A leaf: rules, masking, compliance and who holds roles read T-SQL with it.
  { of: ['src/tsql'], files: [], packages: [] },
  // Runs without Node.js too: the page of an evidence package has it.
  { of: ['src/package-check'], files: ['src/event'], packages: [] },
  {
    of: ['src/database'],
    files: [...CORE, 'src/config', 'src/folder-lock', 'src/generated/prisma'],
    packages: DATABASE_PACKAGES,
  },
  {
    of: ['src/caller'],
    files: [...CORE, 'src/config', 'src/database', 'src/module'],
    packages: ['express', 'ioredis', 'lru-cache', 'pino'],
  },
  // Rules and their engine only compute; their data is passed to them, events as the texts of rows.
  {
    of: ['src/rules'],
    files: [
      ...[...CORE, 'src/asked-thread', 'src/tsql'],
      ...['src/store/log/arrivals/row-text', 'src/store/rows/stored-text'],
    ],
    packages: ['lru-cache', 're2js', 'yaml'],
  },
  { of: ['src/asked-thread'], files: [], packages: [] },
  // Several modules send something elsewhere, so the means to do it are below them.
  { of: ['src/delivery'], files: ['src/address-list', 'src/rests'], packages: [] },
  {
    of: ['src/delivery/left-to-others'],
    files: ['src/delivery/retry', 'src/limits', 'src/rests'],
    packages: [],
  },
  { of: ['src/delivery/smtp'], files: ['src/delivery/blank-secrets'], packages: ['nodemailer'] },
  {
    of: ['src/store'],
    files: [
      ...CORE,
      'src/caller',
      'src/data-folder',
      'src/database',
      'src/package-check/consistency',
      'src/tsql',
    ],
    packages: ['@duckdb/node-api', 'lru-cache'],
  },
  {
    of: ['src/graphql'],
    files: [
      ...[...CORE, 'src/caller', 'src/http/in-flight', 'src/http/refusal', 'src/http/write-pieces'],
      'src/observe/tracing',
    ],
    packages: [...GRAPHQL_PACKAGES, ...['@apollo/server', '@as-integrations/express5', 'express', 'pino']],
  },
  // A module never imports another.
  ...MODULES.filter((module) => !['src/modules/dashboard', 'src/modules/compliance'].includes(module)).map(
    (module) => ({
      of: [module],
      files: [...BELOW_MODULES, ...OBSERVED, 'src/config'],
      packages: [...GRAPHQL_PACKAGES, 'pino'],
    }),
  ),
  {
    of: ['src/modules/dashboard'],
    files: [
      ...[...CORE, 'src/caller', 'src/config', 'src/database', 'src/module', 'src/http/dashboard-path'],
      'src/http/static-files',
      'src/store/log/evidence/note-key',
    ],
    packages: ['express', 'lru-cache', 'openid-client', 'pino', 'zod'],
  },
  {
    of: ['declared-types', 'destination-request', 'setting-fields', 'types'].map(
      (file) => `src/modules/destinations/${file}`,
    ),
    files: [...BELOW_MODULES, 'src/modules/destinations'],
    packages: ['zod'],
  },
  ...DETECTION_ROOMS.map(({ of, below }) => ({
    of: [of],
    files: [...BELOW_MODULES, ...OBSERVED, 'src/config', ...below],
    packages: [...GRAPHQL_PACKAGES, 'pino', ...(DETECTION_PACKAGES[of] ?? [])],
  })),
  {
    of: ['src/modules/compliance'],
    files: [...BELOW_MODULES, 'src/tsql'],
    packages: GRAPHQL_PACKAGES,
  },
  {
    of: ['src/modules/entities/roles', 'src/modules/reports/privileged'],
    files: [...BELOW_MODULES, 'src/tsql', 'src/modules/entities/answers'],
    packages: [],
  },
  { of: ['src/modules/compliance/frameworks'], files: [...BELOW_MODULES], packages: ['yaml'] },
  { of: ['src/csv'], files: [], packages: [] },
  { of: ['src/modules/reports/declarations'], files: BELOW_MODULES, packages: ['yaml'] },
  {
    of: ['src/modules/reports/schedules/timing'],
    files: BELOW_MODULES,
    packages: ['croner'],
  },
  {
    of: ['src/modules/reports/pdf/pdf-document'],
    files: [...BELOW_MODULES, 'src/modules/reports/pdf/pdf-font'],
    packages: ['pdfkit'],
  },
  {
    of: ['rest-facade'],
    files: [
      ...[
        ...CORE,
        'src/graphql/access',
        'src/graphql/guard',
        'src/http/health',
        'src/http/refusal',
        'src/observe/tracing',
      ],
      ...['src/caller/call', 'src/caller/principal', 'src/caller/scopes'],
      ...['src/caller/rate-limit/limiter', 'src/modules/evidence/answer-fields', 'src/modules/export'],
      'src/modules/evidence/package',
      'src/http/static-files',
      'src/http/write-pieces',
      'src/modules/tail',
      'src/modules/sources/answers',
      'src/modules/detection/base/answers',
      'src/modules/detection/base/incident-answers',
      'src/modules/compliance/answers',
      'src/modules/reports',
      'src/store/rows/masked',
    ],
    packages: ['express', 'graphql', 'graphql-jit', 'helmet', 'pino', 'swagger-jsdoc', 'swagger-ui-dist'],
  },
  {
    of: ['src/assistants'],
    files: [
      ...[...CORE, 'src/caller/call', 'src/graphql/json-body', 'src/graphql/read-body', 'src/http/refusal'],
      ...['src/modules/detection/base/answers', 'src/modules/explore/parameters'],
      ...['src/modules/sources/answers', 'src/observe/tracing'],
      ...['rest-facade/app', 'rest-facade/openapi', 'rest-facade/route'],
    ],
    packages: ['express', 'graphql', 'pino'],
  },
  {
    of: ['agent'],
    files: ['src/delivery/aws-signature', 'src/event', 'src/folder-lock', 'src/limits', 'src/rests'],
    packages: ['commander', 'rotating-file-stream', 'tinyglobby', 'yauzl', 'zod'],
  },
  {
    of: ['src/config'],
    files: ['src/address-list', 'src/limits', 'src/store/log/evidence/cosignature'],
    packages: ['zod'],
  },
  { of: ['src/background'], files: [], packages: ['pino'] },
  { of: ['src/folder-lock', 'src/shipped-folder'], files: [], packages: [] },
  { of: ['src/framework-ids'], files: ['src/problem', 'src/shipped-folder'], packages: [] },
  { of: ['src/module'], files: ['src/background', 'src/observe/open-metrics'], packages: [] },
  {
    of: ['src/http'],
    files: [...CORE, 'src/caller', 'src/observe/tracing'],
    packages: ['express', 'helmet', 'pino'],
  },
  {
    of: ['src/observe'],
    files: [
      ...[...CORE, 'src/caller/key-format', 'src/config', 'src/database', 'src/generated/version'],
      ...['src/data-folder', 'src/http/in-flight'],
    ],
    packages: [
      ...['@opentelemetry/api', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources'],
      ...['@opentelemetry/sdk-trace-node', 'express', 'pino', 'prom-client'],
    ],
  },
  {
    of: ['src/cli'],
    files: [
      ...[...CORE, 'src/caller/scopes', 'src/database/distribute/distribute', 'src/generated/version'],
      ...['src/generated/operations', 'src/modules/restore/finish-step', 'src/modules/keys/operator-key'],
      ...['src/modules/evidence', 'src/store/log/evidence', 'src/modules/reports/verify-run'],
      ...['src/witness', 'src/folder-lock'],
      'src/package-check',
      // Values that options take.
      ...['src/modules/detection/base/answers', 'src/rules/rule', 'src/modules/destinations/types'],
    ],
    packages: ['commander'],
  },
  // A backup has files of the keys, of the checkpoints and of the database.
  {
    of: ['src/cli/backup'],
    files: [
      ...['src/config', 'src/database', 'src/delivery/secret-box', 'src/modules/evidence'],
      ...['src/modules/keys/operator-key', 'src/cli/backup', 'src/data-folder'],
    ],
    packages: [],
  },
  {
    of: ['dashboard/src'],
    // Facts of both sides, and code that runs without Node.js; everything else comes over GraphQL.
    files: [
      ...[
        'src/event',
        'src/errors',
        'src/limits',
        'src/problem',
        'src/caller/scopes',
        'src/modules/sources/audit-source',
        'src/package-check',
      ],
      'dashboard/generated/operations',
    ],
    packages: [
      ...[
        'react',
        'react-dom',
        'wouter',
        'urql',
        '@urql/exchange-retry',
        '@graphql-typed-document-node/core',
      ],
      ...['@mantine/core', '@mantine/hooks', 'mantine-datatable', '@tabler/icons-react', 'uplot'],
      ...['sql-formatter', 'highlight.js', '@noble/ed25519', '@noble/hashes', 'fflate'],
    ],
  },
  // Composition roots may import everything.
  {
    of: ['src/service', 'src/open-modules', 'src/storage', 'src/entrances', 'src/schema'],
    files: [
      'src',
      'rest-facade/app',
      'rest-facade/export',
      'rest-facade/live',
      'rest-facade/package',
      'rest-facade/report',
      'rest-facade/tail',
    ],
    packages: ['pino', ...GRAPHQL_PACKAGES],
  },
  { of: ['src/data-folder'], files: [], packages: [] },
  // A program of its own, which runs where the service does not.
  { of: ['src/witness'], files: [...CORE, 'src/store/log/evidence'], packages: [] },
  { of: ['src/main', 'src/start-failure'], files: ['src'], packages: [] },
  { of: ['src/cli/main'], files: ['src'], packages: [] },
  { of: ['src/memory-saving', 'src/node-env'], files: [], packages: [] },
  // What ships apart imports nothing of the service.
  { of: ['client'], files: [], packages: [] },
  {
    of: ['installer'],
    files: ['scripts/lib/client', 'scripts/lib/licenses', 'scripts/lib/site-steps', 'scripts/lib/version'],
    packages: ['esbuild'],
  },
  {
    of: ['scripts'],
    files: ['installer/build', 'site/navigation', 'test/installer'],
    packages: [
      '@graphql-codegen/core',
      '@graphql-codegen/typed-document-node',
      '@graphql-codegen/typescript-operations',
      '@stryker-mutator/core',
      '@swc/core',
      'graphql',
      'openapi-typescript',
      'playwright-core',
      'reflect-metadata',
      'tinyglobby',
      'esbuild',
      'vite',
    ],
  },
  {
    of: ['bench'],
    files: [
      'src',
      'agent/sqlaudit',
      'scripts/lib/server-client',
      'test/agent/sqlaudit/support',
      'test/database/citus/support',
      'test/support/citus',
    ],
    packages: ['express', 'pg', 'pino', 'playwright-core', 'tinyglobby'],
  },
  // A test may import what it tests, and every package that the repository has; no test imports a bench.
  {
    of: ['test'],
    files: [...PRODUCT, ...BESIDE_PRODUCT.filter((name) => name !== 'bench')],
    // The last three are parts of packages above, which bring them.
    packages: [...PACKAGES, '@jest/test-sequencer', '@prisma/driver-adapter-utils', 'pg-protocol'],
  },
];

/** The core computes: it uses no files, no network and no clock of its own. */
const CORE_NODE = ['node:crypto', 'node:net'];
const within = (place: string, folders: readonly string[]) =>
  folders.filter((folder) => place === folder || place.startsWith(`${folder}/`));
const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

function borderOf(place: string): Border | undefined {
  const longest = (border: Border) => Math.max(0, ...within(place, border.of).map((folder) => folder.length));
  const [best] = BORDERS.toSorted((a, b) => longest(b) - longest(a));
  return best && longest(best) > 0 ? best : undefined;
}

/** @returns one sentence for each import that the borders forbid */
function violations(source: Source): string[] {
  const place = withoutEnd(source.file);
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

const ALL = sourcesOf(...PRODUCT, ...BESIDE_PRODUCT);
/** The files of the service that run as a program, or in a thread of their own. */
const STARTED: readonly string[] = [
  'src/main',
  'src/cli/main',
  'src/rules/rule-thread',
  'src/rules/thread',
  'src/modules/archive/places/folder-process',
  'src/modules/reports/file-thread',
  'src/store/archive/worker-process',
];

describe('the borders between folders', () => {
  it('are crossed by no import', () => {
    expect(ALL.length).toBeGreaterThan(60);
    expect(ALL.flatMap(violations)).toEqual([]);
  });

  it.each([
    ['src/event/bad.ts', `import { z } from 'zod';`, 'the package zod'],
    ['src/event/bad.ts', `import { readFile } from 'node:fs/promises';`, 'node:fs/promises'],
    ['src/event/bad.ts', `import { x } from '../caller/scopes';`, 'src/caller/scopes'],
    ['src/database/bad.ts', `import { x } from '../caller/principal';`, 'src/caller/principal'],
    ['src/database/bad.ts', `import Redis from 'ioredis';`, 'the package ioredis'],
    ['src/caller/bad.ts', `import { x } from '../store/rows/event-rows';`, 'src/store/rows/event-rows'],
    ['src/store/bad.ts', `export * from '../graphql/access';`, 'src/graphql/access'],
    ['src/graphql/bad.ts', `import { x } from '../modules/ingest/gate';`, 'src/modules/ingest/gate'],
    ['src/graphql/bad.ts', `import { ROUTES } from '../../rest-facade/routes';`, 'rest-facade/routes'],
    ['src/modules/keys/bad.ts', `await import('../tenants/module');`, 'src/modules/tenants/module'],
    ['src/modules/keys/bad.ts', `import { x } from '../../service';`, 'src/service'],
    [
      'src/modules/detection/alerts/bad.ts',
      `import { x } from '../rules/rule.store';`,
      'src/modules/detection/rules/rule.store',
    ],
    ['src/modules/ingest/bad.ts', `const e = require('express');`, 'the package express'],
    [
      'src/modules/explore/bad.ts',
      `import { Prisma } from '../../generated/prisma/client';`,
      'src/generated/prisma/client',
    ],
    [
      'rest-facade/bad.ts',
      `import { ApolloServer } from '@apollo/server/standalone';`,
      'the package @apollo/server/standalone',
    ],
    [
      'rest-facade/bad.ts',
      `import { x } from '../src/modules/keys/manage-keys';`,
      'src/modules/keys/manage-keys',
    ],
    ['rest-facade/bad.ts', `import { createSchema } from '../src/schema';`, 'src/schema'],
    ['agent/tail/bad.ts', `import { startService } from '../../src/service';`, 'src/service'],
    ['agent/bad.ts', `import { GraphQLError } from 'graphql';`, 'the package graphql'],
    [
      'dashboard/src/bad.tsx',
      `import { x } from '../../src/caller/authenticate';`,
      'src/caller/authenticate',
    ],
    ['client/src/bad.ts', `import { LIMITS } from '../../src/limits';`, 'src/limits'],
    ['bench/bad.ts', `import { World } from '../test/support/world';`, 'test/support/world'],
    ['test/bad.ts', `import { read } from '../bench/benches/read';`, 'bench/benches/read'],
    ['scripts/bad.mjs', `import { x } from '../src/service.js';`, 'src/service'],
    ['src/cli/bad.ts', `import { openDatabase } from '../database/database';`, 'src/database/database'],
  ])('the check notices a crossing: %s with %s', (file, text, named) => {
    expect(violations({ file, text })).toEqual([
      expect.stringMatching(new RegExp(`^${file}: .* must not import ${named}$`)),
    ]);
  });

  it('let requests read rule files only on their own thread: a large file takes up to a second', () => {
    const imports = sourcesOf('src/modules').flatMap(importsOf);
    const readers = imports.filter(({ target }) => target === 'src/rules/sigma/rule-file');
    // Those that came with the service are read once, at the start.
    expect(readers.map(({ file }) => file)).toEqual(['src/modules/detection/rules/shipped-rules.ts']);
  });

  it('leave no file of the service that nothing imports: a module or a task that is not listed', () => {
    const imported = new Set(ALL.flatMap(importsOf).map(({ target }) => target));
    const places = sourcesOf('src', 'rest-facade')
      .map(({ file }) => file)
      .filter((file) => !file.endsWith('.d.ts'))
      .map(withoutEnd);
    expect(places.length).toBeGreaterThan(400);
    expect(places.filter((place) => !imported.has(place)).sort()).toEqual([...STARTED].sort());
  });

  it('allow no circle of imports', () => {
    expect(circlesOf(ALL)).toEqual([]);
    const a = { file: 'src/a.ts', text: `import { b } from './b';` };
    const b = { file: 'src/b.ts', text: `import type { a } from './a';` };
    expect(circlesOf([a, b])).toEqual(['src/a -> src/b -> src/a']);
  });

  it('a new folder without a stated border is reported', () => {
    expect(violations({ file: 'src/alerts/new.ts', text: '' })).toEqual([
      expect.stringContaining('no border is stated'),
    ]);
  });
});
