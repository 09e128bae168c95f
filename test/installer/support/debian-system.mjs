import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CACHE } from '../../../installer/build/paths.mjs';
import { BuildProblem, isInPath, run } from '../../../installer/build/tools.mjs';
import { atExit } from './at-exit.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

export const SUITE = 'trixie';
const PACKAGES = ['ca-certificates', 'passwd', 'wine', 'wine64'];
const MIRROR = process.env.DEBIAN_MIRROR || 'http://deb.debian.org/debian';
const COMMAND_LIMIT_S = 150;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Mounts the system's folder ($1) under a layer that keeps changes in memory, and the shared folder ($2), at $2/root.
 */
const ENTER = `set -e
mount --make-rprivate /
mkdir -p "$2/layer" "$2/root"
mount -t tmpfs tmpfs "$2/layer"
mkdir "$2/layer/upper" "$2/layer/work"
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/layer/upper,workdir=$2/layer/work" "$2/root"
mount --bind "$2" "$2/root/mnt"
mount -t proc proc "$2/root/proc"
mount --rbind /dev "$2/root/dev"
exec chroot "$2/root" /bin/bash --noprofile --norc`;

/** @returns `{ root }`, the folder of a Debian system with Wine, or `{ reason }` if it cannot be had here */
export async function findDebian() {
  const reason = obstacle();
  if (reason !== null) return { reason };
  try {
    return { root: await debianFolder() };
  } catch (error) {
    if (!(error instanceof BuildProblem)) throw error;
    return { reason: `a Debian system could not be made: ${error.message}` };
  }
}

function obstacle() {
  if (process.getuid?.() !== 0) return 'root is needed for a Debian system of its own';
  const missing = ['mmdebstrap', 'unshare', 'chroot', 'mount'].filter((tool) => !isInPath(tool));
  if (missing.length > 0) return `missing: ${missing.join(', ')}`;
  const { status } = spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/']);
  return status === 0 ? null : 'mounting is not allowed here';
}

/** Built once, in half a minute to two minutes, and never changed. */
async function debianFolder() {
  const root = join(CACHE, [SUITE, ...PACKAGES].join('-'));
  if (existsSync(root)) return root;
  process.stderr.write(`making a Debian ${SUITE} with Wine in ${root} (once)\n`);
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(join(CACHE, 'draft-'));
  const forget = atExit(() => spawnSync('rm', ['-rf', draft]));
  try {
    const options = ['--variant=apt', `--include=${PACKAGES.join(',')}`];
    await run('mmdebstrap', [...options, '--aptopt=APT::Install-Recommends "false"', SUITE, draft, MIRROR]);
    await rename(draft, root);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(root)) throw error;
  }
  forget();
  return root;
}

/** A shell in a Debian system of its own or in this system. All its processes and mounts end with it. */
export class Shell {
  /** The folder for shared files: its path for the test, and its path for the commands. */
  work;
  inside;
  #child;
  #lines;
  #count = 0;

  /** @param root folder of a Debian system; null: this system @param env environment of the commands inside */
  static async start(root, env = () => ({})) {
    const shell = new Shell();
    shell.work = await temporaryFolder('installer-system-');
    shell.inside = root === null ? shell.work : '/mnt';
    // In namespaces of their own, mounts and processes end with the shell, however it ends.
    const namespaces = [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child=KILL',
      'bash',
      '-c',
      ENTER,
      'bash',
      root,
      shell.work,
    ];
    const [program, args] = root === null ? ['bash', ['--noprofile', '--norc']] : ['unshare', namespaces];
    const options = { cwd: '/', detached: true, stdio: ['pipe', 'pipe', 'inherit'] };
    shell.#child = spawn(program, args, {
      ...options,
      env: { PATH, HOME: shell.inside, ...env(shell.inside) },
    });
    shell.#child.stdin.on('error', () => {});
    shell.#lines = createInterface({ input: shell.#child.stdout });
    // A script that leaves a process running on purpose ties it to this shell with `tail --pid=$SHELL_PID`.
    shell.#child.stdin.write('export SHELL_PID=$$\n');
    atExit(() => shell.#kill());
    return shell;
  }

  /** Runs a script. @returns its exit code and output */
  async run(script) {
    const name = `command-${++this.#count}`;
    await writeFile(join(this.work, `${name}.sh`), script);
    const inside = join(this.inside, name);
    const answered = this.#answer(name);
    // The output goes to files, because Node.js for Windows cannot open the pipes of Linux.
    this.#child.stdin.write(
      `timeout -k 5 ${COMMAND_LIMIT_S} bash ${inside}.sh </dev/null >${inside}.out 2>&1; echo "${name} $?"\n`,
    );
    const code = await answered;
    return { code, output: await readFile(join(this.work, `${name}.out`), 'utf8') };
  }

  #answer(name) {
    const lines = this.#lines;
    return new Promise((resolve, reject) => {
      const onLine = (line) => {
        const [, code] = line.match(`^${name} (\\d+)$`) ?? [];
        if (code === undefined) return;
        lines.off('line', onLine).off('close', onClose);
        resolve(Number(code));
      };
      const onClose = () => reject(new BuildProblem('the system of the tests has ended'));
      lines.on('line', onLine).once('close', onClose);
    });
  }

  #kill() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // The process has just ended.
    }
  }

  async close() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#kill();
      await ended;
    }
    await rm(this.work, { recursive: true, force: true, maxRetries: 10 });
  }
}
