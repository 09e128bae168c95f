import { DROPPED, entryIdFloor } from '../../../caller/access-log';
import type { OwnerDoor } from '../../../database/clients';
import { DISABLED_TENANTS } from '../../../database/distribute/tenant-rounds';
import { DAY_MS } from '../../../event/event-time';
import { LIMITS } from '../../../limits';
import { fromStored } from '../../../store/rows/stored-text';

/** A problem with the trail of a tenant. */
export interface TrailProblem {
  readonly tenantId: number;
  /** Identifies the problem. Each key has at most one open alert. */
  readonly key: string;
  /** The beginning of the problem. A resolved problem is told again only if it began later. */
  readonly since: Date;
  /** Whether that is when an instance looked, so that each instance has another time. */
  readonly isByLook?: boolean;
  readonly group: Readonly<Record<string, string>>;
  /** Whether the problem may pass by itself. It is then told only if two looks see it. */
  readonly mayPass?: boolean;
}

const SILENT_MS = 15 * 60_000;
const CLOCK_MS = 5 * 60_000;
/** Events wait for the evidence log only seconds, so a longer wait is a problem. */
const UNLOGGED_MS = 5 * 60_000;
/** How long a single incident, which does not last, counts as recent. */
const RECENT_MS = DAY_MS;
const ROWS_MAX = 5_000;
/** Events of a tenant that are looked at for their server instances. */
const NEWEST_MARKED = 10_000;
const SECOND_MS = 1_000;

interface SourceRow extends Joined {
  readonly host_name: string;
  readonly database_name: string;
  readonly at: Date;
}
type Ask = <T>(statement: string, ...values: readonly unknown[]) => Promise<readonly T[]>;

/**
 * Of tenants that are in use.
 * @param stoppedLogs tenants whose evidence log this instance does not append to, with the reason
 * @param unsealed tenants of whom this instance could not put a week into a file, with the reason
 * @param canaries problems that canaries show
 */
export async function trailProblems(
  owner: OwnerDoor,
  stoppedLogs: ReadonlyMap<number, string>,
  nowMs: number,
  unsealed: ReadonlyMap<number, string> = new Map(),
  canaries: (nowMs: number) => Promise<readonly TrailProblem[]> = async () => [],
): Promise<readonly TrailProblem[]> {
  const ask: Ask = (statement, ...values) => owner.models.$queryRawUnsafe(statement, ...values);
  const found = [
    await silentSources(ask, nowMs),
    await sourcesWithProblem(ask, nowMs),
    await wrongClocks(ask, nowMs),
    await wrongTimes(ask, nowMs),
    await gaps(ask, nowMs),
    await tooManySources(ask, nowMs),
    await stopped(ask, stoppedLogs, nowMs),
    await overtaken(ask, nowMs),
    await lostEntries(ask, nowMs),
    await canaries(nowMs),
    [...unsealed].map(([tenantId, why]) => ofArchive(tenantId, why, nowMs)),
  ];
  const rows = await ask<{ tenant_id: number }>(DISABLED_TENANTS);
  const disabled = new Set(rows.map(({ tenant_id }) => tenant_id));
  return found.flat().filter(({ tenantId }) => !disabled.has(tenantId));
}

/** A problem of which nobody knows when it began. */
const BY_LOOK = { isByLook: true, mayPass: true } as const;

const ofArchive = (tenantId: number, why: string, nowMs: number): TrailProblem => ({
  tenantId,
  key: 'archive',
  since: new Date(nowMs),
  ...BY_LOOK,
  group: { problem: `A week that is over stays in rows: ${why}` },
});

interface Joined {
  readonly tenant_id: number;
  /** From 1, among the tenant's rows. */
  readonly place: number;
  /** The number of the tenant's rows, and the time of the oldest. */
  readonly total: number;
  readonly oldest: Date;
}

/**
 * SQL: of the rows of a statement, for each tenant those that are told alone and one that stands for the others.
 * @param order which rows are told alone: the newest; or, where a row's time goes on, those whose names come first, so
 * that they stay the same ones
 */
const ofEach = (statement: string, order: string) => `
  SELECT r.* FROM (
    SELECT q.*, (row_number() OVER (PARTITION BY q.tenant_id ORDER BY ${order}))::int AS place,
      (count(*) OVER (PARTITION BY q.tenant_id))::int AS total, min(q.at) OVER (PARTITION BY q.tenant_id) AS oldest
    FROM (${statement}) q) r
  WHERE r.place <= ${LIMITS.sourceAlertsMax + 1} ORDER BY r.place LIMIT ${ROWS_MAX}`;
/** The text of a row begins with its names. */
const BY_NAME = 'q::text';
const NEWEST = `q.at DESC, ${BY_NAME}`;

/** @param others what one alert tells of the rows that are not told alone */
const told = <Row extends Joined>(
  rows: readonly Row[],
  problem: (row: Row) => TrailProblem,
  others: string,
): readonly TrailProblem[] =>
  rows.map((row) =>
    row.place <= LIMITS.sourceAlertsMax
      ? problem(row)
      : {
          tenantId: row.tenant_id,
          key: `more: ${others}`,
          since: row.oldest,
          mayPass: true,
          group: { problem: `${others}: ${row.total - LIMITS.sourceAlertsMax} more` },
        },
  );

const problemOf = (row: SourceRow, kind: string, problem: string): TrailProblem => {
  const [host, database] = [fromStored(row.host_name), fromStored(row.database_name)];
  return {
    tenantId: row.tenant_id,
    since: row.at,
    group: { problem, host, database },
    key: kind === 'gap' ? `gap ${host}/${database}` : `source ${host}/${database} ${kind}`,
  };
};

/** While the service or its database is away, no source can report: each does so soon after the first look. */
async function silentSources(ask: Ask, nowMs: number): Promise<readonly TrailProblem[]> {
  const rows = await ask<SourceRow>(
    ofEach(
      `SELECT tenant_id, host_name, database_name, last_reported AS at FROM audit_source
       WHERE last_reported < $1::timestamptz AND retired_at IS NULL`,
      NEWEST,
    ),
    new Date(nowMs - SILENT_MS),
  );
  const silent = (row: SourceRow) => ({
    ...problemOf(row, 'silent', 'A source is silent'),
    mayPass: true,
  });
  return told(rows, silent, 'Sources are silent');
}

/** Silent sources are left out, because their silence is told. */
async function sourcesWithProblem(ask: Ask, nowMs: number): Promise<readonly TrailProblem[]> {
  const rows = await ask<SourceRow & { problem: string }>(
    ofEach(
      `SELECT tenant_id, host_name, database_name, problem, coalesce(problem_since, last_reported) AS at
       FROM audit_source WHERE problem IS NOT NULL AND last_reported >= $1::timestamptz AND retired_at IS NULL`,
      NEWEST,
    ),
    new Date(nowMs - SILENT_MS),
  );
  return told(
    rows,
    (row) => problemOf(row, 'problem', `A source has a problem: ${fromStored(row.problem)}`),
    'Sources have a problem',
  );
}

async function wrongClocks(ask: Ask, nowMs: number): Promise<readonly TrailProblem[]> {
  const rows = await ask<SourceRow & { ahead_ms: bigint }>(
    ofEach(
      `SELECT tenant_id, host_name, database_name, clock_ahead_ms AS ahead_ms, last_reported AS at
       FROM audit_source WHERE abs(clock_ahead_ms) > $1::bigint AND last_reported >= $2::timestamptz
         AND retired_at IS NULL`,
      BY_NAME,
    ),
    CLOCK_MS,
    new Date(nowMs - SILENT_MS),
  );
  const clock = (row: SourceRow & { ahead_ms: bigint }) => {
    const ahead = Number(row.ahead_ms);
    const seconds = Math.round(Math.abs(ahead) / SECOND_MS);
    const way = ahead > 0 ? 'ahead' : 'behind';
    return {
      ...problemOf(row, 'clock', `The clock of an agent is ${seconds} seconds ${way}`),
      ...BY_LOOK,
    };
  };
  return told(rows, clock, 'The clocks of agents are wrong');
}

/**
 * Server instances whose events state times that cannot be right. One statement finds the newest of each tenant, because
 * a clock that is wrong for days marks millions.
 */
async function wrongTimes(ask: Ask, nowMs: number): Promise<readonly TrailProblem[]> {
  const rows = await ask<Joined & { instance: string; at: Date }>(
    ofEach(
      `SELECT t.tenant_id, k.instance, max(k.received_at) AS at FROM tenant t CROSS JOIN LATERAL (
         SELECT c.received_at, e.server_instance_name AS instance
         FROM audit_clock c JOIN audit_event e ON e.tenant_id = c.tenant_id AND e.record_id = c.record_id
         WHERE c.tenant_id = t.tenant_id AND c.received_at > $1::timestamptz
         ORDER BY c.received_at DESC LIMIT ${NEWEST_MARKED}) k
       GROUP BY t.tenant_id, k.instance`,
      BY_NAME,
    ),
    new Date(nowMs - RECENT_MS),
  );
  const times = ({ tenant_id, instance, at }: (typeof rows)[number]) => ({
    tenantId: tenant_id,
    key: `times ${fromStored(instance)}`,
    since: at,
    group: {
      problem:
        'Events state times that cannot be right: the clock of their server is wrong, or that of the service',
      serverInstanceName: fromStored(instance),
    },
  });
  return told(rows, times, 'Events of other servers state times that cannot be right');
}

async function gaps(ask: Ask, nowMs: number): Promise<readonly TrailProblem[]> {
  const rows = await ask<SourceRow>(
    ofEach(
      `SELECT tenant_id, host_name, database_name, max(first_reported) AS at FROM audit_gap
       WHERE first_reported > $1::timestamptz GROUP BY tenant_id, host_name, database_name`,
      NEWEST,
    ),
    new Date(nowMs - RECENT_MS),
  );
  return told(
    rows,
    (row) => problemOf(row, 'gap', 'A part of the trail is missing'),
    'Parts of the trails of sources are missing',
  );
}

/** The number of a tenant's sources has reached its limit, so that reports of others may have been refused. */
async function tooManySources(ask: Ask, nowMs: number): Promise<readonly TrailProblem[]> {
  const rows = await ask<{ tenant_id: number; n: number }>(
    `SELECT tenant_id, count(*)::int AS n FROM audit_source GROUP BY tenant_id
     HAVING count(*) >= ${LIMITS.sourcesMax} LIMIT ${ROWS_MAX}`,
  );
  return rows.map(({ tenant_id: tenantId, n }) => ({
    tenantId,
    key: 'sources',
    since: new Date(nowMs),
    ...BY_LOOK,
    group: { problem: `${n} sources report, and no report of another one is taken: does a key invent them?` },
  }));
}

async function stopped(
  ask: Ask,
  stoppedLogs: ReadonlyMap<number, string>,
  nowMs: number,
): Promise<readonly TrailProblem[]> {
  const rows = await ask<{ tenant_id: number; at: Date; is_refused: boolean }>(
    `SELECT tenant_id, min(received_at) AS at, bool_or(refused) AS is_refused FROM audit_log_queue
     WHERE received_at < now() - interval '${UNLOGGED_MS} milliseconds' OR refused GROUP BY tenant_id LIMIT ${ROWS_MAX}`,
  );
  const problem = (tenantId: number, text: string, since: Date): TrailProblem => ({
    tenantId,
    key: 'evidence log',
    since,
    mayPass: true,
    group: { problem: `The evidence log has stopped: ${text}` },
  });
  const waiting = rows
    .filter(({ tenant_id }) => !stoppedLogs.has(tenant_id))
    .map(({ tenant_id, at, is_refused }) =>
      problem(tenant_id, is_refused ? 'what waited for it was changed' : 'events wait for it', at),
    );
  const known = [...stoppedLogs].map(([tenantId, why]) => ({
    ...problem(tenantId, why, new Date(nowMs)),
    ...BY_LOOK,
  }));
  return [...known, ...waiting];
}

async function overtaken(ask: Ask, nowMs: number): Promise<readonly TrailProblem[]> {
  const rows = await ask<{ tenant_id: number; id: string; name: string; at: Date }>(
    `SELECT tenant_id, destination_id::text AS id, name, overtaken_at AS at FROM destination
     WHERE overtaken_at > $1::timestamptz AND state <> 'removed' LIMIT ${ROWS_MAX}`,
    new Date(nowMs - RECENT_MS),
  );
  return rows.map(({ tenant_id, id, name, at }) => ({
    tenantId: tenant_id,
    key: `destination ${id} overtaken`,
    since: at,
    group: {
      problem: 'Retention removed events before a destination had them',
      destination: fromStored(name),
    },
  }));
}

/** Every tenant is told, because nobody knows whose entries were lost. */
async function lostEntries(ask: Ask, nowMs: number): Promise<readonly TrailProblem[]> {
  const [last] = await ask<{ at: Date | null }>(
    'SELECT max(at) AS at FROM access_log WHERE entry_id >= $1::uuid AND operation = $2',
    ...[entryIdFloor(nowMs - RECENT_MS), DROPPED],
  );
  if (!last?.at) return [];
  const since = last.at;
  const tenants = await ask<{ tenant_id: number }>('SELECT tenant_id FROM tenant');
  return tenants.map(({ tenant_id: tenantId }) => ({
    tenantId,
    key: 'access log',
    since,
    group: { problem: 'The access log has lost entries' },
  }));
}
