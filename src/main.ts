import './node-env';
import { ConfigError, loadConfig } from './config';
import { BUILD_VERSION } from './generated/version';
import { startMemorySaving } from './memory-saving';
import { createLog } from './observe/log';
import { openLogDestination } from './observe/log-destination';
import { startService } from './service';
import { startFailureText } from './start-failure';

/** Time that background tasks have to end after the last request. */
const STOP_MS = 10_000;

/**
 * Ctrl-C, and a service manager that stops a group of processes, send a signal to npm and to this process. npm also passes
 * it on. So under npm, a signal within this time after the first one is the same one, and does not cut the stop short.
 */
const SAME_SIGNAL_MS = process.env.npm_lifecycle_event === undefined ? 0 : 1_000;

const USAGE =
  'The service takes no arguments. Its settings are environment variables, which docs/operate.md lists; `--version` prints its version.\n';

/** Starts the service from the environment and stops it on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const destination = openLogDestination();
  const log = createLog(config.logLevel, destination);
  const service = await startService(config, log).catch((error: unknown) => {
    throw explained(error, config.dataDir);
  });
  // The embedded engine takes more by itself.
  if (config.databaseUrl) startMemorySaving([...process.execArgv, process.env.NODE_OPTIONS].join(' '));
  process.stdout.write(`listening on ${service.url}\n`);
  log.info(
    {
      version: BUILD_VERSION,
      operatorKeyFile: service.operatorKeyFile,
      database: config.databaseUrl ? 'postgresql' : 'embedded',
    },
    'ready',
  );

  const exit = (code: number) => destination.end().finally(() => process.exit(code));
  let stoppingSince: number | null = null;
  const stop = (signal: string) => {
    if (stoppingSince !== null && performance.now() - stoppingSince < SAME_SIGNAL_MS) return;
    if (stoppingSince !== null) return void exit(1);
    stoppingSince = performance.now();
    log.info({ signal }, 'stopping');
    setTimeout(
      () => {
        log.error('did not stop in time');
        exit(1);
      },
      config.readinessDelayMs + config.drainMs + STOP_MS,
    ).unref();
    service.close().then(
      () => exit(0),
      (err) => {
        log.error({ err }, 'did not stop cleanly');
        return exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** @param argument what the command line has beside the program */
function answer(argument: string): void {
  if (argument === '--version') process.stdout.write(`${BUILD_VERSION}\n`);
  else if (argument === '--help' || argument === '-h') process.stdout.write(USAGE);
  else {
    process.stderr.write(`Unknown argument: ${argument}\n${USAGE}`);
    process.exitCode = 1;
  }
}

function fail(error: unknown): void {
  const text =
    error instanceof ConfigError ? error.message : `The service did not start: ${startFailureText(error)}`;
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
  // A half-open database would keep the process alive.
  setTimeout(() => process.exit(1), 2_000).unref();
}

const OF_FILES = ['EACCES', 'EDQUOT', 'EEXIST', 'EIO', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS'];

/** Adds the data folder to an error about a file: the error may not name the file, and nearly all files are in it. */
function explained(error: unknown, dataDir: string): unknown {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  const isOfFile = OF_FILES.includes(code) && syscall !== 'listen';
  return isOfFile ? new Error(`${message} (DATA_DIR is ${dataDir})`) : error;
}

const [argument] = process.argv.slice(2);
if (argument === undefined) main().catch(fail);
else answer(argument);
