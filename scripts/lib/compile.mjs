import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { transform } from '@swc/core';
import { globSync } from 'tinyglobby';
import { readText } from './files.mjs';
import { OPERATION_TYPES, operationTypes } from './operation-types.mjs';

const FOLDERS = ['src', 'rest-facade', 'agent'];

const OPTIONS = {
  cwd: process.argv[2],
  swcrc: false,
  sourceMaps: true,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  // import() is not changed, since some packages are only ES modules.
  module: { type: 'commonjs', ignoreDynamic: true },
};

// The set-up runs this in a process of its own: `compile.mjs ROOT OUT`. It does not check types, which takes ten times as
// long and which `npm run check` does. Its output is the same as that of TypeScript's compiler with tsconfig.json.
const [root, out] = process.argv.slice(2);
const patterns = FOLDERS.flatMap((folder) => [`${folder}/**/*.ts`, `${folder}/**/*.json`]);
const files = globSync(patterns, { cwd: root, ignore: ['**/*.d.ts', '**/tsconfig.json'] });
// The compiled code reads its version from package.json.
const others = globSync('package.json', { cwd: root });
const problems = (await Promise.all([...files, ...others].map(put))).filter((problem) => problem !== null);
// The command line's types of operations are made of the schema, which is compiled by now.
if (problems.length === 0 && existsSync(join(out, 'src/schema.js'))) {
  const text = operationTypes(out);
  if (readText(join(root, OPERATION_TYPES)) !== text) await writeFile(join(root, OPERATION_TYPES), text);
  await put(OPERATION_TYPES);
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** @returns why the file cannot be compiled, or null */
async function put(file) {
  const target = join(out, file);
  await mkdir(dirname(target), { recursive: true });
  if (file.endsWith('.json')) return copyFile(join(root, file), target).then(() => null);
  const script = target.replace(/\.ts$/, '.js');
  try {
    const { code, map } = await transform(await readFile(join(root, file), 'utf8'), {
      ...OPTIONS,
      filename: file,
    });
    await writeFile(script, `${code}//# sourceMappingURL=${basename(script)}.map\n`);
    await writeFile(
      `${script}.map`,
      JSON.stringify({ ...JSON.parse(map), sourceRoot: root, sources: [file] }),
    );
    return null;
  } catch (error) {
    return `${file}: ${error.message}`;
  }
}
