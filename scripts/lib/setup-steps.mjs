import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runNode, SetupFailure } from './child.mjs';
import { readJson } from './files.mjs';
import { contentHash, statHash } from './fingerprint.mjs';
import { installPackages } from './install-packages.mjs';
import { linkCommands } from './link-commands.mjs';
import { OPERATION_TYPES } from './operation-types.mjs';
import { noteVersion } from './version.mjs';

const prisma = stamped({
  name: 'prisma',
  title: 'generating the Prisma client',
  applies: (root) => existsSync(join(root, 'prisma/schema.prisma')),
  inputs: ['prisma/schema.prisma', 'prisma.config.ts', 'node_modules/prisma/package.json'],
  outputs: ['src/generated/prisma'],
  async run({ root }) {
    const env = {
      // The schema engine is not on npm, and `generate` never runs it. Any existing program in its place keeps Prisma from
      // downloading one.
      PRISMA_SCHEMA_ENGINE_BINARY: existsSync('/bin/true') ? '/bin/true' : process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    };
    const script = join(root, 'node_modules/prisma/build/index.js');
    const { code, output } = await runNode(script, ['generate', '--no-hints'], { cwd: root, env });
    if (code !== 0)
      throw new SetupFailure(
        '`prisma generate` failed: correct prisma/schema.prisma, then try again.',
        output,
      );
  },
});

const compile = stamped({
  name: 'compile',
  title: 'compiling',
  applies: (root) => existsSync(join(root, 'src')),
  inputs: [
    ...['src', 'rest-facade', 'agent', 'scripts/lib/compile.mjs', 'scripts/lib/operation-types.mjs'],
    ...['package-lock.json', `!${OPERATION_TYPES}`],
  ],
  // The outputs of other steps and commands beside them do not count.
  outputs: [OPERATION_TYPES, 'dist/agent', 'dist/package.json', 'dist/rest-facade', 'dist/src'],
  async run({ root }) {
    // The sources are compiled elsewhere and moved into place as a whole: no stale file stays, and no process starts from
    // half of them.
    // The folder has a unique name, since the compiler of a killed set-up may still write.
    const next = join(root, `.setup/dist-${process.pid}`);
    const old = join(root, '.setup/dist-old');
    removeLeftOvers(root);
    const script = join(import.meta.dirname, 'compile.mjs');
    const { code, output } = await runNode(script, [root, next], { cwd: root });
    if (code !== 0) {
      throw new SetupFailure(
        'the TypeScript sources do not compile: correct the errors above, then try again.',
        output,
      );
    }
    if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
    renameSync(next, join(root, 'dist'));
    keepOthers(old, join(root, 'dist'));
    removeLeftOvers(root);
  },
});

/** Folders of other outputs: the dashboard, the documents, screenshots, the packages of `npm run msi` and `npm run deb`, the release. */
function keepOthers(old, dist) {
  const names = existsSync(old) ? readdirSync(old) : [];
  for (const name of names.filter((each) =>
    /^(dashboard|release|screenshots|site|.*\.(cmd|deb|msi))$/.test(each),
  )) {
    renameSync(join(old, name), join(dist, name));
  }
}

function removeLeftOvers(root) {
  const folder = join(root, '.setup');
  for (const name of readdirSync(folder)) {
    if (name.startsWith('dist-')) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

const dashboard = stamped({
  name: 'dashboard',
  title: 'building the dashboard',
  applies: (root) => existsSync(join(root, 'dashboard/index.html')),
  inputs: [
    ...['index.html', 'package-page.html', 'public', 'src', 'tsconfig.json', 'vite.config.mjs'].map(
      (name) => `dashboard/${name}`,
    ),
    // The sources of the schema and of the page. The schema itself is read from the output of the step before.
    ...['caller', 'event', 'graphql', 'modules', 'package-check', 'schema.ts', 'limits.ts'].map(
      (name) => `src/${name}`,
    ),
    ...['scripts/lib/build-dashboard.mjs', 'package-lock.json'],
  ],
  outputs: ['dashboard/generated', 'dist/dashboard'],
  async run({ root }) {
    const script = join(root, 'scripts/lib/build-dashboard.mjs');
    const { code, output } = await runNode(script, [], { cwd: root, env: { NODE_ENV: 'production' } });
    if (code !== 0)
      throw new SetupFailure(
        'the dashboard cannot be built: correct the errors above, then try again.',
        output,
      );
  },
});

export const STEPS = [installPackages, linkCommands, prisma, noteVersion, compile, dashboard];

/** A step with a stamp, by which it runs only if its inputs or outputs have changed. */
export function stamped({ name, title, applies, inputs, outputs, run }) {
  const stampOf = (root) => join(root, '.setup', `${name}.json`);
  return {
    name,
    title,
    isFresh(root) {
      if (!applies(root)) return true;
      const stamp = readJson(stampOf(root));
      // Without a stamp, another set-up may be making the outputs.
      if (!stamp) return false;
      return stamp.outputs === statHash(root, outputs) && stamp.inputs === contentHash(root, inputs);
    },
    async run(project) {
      const before = contentHash(project.root, inputs);
      rmSync(stampOf(project.root), { force: true });
      await run(project);
      const stamp = { inputs: before, outputs: statHash(project.root, outputs) };
      mkdirSync(dirname(stampOf(project.root)), { recursive: true });
      writeFileSync(stampOf(project.root), JSON.stringify(stamp));
    },
  };
}
