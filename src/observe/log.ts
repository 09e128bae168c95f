import { type DestinationStream, type Logger, pino } from 'pino';
import { withoutKeys } from '../caller/key-format';
import type { Config } from '../config';

/**
 * The log of the service. Nothing writes a key there on purpose; but a caller may have put one into a path or a
 * request id, so none gets through, wherever it comes from.
 */
export const createLog = (level: Config['logLevel'], destination: DestinationStream): Logger =>
  pino({ level, hooks: { streamWrite: withoutKeys } }, destination);
