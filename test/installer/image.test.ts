import { execFile, spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { BUILD_VERSION } from '../../src/generated/version';
import { ChildService } from '../support/child-service';
import { createEmptyDatabase, ENGINES } from '../support/engines';
import { freePort } from '../support/free-port';
import { callBuild, missingTools } from './support/packages';
import { expectPublicCalls } from './support/public-calls';
import { MAKE_A_FILE } from './support/sealed-file';

jest.setTimeout(300_000);

const MISSING = missingTools('buildah', 'mmdebstrap', 'unshare') || reasonNotToMount();
const USER = 65_532;
const BYTES_MAX = 150_000_000;
const execute = promisify(execFile);

function reasonNotToMount(): string {
  const { status } = spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/']);
  return status === 0 ? '' : ' (SKIPPED: mounting is not allowed here)';
}

/** Arguments: $1 the image's root folder, $2 the folder for its volume, then the command to run inside. */
const ENTER = `set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount --bind "$2" "$1/var/lib/audit-activity"
mount -t proc proc "$1/proc"
# Every container runtime makes it.
mkdir -p "$1/dev"
mount --bind /dev "$1/dev"
mount -o remount,ro,bind "$1"
root=$1
shift 2
exec chroot --userspec=${USER}:${USER} --groups= "$root" "$@"`;

/**
 * The root folder, user, command and settings are the image's. A container with its own network and control groups is
 * not tested, because no container runtime starts where the tests run.
 */
(MISSING ? describe.skip : describe)(`the image${MISSING}`, () => {
  let folder: string;
  let root: string;
  let archive: string;
  let config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Labels: Readonly<Record<string, string>>;
    readonly Healthcheck: { readonly Test: readonly string[]; readonly Interval: number };
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'image-test-'));
    root = path.join(folder, 'root');
    archive = await callBuild('image.mjs', 'buildImage', { out: folder });
    const unpacked = path.join(folder, 'oci');
    await mkdir(unpacked);
    await mkdir(root);
    await execute('tar', ['-xf', archive, '-C', unpacked]);
    const blob = (digest: string) => path.join(unpacked, 'blobs/sha256', digest.replace('sha256:', ''));
    const read = async (file: string) => JSON.parse(await readFile(file, 'utf8'));
    const { manifests } = await read(path.join(unpacked, 'index.json'));
    const manifest = await read(blob(manifests[0].digest));
    config = (await read(blob(manifest.config.digest))).config;
    for (const { digest } of manifest.layers) await execute('tar', ['-xzf', blob(digest), '-C', root]);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** @returns a command line that runs the command in the image's read-only root folder */
  const inside = (volume: string, ...command: readonly string[]) => [
    ...['unshare', '--mount', '--pid', '--fork', '--kill-child=TERM'],
    ...['bash', '-c', ENTER, 'bash', root, volume, ...command],
  ];
  const settings = () => Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const volume = async (name: string) => {
    const made = path.join(folder, name);
    await mkdir(made, { mode: 0o700 });
    chownSync(made, USER, USER);
    return made;
  };

  it('has at most 150 MB, does not run as root, and has neither a shell nor a setuid program', async () => {
    expect((await stat(archive)).size).toBeLessThan(BYTES_MAX);
    expect(config.User).toBe(`${USER}:${USER}`);
    expect(config.Labels['org.opencontainers.image.version']).toBe(BUILD_VERSION);
    const { stdout } = await execute('find', [root, '-type', 'f', '-perm', '/6111', '-printf', '%P\n']);
    const programs = stdout.trim().split('\n');
    expect(programs.filter((file) => !/\.so(\.|$)|^app\/|(^|\/)ld-linux/.test(file))).toEqual([
      'usr/local/bin/node',
    ]);
    const machine = ['etc/hostname', 'etc/resolv.conf'].map((file) => path.join(root, file));
    for (const file of machine) await expect(stat(file)).rejects.toThrow(/ENOENT/);
  });

  it('lists the Debian packages that it is made of, so that scanners find vulnerable ones', async () => {
    const { stdout } = await execute('grep', [
      '-rhE',
      '^(Package|Version): ',
      `${root}/var/lib/dpkg/status.d`,
    ]);
    for (const name of ['libc6', 'libstdc++6', 'libgcc-s1', 'base-files'])
      expect(stdout).toContain(`Package: ${name}\nVersion: `);
    expect(stdout).not.toContain('mawk');
  });

  it('makes and reads files of sealed weeks, in its volume alone', async () => {
    const place = '/var/lib/audit-activity';
    const [program = '', ...args] = inside(
      await volume('volume-of-file'),
      ...['/usr/local/bin/node', '--eval', MAKE_A_FILE, '/app', place],
    );
    expect((await execute(program, args)).stdout).toBe('1\n');
  });

  it.each(ENGINES)(
    'serves on %s as its user with a read-only root folder, and ends on SIGTERM',
    async (engine) => {
      const database = await createEmptyDatabase(engine);
      const dataDir = await volume(`volume-${engine}`);
      const port = String(await freePort());
      const { databaseUrl } = database;
      const env = {
        ...settings(),
        HOST: '127.0.0.1',
        PORT: port,
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      };
      const service = await ChildService.run(inside(dataDir, ...config.Entrypoint), env, undefined, dataDir);
      try {
        await expectPublicCalls(service);
        const { Test, Interval } = config.Healthcheck;
        expect([Test[0], Interval]).toEqual(['CMD', 10_000_000_000]);
        const probe = inside(dataDir, ...Test.slice(1));
        const [program = '', ...args] = probe;
        await execute(program, args, { env: { ...env, PATH: process.env.PATH } });
      } finally {
        const ended = service.process;
        // The service has its own process ids. The parent passes no signal on, so the test signals the child.
        await execute('pkill', ['-TERM', '--parent', String(ended.pid)]);
        const code = await new Promise((resolve) => ended.once('exit', resolve));
        expect(code).toBe(0);
        await database.drop();
      }
    },
  );
});
