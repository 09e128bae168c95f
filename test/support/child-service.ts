import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Options, transform } from '@swc/core';

const ROOT = path.resolve(__dirname, '../..');
const START_MS = 120_000;

let compiled: Promise<string> | undefined;

// This runs for each test file that imports this one, or for the first of some that run together: the next one compiles anew.
afterAll(async () => {
  const folder = compiled;
  compiled = undefined;
  if (folder) await rm(await folder, { recursive: true, force: true });
});

/** A folder with the current sources of the service, compiled to JavaScript. */
export function compiledService(): Promise<string> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'audit-activity-compiled-'));
  for (const linked of ['node_modules', 'prisma', 'rules', 'compliance', 'reports', 'package.json']) {
    await symlink(path.join(ROOT, linked), path.join(folder, linked));
  }
  for (const part of ['src', 'rest-facade']) {
    for (const name of await readdir(path.join(ROOT, part), { recursive: true })) {
      if (!name.endsWith('.ts')) continue;
      const filename = path.join(ROOT, part, name);
      const target = path.join(folder, part, name.replace(/\.ts$/, '.js'));
      const { code } = await transform(await readFile(filename, 'utf8'), {
        filename,
        swcrc: false,
        ...OPTIONS,
      });
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, code);
    }
  }
  return folder;
}

/** The same compiler options as jest.config.cjs has for the tests. */
const OPTIONS: Options = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

/** A service in a process of its own, which a test can kill. */
export class ChildService {
  private constructor(
    readonly url: string,
    readonly operatorKey: string,
    readonly process: ChildProcess,
  ) {}

  /**
   * @param onSpawn gets the process before it listens
   * @throws Error with what the process wrote to stderr, if it ends before it listens
   */
  static async start(
    env: Readonly<Record<string, string>>,
    onSpawn: (child: ChildProcess) => void = () => {},
  ): Promise<ChildService> {
    return ChildService.of(path.join(await compiledService(), 'src/main.js'), env, onSpawn);
  }

  /** Starts a service that is already compiled. @param main the file to run */
  static async of(
    main: string,
    env: Readonly<Record<string, string>>,
    onSpawn: (child: ChildProcess) => void = () => {},
  ): Promise<ChildService> {
    return ChildService.run([process.execPath, main], env, onSpawn);
  }

  /** Starts a service by a command. @param dataDir the path of its DATA_DIR as the test sees it */
  static async run(
    [program = '', ...args]: readonly string[],
    env: Readonly<Record<string, string>>,
    onSpawn: (child: ChildProcess) => void = () => {},
    dataDir = env.DATA_DIR,
  ): Promise<ChildService> {
    const child = spawn(program, args, {
      env: { PATH: process.env.PATH ?? '', PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onSpawn(child);
    let [out, err] = ['', ''];
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const url = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`not started in ${START_MS} ms: ${err}`)), START_MS);
      child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new Error(`ended with ${code}: ${err}`));
      });
      child.stdout.on('data', (chunk) => {
        out += chunk;
        const found = /^listening on (\S+)$/m.exec(out)?.[1];
        if (!found) return;
        clearTimeout(timer);
        resolve(found);
      });
    });
    const operatorKey = dataDir ? await readFile(path.join(dataDir, 'operator.key'), 'utf8') : '';
    return new ChildService(url, operatorKey.trim(), child);
  }

  /** @returns exit code and signal */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<readonly [number | null, NodeJS.Signals | null]> {
    const ended = once(this.process, 'exit');
    this.process.kill(signal);
    const [code, by] = (await ended) as [number | null, NodeJS.Signals | null];
    return [code, by];
  }

  /** Data of a GraphQL operation; throws if the service refuses the operation or is gone. */
  async graphql<T>(key: string, query: string, variables: object = {}): Promise<T> {
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': key },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  }
}
