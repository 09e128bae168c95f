import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { build as bundle } from 'esbuild';
import { buildSchema, parse } from 'graphql';
import { build } from 'vite';
import { licensesOf } from './licenses.mjs';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const SOURCE = join(ROOT, 'dashboard/src');
const GENERATED = join(ROOT, 'dashboard/generated');

// The set-up runs this in a process of its own. It makes the operations' types from the compiled schema, then the page.
await generateOperations(sdlOfService());
const { output } = await build({ configFile: join(ROOT, 'dashboard/vite.config.mjs'), logLevel: 'warn' });
const offline = await buildPackagePage();
const moduleIds = [...output.flatMap((chunk) => chunk.moduleIds ?? []), ...offline];
await writeFile(join(GENERATED, 'packages.json'), `${JSON.stringify(packagesIn(moduleIds), null, 2)}\n`);
await compressAssets(join(ROOT, 'dist/dashboard/assets'));

/** Paths of the packages whose code is in the page, for the bill of materials. */
function packagesIn(modules) {
  const paths = modules.map((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relative(ROOT, id))?.[0]);
  return [...new Set(paths.filter(Boolean))].sort();
}

/**
 * Writes the page that verifies evidence packages: one file, which is opened from disk by browsers of 2021 and later.
 * @returns paths of the modules in it
 */
async function buildPackagePage() {
  const { outputFiles, metafile } = await bundle({
    entryPoints: [join(SOURCE, 'package-page/page.ts')],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: 'iife',
    charset: 'utf8',
    target: ['es2020', 'chrome94', 'firefox92', 'safari15'],
    legalComments: 'none',
  });
  const files = Object.keys(metafile.inputs).map((file) => join(ROOT, file));
  // A text of the script must not end it.
  const script = outputFiles[0].text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const values = {
    __SCRIPT_HASH__: `sha256-${createHash('sha256').update(script).digest('base64')}`,
    __LICENSES__: licensesOf(files).replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
    __SCRIPT__: script,
  };
  const html = await readFile(join(ROOT, 'dashboard/package-page.html'), 'utf8');
  const page = html.replace(/__[A-Z_]+__/g, (name) => values[name] ?? name);
  await writeFile(join(ROOT, 'dist/dashboard/verify.html'), page);
  return files;
}

/** Reads the schema as text, since the service is CommonJS and uses another copy of graphql than the generators here. */
function sdlOfService() {
  const require = createRequire(import.meta.url);
  const { describeSchema } = require(join(ROOT, 'dist/src/schema.js'));
  return require('graphql').printSchema(describeSchema());
}

async function generateOperations(sdl) {
  const names = (await readdir(SOURCE, { recursive: true })).filter((name) => name.endsWith('.graphql'));
  const documents = await Promise.all(
    names.sort().map(async (name) => {
      const rawSDL = await readFile(join(SOURCE, name), 'utf8');
      return { location: name, rawSDL, document: parse(rawSDL) };
    }),
  );
  const schema = buildSchema(sdl);
  const text = await codegen({
    filename: 'operations.ts',
    schema: parse(sdl),
    schemaAst: schema,
    documents,
    config: {
      useTypeImports: true,
      enumsAsTypes: true,
      scalars: { SafeInt: 'number', JSON: 'unknown' },
      defaultScalarType: 'unknown',
      // As texts, the operations take half as many bytes.
      documentMode: 'graphQLTag',
      gqlImport: '../src/api/document#gql',
    },
    plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
    pluginMap: { typescriptOperations, typedDocumentNode },
  });
  await mkdir(GENERATED, { recursive: true });
  const note = '// Made by scripts/lib/build-dashboard.mjs, do not edit.';
  // Nobody reads the spaces, which the page would carry along.
  const compact = text.replaceAll(/gql`[^`]*`/g, (operation) => operation.replaceAll(/\s+/g, ' '));
  await writeFile(join(GENERATED, 'operations.ts'), `${note}\n${compact}`);
}

/** Writes the compressed forms of each asset beside it, made once with the best compression, for the service to send. */
async function compressAssets(folder) {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const content = await readFile(file);
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content));
    await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
  }
}
