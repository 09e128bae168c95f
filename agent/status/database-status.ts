import { z } from 'zod';

const count = z.int().min(0);
const time = z.string().nullable();

/**
 * - `publishing`: the agent reads and sends; `idle`: everything in the files is acknowledged
 * - `waiting`: the service cannot be reached, or asks the agent to wait; `keyRefused`: the service refuses the key
 * - `standby`: the folder is shared, and away: another host reads it
 * - `off`: the service has switched it off, as the file allows
 * - `failed`: the agent itself cannot work on the database now (a full disk, say), and will retry
 */
const DATABASE_STATES = ['publishing', 'idle', 'waiting', 'keyRefused', 'standby', 'off', 'failed'] as const;
export type DatabaseState = (typeof DATABASE_STATES)[number];

/** One database in the status file. Times are ISO 8601; null: never, or nothing. */
const databaseStatus = z.object({
  /** Label in the configuration. */
  name: z.string(),
  tenantId: z.string(),
  state: z.enum(DATABASE_STATES),
  fileCount: count,
  /** The oldest file that is not acknowledged to its end, else the newest. `offset`: acknowledged bytes. */
  file: z.object({ name: z.string(), offset: count, size: count }).nullable(),
  /** Bytes in files that are not acknowledged. */
  waitingBytes: count,
  /** Records that were read and are not acknowledged. */
  waitingRecords: count,
  lastAcknowledgedAt: time,
  /** Event time of the newest event that the service has. */
  lastEventTime: time,
  /** When everything in the files was last acknowledged. */
  caughtUpAt: time,
  /** The counts of this run of the agent. */
  tally: z.object({ accepted: count, duplicates: count, rejected: count }),
  /** `reported`: the service has these gaps; `pending`: it does not know them yet. */
  gaps: z.object({ reported: count, pending: count }),
  /** Why the database is not being published now. */
  problem: z.string().nullable(),
  lastError: z.object({ at: z.string(), text: z.string() }).nullable(),
  /** Of a source in an object store: requests since this run began, and bytes of their answers. */
  store: z.object({ requests: count, bytes: count }).optional(),
  /** Acknowledged events that no acknowledged report has counted. */
  unreportedCount: count,
});
export type DatabaseStatus = Readonly<z.infer<typeof databaseStatus>>;

/** `status.json` in the data folder. */
export const agentStatus = z.object({
  version: z.literal(1),
  agentVersion: z.string(),
  pid: z.int(),
  configPath: z.string(),
  running: z.boolean(),
  startedAt: z.string(),
  writtenAt: z.string(),
  /** Why nothing at all is published: a problem of the configuration. */
  obstacle: z.string().nullable(),
  databases: z.array(databaseStatus),
});
export type AgentStatus = Readonly<z.infer<typeof agentStatus>>;
