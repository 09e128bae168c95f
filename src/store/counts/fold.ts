import { type OwnerDoor, type Prisma, stepIn } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { LIMITS } from '../../limits';
import { UNUSED } from '../rows/stored-text';
import { ACTION_MAX, COUNTED_BY_INSTANCE, INSTANCE_MAX, keyOf } from './by-instance';
import { COUNTED, COUNTED_COLUMNS, DIMENSIONS, type Dimension, HOURS_PER_DAY, KEYS } from './dimensions';
import { tryTurn } from './turns';

const TENANTS_PER_RUN = 50;

/**
 * Gives the next numbers to values that have none. It runs under the tenant's lock, so no two runs give the same
 * number. Here and below, inserted rows take their tenant from the tenant's row, so that one node of a distributed
 * database does all the work.
 */
export const numberValues = (kind: number, values: string): string => `
  INSERT INTO audit_dim (tenant_id, kind, value, dim_id)
  SELECT t.tenant_id, ${kind}, n.value, (SELECT coalesce(max(m.dim_id), 0) FROM audit_dim m
      WHERE m.tenant_id = $1::int AND m.kind = ${kind}) + row_number() OVER (ORDER BY n.value)
  FROM tenant t CROSS JOIN (${values}) n
  WHERE t.tenant_id = $1::int
    AND NOT EXISTS (SELECT FROM audit_dim m WHERE m.tenant_id = $1::int AND m.kind = ${kind} AND m.value = n.value)`;

const NUMBER_VALUES = COUNTED.map(({ kind, storedValueOf }) =>
  numberValues(
    kind,
    `SELECT DISTINCT ${storedValueOf('x')} AS value FROM audit_delta x WHERE x.tenant_id = $1::int`,
  ),
);

/**
 * SQL: the number of a value of row `x`; null: it has none. Each number is looked up by itself, with the tenant from the
 * row. A join, or a tenant given by value, might compare each row with all values of a tenant that the planner's
 * statistics do not know yet.
 */
const numberOf = ({ kind, storedValueOf }: Dimension) =>
  `(SELECT m.dim_id FROM audit_dim m WHERE m.tenant_id = x.tenant_id AND m.kind = ${kind} AND m.value = ${storedValueOf('x')})`;
const KEY_NAMES = KEYS.map(({ key }) => key).join(', ');

/** SQL: rows `x` with their numbers, for `RETURNING` or `SELECT`. */
const NUMBERED_ROWS = `x.hour, x.n, x.ok, ${COUNTED.map((one) => `x.${one.column}, ${numberOf(one)} AS ${one.key}`).join(', ')}`;
const HAS_NUMBERS = `num_nulls(${COUNTED.map(({ key }) => key).join(', ')}) = 0`;

/** SQL: the part `gone`: the rows of `numbered` that have all numbers. Its `i` is null when they cannot be counted by it. */
const GONE = `
gone AS (
  SELECT hour, n, ok, ${KEY_NAMES},
    CASE WHEN ${DIMENSIONS.instance.storedValueOf('x')} <> '${UNUSED}' AND i <= ${INSTANCE_MAX} AND a <= ${ACTION_MAX} THEN i END AS i
  FROM numbered x WHERE ${HAS_NUMBERS})`;

const SUMS = 'sum(n)::int AS n, sum(ok)::int AS ok';
const [ACTION, ...OTHERS] = KEYS;
const orAll = (keys: readonly { readonly key: string }[]) =>
  keys.map(({ key }) => `coalesce(${key}, 0) AS ${key}`).join(', ');

/** The sums of `gone` for the counts by columns: by hour for each single column, by day for every combination. */
const SUMS_BY_KEYS = `
  SELECT 1::smallint AS grain, hour AS bucket, ${orAll(KEYS)}, ${SUMS}
  FROM gone GROUP BY GROUPING SETS ((hour), ${KEYS.map(({ key }) => `(hour, ${key})`).join(', ')})
  UNION ALL
  SELECT 2::smallint, hour / ${HOURS_PER_DAY}, ${orAll(KEYS)}, ${SUMS}
  FROM gone GROUP BY hour / ${HOURS_PER_DAY}, CUBE (${KEY_NAMES})`;

const noOthers = OTHERS.map(({ key }) => `0 AS ${key}`).join(', ');
/** The same by instance, and the number of a day's events that are counted by instance. */
const SUMS_BY_INSTANCE = `
  SELECT 1::smallint AS grain, hour AS bucket, ${keyOf('i', '0')} AS ${ACTION.key}, ${noOthers}, ${SUMS}
  FROM gone WHERE i IS NOT NULL GROUP BY hour, i
  UNION ALL
  SELECT 2::smallint, hour / ${HOURS_PER_DAY}, ${keyOf('i', `coalesce(${ACTION.key}, 0)`)}, ${orAll(OTHERS)}, ${SUMS}
  FROM gone WHERE i IS NOT NULL GROUP BY hour / ${HOURS_PER_DAY}, i, CUBE (${KEY_NAMES})
  UNION ALL
  SELECT 2::smallint, hour / ${HOURS_PER_DAY}, ${COUNTED_BY_INSTANCE}, ${noOthers}, ${SUMS}
  FROM gone WHERE i IS NOT NULL GROUP BY hour / ${HOURS_PER_DAY}`;

const addToCounts = (sums: string) => `
sums AS (${sums}),
counted AS (
  INSERT INTO audit_count AS c (tenant_id, grain, ${KEY_NAMES}, bucket, n, ok)
  SELECT t.tenant_id, s.grain, ${KEYS.map(({ key }) => `s.${key}`).join(', ')}, s.bucket, s.n, s.ok
  FROM tenant t CROSS JOIN sums s WHERE t.tenant_id = $1::int
  ORDER BY s.grain, ${KEYS.map(({ key }) => `s.${key}`).join(', ')}, s.bucket
  ON CONFLICT (tenant_id, grain, ${KEY_NAMES}, bucket) DO UPDATE SET n = c.n + excluded.n, ok = c.ok + excluded.ok)
SELECT t.tenant_id FROM tenant t WHERE t.tenant_id = $1::int`;

/**
 * Moves a tenant's deltas into its counts in one statement, so that a reader sees each delta in exactly one of the two
 * places. Deltas with a value that is newer than the numbering are put back for the next run.
 */
const FOLD = `
WITH numbered AS (
  DELETE FROM audit_delta x WHERE x.tenant_id = $1::int RETURNING ${NUMBERED_ROWS}),
late AS (
  INSERT INTO audit_delta (tenant_id, hour, n, ok, ${COUNTED_COLUMNS})
  SELECT t.tenant_id, hour, n, ok, ${COUNTED_COLUMNS} FROM tenant t CROSS JOIN numbered
  WHERE t.tenant_id = $1::int AND NOT ${HAS_NUMBERS}),${GONE},
changed AS (
  INSERT INTO audit_unindexed AS u (tenant_id, hour, changed_at)
  SELECT t.tenant_id, h.hour, statement_timestamp() FROM tenant t CROSS JOIN (SELECT DISTINCT hour FROM gone) h
  WHERE t.tenant_id = $1::int
  ON CONFLICT (tenant_id, hour) DO UPDATE SET changed_at = excluded.changed_at),
${addToCounts(`${SUMS_BY_KEYS}
  UNION ALL ${SUMS_BY_INSTANCE}`)}`;

/** Adds rows `x` of `rows` to the counts by instance alone. $1 is the tenant. */
export const addByInstance = (rows: string): string => `
WITH numbered AS (
  SELECT ${NUMBERED_ROWS} FROM (${rows}) x),${GONE},
${addToCounts(SUMS_BY_INSTANCE)}`;

/**
 * Folds the deltas of a tenant that this transaction sees. The caller must have the tenant's turn.
 * @returns the number of values that got a number
 */
export async function foldTenant(tx: Prisma.TransactionClient, tenantId: number): Promise<number> {
  let numbered = 0;
  for (const statement of NUMBER_VALUES) numbered += await tx.$executeRawUnsafe(statement, tenantId);
  await tx.$executeRawUnsafe(FOLD, tenantId);
  return numbered;
}

/** Autovacuum looks at a table once a minute. Until then, values of a new tenant were all read for each delta. */
const ANALYZE_MS = 60_000;

/** Deltas of a tenant that wait to be folded. */
interface Waiting {
  readonly tenant_id: number;
  readonly deltas: number;
}

/**
 * Says when a tenant's deltas are folded. While batches keep coming, they are folded together: what several of them add
 * to a count is then written once. Deltas do not become so many that reads take long to add them up.
 */
class FoldTurns {
  /** The time of a tenant's last fold, and the number of its deltas at the last look after it. */
  readonly #last = new Map<number, { readonly at: number; deltas: number }>();

  constructor(
    private readonly restMs: number,
    private readonly nowMs: () => number,
  ) {}

  /** @returns the tenants to fold now */
  due(waiting: readonly Waiting[]): number[] {
    const now = this.nowMs();
    for (const [tenantId, { at }] of this.#last) if (now - at >= this.restMs) this.#last.delete(tenantId);
    return waiting.filter((one) => this.#isDue(one)).map(({ tenant_id }) => tenant_id);
  }

  folded(tenantId: number): void {
    if (this.restMs > 0) this.#last.set(tenantId, { at: this.nowMs(), deltas: 0 });
  }

  #isDue({ tenant_id, deltas }: Waiting): boolean {
    const last = this.#last.get(tenant_id);
    if (!last || deltas >= LIMITS.foldDeltas || deltas === last.deltas) return true;
    last.deltas = deltas;
    return false;
  }
}

/** Folds deltas into counts. Any number of instances may run it: a tenant that another instance folds is skipped. */
export class Folder {
  readonly #rounds: TenantRounds;
  readonly #turns: FoldTurns;
  /** Values numbered since the planner's statistics were last taken here. */
  #numbered = 0;
  #analyzedAt = Number.NEGATIVE_INFINITY;

  /** @param restMs how long a tenant whose batches keep coming is not folded again */
  constructor(
    private readonly owner: OwnerDoor,
    restMs = 0,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#rounds = new TenantRounds(owner);
    this.#turns = new FoldTurns(restMs, nowMs);
  }

  /** @returns the number of tenants whose turn did not come in this run */
  async run(): Promise<number> {
    const waiting = await this.#rounds.ask((of) =>
      this.owner.models.$queryRawUnsafe<Waiting[]>(
        `SELECT tenant_id, count(*)::int AS deltas FROM audit_delta WHERE ${of('tenant_id')} GROUP BY tenant_id`,
      ),
    );
    const due = this.#turns.due(waiting);
    for (const tenantId of due.slice(0, TENANTS_PER_RUN))
      await this.#rounds.attempt(tenantId, () => this.#fold(tenantId));
    this.#rounds.end();
    await this.#analyze();
    return Math.max(0, due.length - TENANTS_PER_RUN);
  }

  /** Tells the planner of new values, so that it looks them up by their own index. If it fails, autovacuum does it later. */
  async #analyze(): Promise<void> {
    if (this.#numbered === 0 || performance.now() - this.#analyzedAt < ANALYZE_MS) return;
    [this.#numbered, this.#analyzedAt] = [0, performance.now()];
    await this.owner.models.$executeRawUnsafe('ANALYZE audit_dim').catch(() => {});
  }

  async #fold(tenantId: number): Promise<void> {
    await this.owner.models.$transaction(
      async (tx) => {
        if (await tryTurn(stepIn(tx), 'folding', tenantId)) this.#numbered += await foldTenant(tx, tenantId);
      },
      { timeout: 60_000, maxWait: 10_000 },
    );
    this.#turns.folded(tenantId);
  }
}
