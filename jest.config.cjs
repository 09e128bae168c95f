/** Packages that are ESM, or call import() at run time: jest's own module system runs neither before Node 24.9. */
const COMPILED_PACKAGES = [
  '@electric-sql/pglite',
  '@opentelemetry/otlp-exporter-base',
  '@prisma/schema-engine-wasm',
  // of openapi-typescript
  ...['change-case', 'index-to-position', 'parse-json', 'supports-color'],
];

const compile = (syntax) => [
  '@swc/jest',
  {
    jsc: {
      target: 'es2022',
      parser: { syntax, decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

/** @type {import('jest').Config} */
module.exports = {
  rootDir: __dirname,
  roots: ['<rootDir>/test'],
  // Temporary files end with the run.
  cacheDirectory: '<rootDir>/.setup/jest',
  setupFiles: ['<rootDir>/test/support/seed.ts'],
  // The second are the groups that scripts/lib/suites-together.mjs writes.
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/.setup/suites-together/*.test.ts'],
  transform: { '\\.ts$': compile('typescript'), '\\.[cm]?js$': compile('ecmascript') },
  // The client names its files as they are called once they are compiled.
  moduleNameMapper: { '^\\./(errors|export|http|pages|tail)\\.js$': './$1' },
  transformIgnorePatterns: [`/node_modules/(?!(.*/node_modules/)?(${COMPILED_PACKAGES.join('|')})/)`],
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  // One more than the two cores of CI: many tests wait for a process or a moment.
  maxWorkers: 3,
  testTimeout: 240_000,
  workerIdleMemoryLimit: '1GB',
};
