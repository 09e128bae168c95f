import { type DestinationStream, type Logger, pino } from 'pino';
import { KEY_KINDS } from '../caller/key-format';
import type { Config } from '../config';

/** Longer than the beginning of a key that lists show. */
const KEY = new RegExp(`(${Object.values(KEY_KINDS).join('|')})[0-9A-Za-z]{8,}`, 'g');

/**
 * The log of the service. Nothing writes a key there on purpose; but a caller may have put one into a path or a
 * request id, so none gets through, wherever it comes from.
 */
export const createLog = (level: Config['logLevel'], destination: DestinationStream): Logger =>
  pino({ level, hooks: { streamWrite: (line) => line.replaceAll(KEY, '$1[redacted]') } }, destination);
