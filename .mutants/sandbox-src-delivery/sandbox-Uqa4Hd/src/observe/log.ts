import { type DestinationStream, type Logger, pino } from 'pino';
import { withoutKeys } from '../caller/key-format';
import type { Config } from '../config';

/**
 * Creates the service's log. No code logs a key on purpose, but a caller may have put one into a path or a request id.
 * So the log removes keys from every line.
 */
export const createLog = (level: Config['logLevel'], destination: DestinationStream): Logger =>
  pino({ level, hooks: { streamWrite: withoutKeys } }, destination);
