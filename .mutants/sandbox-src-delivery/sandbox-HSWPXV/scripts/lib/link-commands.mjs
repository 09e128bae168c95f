import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { readText } from './files.mjs';

const COMMANDS = { 'audit-activity': 'scripts/audit-activity.mjs', 'audit-agent': 'scripts/audit-agent.mjs' };
const WINDOWS = process.platform === 'win32';

/** The folder where npm puts the commands of dependencies. Only there, `npx` finds a project's own commands at once. */
export const linkCommands = {
  title: 'linking commands',
  isFresh: (root) => Object.entries(COMMANDS).every(([name, script]) => isLinked(root, name, script)),
  async run({ root }) {
    mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
    for (const [name, script] of Object.entries(COMMANDS)) {
      const bin = join(root, 'node_modules/.bin', name);
      rmSync(bin, { force: true });
      if (WINDOWS) {
        writeFileSync(`${bin}.cmd`, shim(script));
        continue;
      }
      symlinkSync(linkTarget(root, script), bin);
      if (!isExecutable(join(root, script))) chmodSync(join(root, script), 0o755);
    }
  },
};

const linkTarget = (root, script) => relative(join(root, 'node_modules/.bin'), join(root, script));
const shim = (script) => `@node "%~dp0\\..\\..\\${script.replaceAll('/', '\\')}" %*\r\n`;

function isLinked(root, name, script) {
  const bin = join(root, 'node_modules/.bin', name);
  if (WINDOWS) return readText(`${bin}.cmd`) === shim(script);
  const entry = lstatSync(bin, { throwIfNoEntry: false });
  return (
    entry?.isSymbolicLink() &&
    readlinkSync(bin) === linkTarget(root, script) &&
    isExecutable(join(root, script))
  );
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
