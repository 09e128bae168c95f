import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { runNode, SetupFailure } from './child.mjs';
import { readJson, readText } from './files.mjs';
import { contentHash } from './fingerprint.mjs';

const INSTALL_STAMP = 'node_modules/.audit-activity-setup';

/** Installs the packages of package-lock.json into node_modules. */
export const installPackages = {
  title: 'installing npm packages (once, about a minute)',
  slow: true,
  isFresh: (root) =>
    readText(join(root, INSTALL_STAMP)) === contentHash(root, ['package-lock.json']) ||
    isInstalledByHand(root),
  async run({ root }) {
    // The fingerprint is taken before the work, so that the next run sees a change made meanwhile.
    const hash = contentHash(root, ['package-lock.json']);
    const npm = npmScript();
    if (npm === undefined)
      throw new SetupFailure('npm was not found: install Node.js >= 20.19 together with npm.');
    const flags = ['--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, output } = await runNode(npm, ['ci', ...flags], { cwd: root });
    if (code !== 0) {
      throw new SetupFailure(
        '`npm ci` failed (see above): is the npm registry reachable? Then try again.',
        output,
      );
    }
    writeFileSync(join(root, INSTALL_STAMP), hash);
  },
};

/** Whether npm's own record of node_modules (written at the end of an install) holds all that the lock file asks for. */
function isInstalledByHand(root) {
  const installed = readJson(join(root, 'node_modules/.package-lock.json'))?.packages;
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  if (installed === undefined || wanted === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    const found = installed[path];
    if (path === '') return true;
    if (found === undefined) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** Path of npm's own script, which this Node runs, so that neither a shell nor npm.cmd is needed. */
function npmScript() {
  const beside = dirname(process.execPath);
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npm'));
  const candidates = [
    process.env.npm_execpath,
    join(beside, '../lib/node_modules/npm/bin/npm-cli.js'),
    join(beside, 'node_modules/npm/bin/npm-cli.js'),
    ...onPath.filter((file) => existsSync(file)).map((file) => realpathSync(file)),
    ...onPath.map((file) => join(dirname(file), 'node_modules/npm/bin/npm-cli.js')),
  ];
  return candidates.find((file) => file && basename(file) === 'npm-cli.js' && existsSync(file));
}
