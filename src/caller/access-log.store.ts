import { type Database, Prisma, type ServiceDoor } from '../database/clients';
import { guarded } from '../database/limited';
import { ofTenants } from '../database/tenant-rows';
import { LIMITS } from '../limits';
import { oneTenant } from '../tenant-set';
import {
  type AccessEntry,
  type AccessFilter,
  type AccessLogStore,
  type Attempt,
  changeOf,
  entryIdFloor,
  type NewestEntries,
  ownAttempt,
  REFUSED,
} from './access-log';

export class PostgresAccessLogStore implements AccessLogStore {
  constructor(private readonly database: Pick<Database, 'service' | 'owner'>) {}

  async append(entries: readonly AccessEntry[]): Promise<void> {
    // Bypasses Prisma, which would process every character of a batch again. The statement touches no table with rows
    // of tenants.
    await guarded(() => this.database.service.run(INSERT, [JSON.stringify(entries)], []));
  }

  async newest(filter: AccessFilter, limit: number, after: string | null): Promise<NewestEntries> {
    const conditions = conditionsOf(filter, after);
    if (filter.search === null) return { entries: await this.#entries(conditions, limit), lookedTo: null };
    const { ids, lookedTo } = await this.#search(filter.search, conditions, limit);
    const found = Prisma.sql`entry_id = ANY(${ids}::uuid[])`;
    return { entries: ids.length === 0 ? [] : await this.#entries([found], limit), lookedTo };
  }

  #entries(conditions: readonly Prisma.Sql[], limit: number): Promise<AccessEntry[]> {
    return guarded(
      () => this.database.service.models.$queryRaw<AccessEntry[]>`
        SELECT entry_id::text AS "entryId", at, principal_kind AS "principalKind", key_id AS "keyId",
          key_name AS "keyName", user_name AS "userName", entrance, operation, parameters, subject,
          tenant_ids AS "tenantIds", row_count AS "rows", outcome, request_id AS "requestId", address
        FROM access_log ${where(conditions)} ORDER BY entry_id DESC LIMIT ${limit}`,
    );
  }

  /** Looks at a bounded number of entries, since no index leads to a text. */
  async #search(text: string, conditions: readonly Prisma.Sql[], limit: number) {
    // In JSON, as the parameters are.
    const written = JSON.stringify(text).slice(1, -1);
    const [row] = await guarded(
      () => this.database.service.models.$queryRaw<
        { n: number; last: string | null; ids: string[] | null }[]
      >`
        SELECT count(*)::int AS n, (array_agg(s.entry_id ORDER BY s.entry_id))[1]::text AS last,
          ((array_agg(s.entry_id ORDER BY s.entry_id DESC) FILTER (WHERE s.hit))[1:${limit}::int])::text[] AS ids
        FROM (
          SELECT entry_id, (position(lower(${written}) IN lower(parameters)) > 0 OR subject IS NOT DISTINCT FROM ${text})
            AS hit
          FROM access_log ${where(conditions)} ORDER BY entry_id DESC LIMIT ${LIMITS.accessLogSearchedMax}) s`,
    );
    const isBounded = (row?.n ?? 0) >= LIMITS.accessLogSearchedMax;
    return { ids: row?.ids ?? [], lookedTo: isBounded ? (row?.last ?? null) : null };
  }

  removeBefore(ms: number, limit: number): Promise<number> {
    const before = entryIdFloor(ms);
    return this.database.owner.models.$transaction(async (tx) => {
      const rows = await tx.$executeRaw`
        DELETE FROM access_log WHERE entry_id IN (
          SELECT entry_id FROM access_log WHERE entry_id < ${before}::uuid ORDER BY entry_id LIMIT ${limit})`;
      const attempt = ownAttempt('accessLogRetention', new Date(), { before: new Date(ms) });
      if (rows > 0) await insertEntries(tx, [changeOf(attempt, { rows })]);
      return rows;
    });
  }
}

function conditionsOf(filter: AccessFilter, after: string | null): readonly Prisma.Sql[] {
  const { fromMs, toMs, keyId, tenantId, operation, outcome } = filter;
  return [
    ...(fromMs === null ? [] : [Prisma.sql`entry_id >= ${entryIdFloor(fromMs)}::uuid`]),
    ...(toMs === null ? [] : [Prisma.sql`entry_id < ${entryIdFloor(toMs)}::uuid`]),
    ...(after === null ? [] : [Prisma.sql`entry_id < ${after}::uuid`]),
    ...(keyId === null ? [] : [Prisma.sql`key_id = ${keyId}`]),
    ...(tenantId === null ? [] : [Prisma.sql`tenant_ids @> ARRAY[${tenantId}::int]`]),
    ...(operation === null ? [] : [ofOperation(operation)]),
    // Added for every error code, because refused entries have an index.
    ...(outcome === null || outcome === 'ok' ? [] : [Prisma.sql`outcome <> 'ok'`]),
    ...(outcome === null || outcome === REFUSED ? [] : [Prisma.sql`outcome = ${outcome}`]),
  ];
}

/** Also finds entries of a view in which the operation stands beside another one (`access-views.ts`). */
const ofOperation = (operation: string) =>
  Prisma.sql`(operation = ${operation}
    OR (entrance = 'dashboard' AND position(${`${JSON.stringify(operation)}:[`} IN parameters) > 0))`;

const where = (conditions: readonly Prisma.Sql[]) =>
  conditions.length > 0 ? Prisma.sql`WHERE ${Prisma.join(conditions, ' AND ')}` : Prisma.empty;

type Tx = Prisma.TransactionClient;
/** A change that was made: its value, and what its entry of the access log says. */
interface Made<T> {
  readonly value: T;
  readonly subject?: string;
  readonly tenantIds?: readonly number[];
  readonly rows?: number;
}
type Outcome = Made<unknown> | string | null;
type ValueOf<O> = O extends Made<infer T> ? T : O;

/**
 * Makes a change and writes its entry of the access log, in one transaction.
 * @param begin begins the transaction
 * @param work the change. With null, or a text that says why, nothing was changed, and no entry is written
 */
export const change = <O extends Outcome>(
  begin: <R>(run: (tx: Tx) => Promise<R>) => Promise<R>,
  attempt: Attempt,
  work: (tx: Tx) => Promise<O>,
): Promise<ValueOf<O>> =>
  guarded(() =>
    begin(async (tx) => {
      const outcome: Outcome = await work(tx);
      if (outcome === null || typeof outcome === 'string') return outcome as ValueOf<O>;
      const { value, ...about } = outcome;
      await insertEntries(tx, [changeOf(attempt, about)]);
      return value as ValueOf<O>;
    }),
  );

/** Makes a change within one tenant, see `change`. */
export const changeOfTenant = <O extends Outcome>(
  service: ServiceDoor,
  tenantId: number,
  attempt: Attempt,
  work: (tx: Tx) => Promise<O>,
): Promise<ValueOf<O>> =>
  change<O>(
    (run) => ofTenants(service, oneTenant(tenantId), run),
    attempt,
    async (tx) => {
      const outcome = await work(tx);
      return outcome !== null && typeof outcome === 'object'
        ? { ...outcome, tenantIds: [tenantId] }
        : outcome;
    },
  );

/** Writes entries in the transaction of their change. */
export async function insertEntries(tx: Prisma.TransactionClient, entries: readonly AccessEntry[]) {
  await tx.$executeRawUnsafe(INSERT, JSON.stringify(entries));
}

const INSERT = `
INSERT INTO access_log (entry_id, at, principal_kind, key_id, key_name, user_name, entrance, operation,
  parameters, subject, tenant_ids, row_count, outcome, request_id, address)
SELECT x."entryId", x.at, x."principalKind", x."keyId", x."keyName", x."userName", x.entrance, x.operation,
  x.parameters, x.subject, x."tenantIds", x.rows, x.outcome, x."requestId", x.address
FROM json_to_recordset($1::json) AS x("entryId" uuid, at timestamptz, "principalKind" text, "keyId" text,
  "keyName" text, "userName" text, entrance text, operation text, parameters text, subject text, "tenantIds" int[],
  rows int, outcome text, "requestId" text, address text)
ON CONFLICT (entry_id) DO NOTHING`;
