import { Prisma } from '../../../database/clients';
import type { TenantLookup } from '../../../database/each-tenant';
import { COLUMN_OF } from '../../../event/fields';
import type { AuditEventFilter } from '../../../event/query';
import { statementOrMark } from '../../bytes/large-statements';
import { EVENT_BYTES, whereOf } from '../../rows/event-rows';
import { HASH_BYTES } from '../evidence/merkle';
import type { ReadLimits } from './arrival-reader';
import { JOINED_COLUMNS, newBoundary } from './row-text';

const ACTION = Prisma.raw(`d.${COLUMN_OF.actionId}`);
const READ_COLUMNS = Prisma.raw(JOINED_COLUMNS.map((name) => `e.${name}`).join(', '));
const MARKED_COLUMNS = Prisma.raw(
  JOINED_COLUMNS.map((name) =>
    name === COLUMN_OF.statement ? `${statementOrMark('e')} AS ${name}` : `e.${name}`,
  ).join(', '),
);
const BYTES = Prisma.raw(EVENT_BYTES);
const TEXT_COLUMNS = Prisma.raw(JOINED_COLUMNS.map((name) => `r.${name}`).join(', '));

/** Statements of one tenant name the tenant by value, so that they stay on its node of a distributed database. */

export const sizesStatement = (tenants: readonly number[]): Prisma.Sql => Prisma.sql`
  SELECT h.tenant_id, h.size FROM audit_log_head h WHERE h.tenant_id = ANY(${[...tenants]}::int[])`;

/** Sizes of logs, and the position of each log before which every event is gone, with its seal. */
export const headsStatement = (tenants: readonly number[]): Prisma.Sql => Prisma.sql`
  SELECT h.tenant_id, h.size, coalesce(g.position, 0) AS gone, g.key_id AS gone_key, g.mac AS gone_mac
  FROM audit_log_head h LEFT JOIN audit_log_gone g ON g.tenant_id = h.tenant_id
  WHERE h.tenant_id = ANY(${[...tenants]}::int[])`;

/** Tiles of level 0, from `first` to before `end`. */
export interface TileSpan {
  readonly tenantId: number;
  readonly first: number;
  readonly end: number;
}

const TILE_COLUMNS = Prisma.raw('t.tenant_id, t.tile, t.record_ids, t.arrivals');

export const tilesStatement = ({ tenantId, first, end }: TileSpan): Prisma.Sql => Prisma.sql`
  SELECT ${TILE_COLUMNS} FROM audit_log_tile t WHERE t.tenant_id = ${tenantId}::int AND t.level = 0
    AND t.tile >= ${first}::int AND t.tile < ${end}::int ORDER BY t.tile`;

export const tilesOfSeveralStatement = (spans: readonly TileSpan[]): Prisma.Sql => Prisma.sql`
  SELECT ${TILE_COLUMNS} FROM unnest(${spans.map(({ tenantId }) => tenantId)}::int[],
      ${spans.map(({ first }) => first)}::int[], ${spans.map(({ end }) => end)}::int[]) AS x(tenant_id, first, last)
    JOIN audit_log_tile t ON t.tenant_id = x.tenant_id AND t.level = 0 AND t.tile >= x.first AND t.tile < x.last
    ORDER BY t.tenant_id, t.tile`;

/** Where the hash of an entry lies. */
export interface MarkPlace {
  readonly tenantId: number;
  readonly tile: number;
  /** The first byte, from 1. */
  readonly byte: number;
}

export const markStatement = ({ tenantId, tile, byte }: MarkPlace): Prisma.Sql => Prisma.sql`
  SELECT t.tenant_id, encode(substr(t.hashes, ${byte}::int, ${HASH_BYTES}::int), 'hex') AS mark
  FROM audit_log_tile t WHERE t.tenant_id = ${tenantId}::int AND t.level = 0 AND t.tile = ${tile}::int`;

export const marksOfSeveralStatement = (places: readonly MarkPlace[]): Prisma.Sql => Prisma.sql`
  SELECT t.tenant_id, encode(substr(t.hashes, x.byte, ${HASH_BYTES}::int), 'hex') AS mark
  FROM unnest(${places.map(({ tenantId }) => tenantId)}::int[], ${places.map(({ tile }) => tile)}::int[],
      ${places.map(({ byte }) => byte)}::int[]) AS x(tenant_id, tile, byte)
    JOIN audit_log_tile t ON t.tenant_id = x.tenant_id AND t.level = 0 AND t.tile = x.tile`;

/** The wanted records, in the order of the answer, each with its tenant. */
export interface Wanted {
  /** In hex, with or without dashes. */
  readonly ids: readonly string[];
  readonly tenants: readonly number[];
}

/**
 * Events in full by their ids, up to a number of events, and of bytes without the last event. Each row has its number
 * among the wanted records (`n`), the number of rows before the cut (`matched`), and the event as a `RowText`. Texts
 * are joined only after the cut. The bounds of the ids choose the partitions. Each id is looked up by itself
 * (`OFFSET 0`). A join might read everything between the bounds, which is the whole table when a backlog arrives beside
 * new events. The ids are one text: the driver takes longer to write an array.
 */
export function eventsStatement(
  { ids, tenants }: Wanted,
  { events, bytes, actions, hasMarks }: ReadLimits,
  of: TenantLookup,
): Prisma.Sql {
  const [lowest, highest] = boundsOf(ids);
  const list = Prisma.sql`string_to_array(${ids.join(',')}, ',')::uuid[]`;
  const isOne = tenants.every((tenant) => tenant === tenants[0]);
  const [source, isItsTenant] = isOne
    ? [
        Prisma.sql`unnest(${list}) WITH ORDINALITY AS x(record_id, place)`,
        Prisma.sql`d.tenant_id = ${of.lookup(Prisma.sql`${tenants[0]}::int`)}`,
      ]
    : [
        Prisma.sql`ROWS FROM (unnest(${[...tenants]}::int[]), unnest(${list})) WITH ORDINALITY AS x(tenant_id, record_id, place)`,
        Prisma.sql`d.tenant_id = x.tenant_id`,
      ];
  // Only ASCII is folded here. Actions with other letters are all read, and the reader compares them.
  const isWanted = actions
    ? Prisma.sql` AND (lower(${ACTION} COLLATE "C") = ANY(${[...actions]}::text[])
        OR octet_length(${ACTION}) > char_length(${ACTION}))`
    : Prisma.empty;
  return Prisma.sql`
    SELECT r.n, r.matched, r.size, r.record_id, concat_ws(${newBoundary()}::text, '', ${TEXT_COLUMNS}) AS text
    FROM (
      SELECT u.*, count(*) OVER ()::int AS matched, sum(u.size) OVER (ORDER BY u.n) - u.size AS before
      FROM (
        SELECT x.place::int - 1 AS n, e.record_id, ${hasMarks ? MARKED_COLUMNS : READ_COLUMNS},
          ${BYTES} AS size
        FROM ${source} CROSS JOIN LATERAL (
          SELECT d.* FROM audit_event d WHERE ${isItsTenant} AND d.record_id = x.record_id
            AND d.record_id >= ${lowest}::uuid AND d.record_id <= ${highest}::uuid${isWanted} OFFSET 0) e) u
      ORDER BY u.n LIMIT ${events}::int) r
    WHERE r.before <= ${bytes}::bigint ORDER BY r.n`;
}

export const passesStatement = (
  tenantId: number,
  recordId: string,
  filter: AuditEventFilter,
): Prisma.Sql => Prisma.sql`
  SELECT 1 AS passes FROM audit_event e
  WHERE e.tenant_id = ${tenantId}::int AND e.record_id = ${recordId}::uuid AND ${whereOf(filter)}`;

function boundsOf(ids: readonly string[]): [string, string] {
  let [lowest, highest] = [ids[0] ?? '', ids[0] ?? ''];
  for (const id of ids) {
    if (id < lowest) lowest = id;
    if (id > highest) highest = id;
  }
  return [lowest, highest];
}

/** The last position from which a time of arrival has to be looked for. */
export const minuteStatement = (tenantId: number, minute: number): Prisma.Sql => Prisma.sql`
  SELECT a.position FROM audit_log_arrival a WHERE a.tenant_id = ${tenantId}::int AND a.minute <= ${minute}::int
    ORDER BY a.minute DESC LIMIT 1`;

/** The event time up to which retention has removed events of a tenant; null: it has removed none. */
export const removedStatement = (tenantId: number): Prisma.Sql => Prisma.sql`
  SELECT max(r.to_time) AS until FROM retention_run r WHERE r.tenant_id = ${tenantId}::int`;

/** Tiles from `first` on that may hold records of the hours, between two ids; at most `limit` tiles. */
export const laterTilesStatement = (
  tenantId: number,
  range: { readonly hours: readonly number[]; readonly lowest: string; readonly highest: string },
  { first, limit }: { readonly first: number; readonly limit: number },
): Prisma.Sql => Prisma.sql`
  SELECT t.tile, t.record_ids FROM audit_log_tile t
  WHERE t.tenant_id = ${tenantId}::int AND t.level = 0 AND t.tile IN (
    SELECT p.tile FROM audit_log_place p WHERE p.tenant_id = ${tenantId}::int AND p.hour = ANY(${[...range.hours]}::int[])
      AND p.tile >= ${first}::int AND p.last_id >= ${range.lowest}::uuid AND p.first_id <= ${range.highest}::uuid
    GROUP BY p.tile ORDER BY p.tile LIMIT ${limit}::int)
  ORDER BY t.tile`;
