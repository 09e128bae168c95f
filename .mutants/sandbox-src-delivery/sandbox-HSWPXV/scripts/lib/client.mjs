import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CLIENT = path.join(ROOT, 'client');
const run = promisify(execFile);

/** The types of the API as TypeScript, made from its description. */
export async function apiTypes() {
  const require = createRequire(path.join(ROOT, 'package.json'));
  require('reflect-metadata');
  const { describeSchema } = require(path.join(ROOT, 'dist/src/schema.js'));
  const { openApiDocument } = require(path.join(ROOT, 'dist/rest-facade/openapi.js'));
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const ast = await openapiTS(JSON.parse(JSON.stringify(openApiDocument(describeSchema()))));
  return `// Made by npm run client from the description of the API: do not edit.\n${astToString(ast)}`;
}

/** Packs the client for both kinds of modules. @returns the package's file */
export async function packClient(folder) {
  const draft = await mkdtemp(path.join(os.tmpdir(), 'audit-activity-client-'));
  try {
    await cp(CLIENT, draft, { recursive: true });
    await writeFile(path.join(draft, 'src/api.ts'), await apiTypes());
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const compile = (...further) => run(process.execPath, [tsc, '-p', draft, ...further]);
    await compile();
    await compile(
      '--module',
      'commonjs',
      '--moduleResolution',
      'node10',
      '--outDir',
      path.join(draft, 'dist/cjs'),
    );
    for (const [kind, type] of Object.entries({ esm: 'module', cjs: 'commonjs' }))
      await writeFile(path.join(draft, `dist/${kind}/package.json`), `${JSON.stringify({ type })}\n`);
    // In a checkout, the modes of files depend on the person who made it.
    await run('chmod', ['-R', 'u=rwX,go=rX', draft]);
    const out = path.resolve(folder);
    await mkdir(out, { recursive: true });
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', out], { cwd: draft });
    return path.join(out, stdout.trim().split('\n').at(-1));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
