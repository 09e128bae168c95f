import './node-env';
import { ConfigError, loadConfig } from './config';
import { createLog } from './observe/log';
import { openLogDestination } from './observe/log-destination';
import { startService } from './service';

/** What is done in the background gets this long to end after the last request. */
const STOP_MS = 10_000;

/** Starts the service from the environment and stops it on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const destination = openLogDestination();
  const log = createLog(config.logLevel, destination);
  const service = await startService(config, log);
  process.stdout.write(`listening on ${service.url}\n`);
  log.info(
    { operatorKeyFile: service.operatorKeyFile, database: config.databaseUrl ? 'postgresql' : 'embedded' },
    'ready',
  );

  const exit = (code: number) => destination.end().finally(() => process.exit(code));
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return void exit(1);
    stopping = true;
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

main().catch((error: unknown) => {
  const text = error instanceof ConfigError ? error.message : `The service did not start: ${explain(error)}`;
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
  // A half-open database would keep the process alive.
  setTimeout(() => process.exit(1), 2_000).unref();
});

const explain = (error: unknown) => (error instanceof Error ? error.message : String(error));
