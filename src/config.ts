import path from 'node:path';
import { z } from 'zod';
import { LIMITS } from './limits';

/** A mistyped environment, with every problem in one text. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const url = (protocols: readonly string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
  });

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The environment variables of the service; their descriptions are README's table. */
export const ENVIRONMENT = z.object({
  PORT: wholeNumber(0, 65_535).default(8080).describe('TCP port; 0 takes a free one.'),
  HOST: z
    .string()
    .optional()
    .describe('Address to listen on. Default 127.0.0.1 with the embedded database, else 0.0.0.0.'),
  DATA_DIR: z.string().default('.data').describe('Folder of the embedded database and of `operator.key`.'),
  DATABASE_URL: url(['postgres:', 'postgresql:'])
    .optional()
    .describe('PostgreSQL 15 or newer. Not set: the embedded database.'),
  READ_DATABASE_URL: url(['postgres:', 'postgresql:'])
    .optional()
    .describe(
      'A replica of DATABASE_URL that answers lists, details and summaries. Not set: DATABASE_URL does.',
    ),
  REDIS_URL: url(['redis:', 'rediss:'])
    .optional()
    .describe('Shares the rate limits between instances. Not set: each instance keeps its own.'),
  SEARCH_INDEX: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .default('on')
    .describe(
      'With `off` this instance does not index for search; where none does, searches read the events.',
    ),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` })
    .default('info')
    .describe('Least level of the log lines on stderr.'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, LIMITS.rateLimitPerMinuteMax)
    .default(60)
    .describe('Calls per key in any 60 seconds, for keys without a limit of their own.'),
});

export interface Config {
  readonly port: number;
  readonly host: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** Never without `databaseUrl`. */
  readonly readDatabaseUrl: string | null;
  readonly redisUrl: string | null;
  /** Whether this instance keeps the search index up. */
  readonly searchIndex: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly rateLimitPerMinute: number;
}

/** @throws ConfigError that names every mistake. An empty variable counts as not set. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.keys(ENVIRONMENT.shape)
      .map((name) => [name, env[name]?.trim()] as const)
      .filter(([, value]) => value),
  );
  const parsed = ENVIRONMENT.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`The configuration has mistakes:\n${lines.join('\n')}`);
  }
  const { data } = parsed;
  if (data.READ_DATABASE_URL && !data.DATABASE_URL)
    throw new ConfigError(
      'The configuration has mistakes:\n  READ_DATABASE_URL: needs DATABASE_URL, whose replica it is',
    );
  return Object.freeze({
    port: data.PORT,
    host: data.HOST ?? (data.DATABASE_URL ? '0.0.0.0' : '127.0.0.1'),
    dataDir: path.resolve(data.DATA_DIR),
    databaseUrl: data.DATABASE_URL ?? null,
    readDatabaseUrl: data.READ_DATABASE_URL ?? null,
    redisUrl: data.REDIS_URL ?? null,
    searchIndex: data.SEARCH_INDEX === 'on',
    logLevel: data.LOG_LEVEL,
    rateLimitPerMinute: data.RATE_LIMIT_PER_MINUTE,
  });
}
