import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { buildSchema, parse } from 'graphql';
import { build } from 'vite';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const SOURCE = join(ROOT, 'dashboard/src');
const GENERATED = join(ROOT, 'dashboard/generated');

// The set-up runs this in a process of its own. It makes the operations' types from the compiled schema, then the page.
await generateOperations(sdlOfService());
const { output } = await build({ configFile: join(ROOT, 'dashboard/vite.config.mjs'), logLevel: 'warn' });
await writeFile(join(GENERATED, 'packages.json'), `${JSON.stringify(packagesIn(output), null, 2)}\n`);
await compressAssets(join(ROOT, 'dist/dashboard/assets'));

/** Paths of the packages whose code is in the page, for the bill of materials. */
function packagesIn(chunks) {
  const modules = chunks.flatMap(({ moduleIds = [] }) => moduleIds);
  const paths = modules.map((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relative(ROOT, id))?.[0]);
  return [...new Set(paths.filter(Boolean))].sort();
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
    },
    plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
    pluginMap: { typescriptOperations, typedDocumentNode },
  });
  await mkdir(GENERATED, { recursive: true });
  const note = '// Made by scripts/lib/build-dashboard.mjs, do not edit.';
  await writeFile(join(GENERATED, 'operations.ts'), `${note}\n${text}`);
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
