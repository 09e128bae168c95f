import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const COMPILED = ['src', 'rest-facade', 'agent'];

/**
 * Compiles sources that are not part of the product into a folder of their own, beside links to what the set-up has
 * compiled, so that they use the product as users run it.
 * @param patterns of the sources, below `root`
 */
export async function compileBeside({ root, folder, patterns }) {
  // Imported only here, since the set-up may have to install it first.
  const { transformSync } = await import('@swc/core');
  const { globSync } = await import('tinyglobby');
  for (const source of globSync(patterns, { cwd: root })) {
    const { code } = transformSync(readFileSync(join(root, source), 'utf8'), {
      filename: source,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
      sourceMaps: 'inline',
    });
    const target = join(folder, source.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
  }
  for (const name of COMPILED) symlinkSync(join(root, 'dist', name), join(folder, name), 'junction');
}
