import { floorOfHour } from '../counts/scope';
import { tryTurn } from '../counts/turns';
import type { PrismaClient } from '../database';
import { DISTINCT_WORDS, singleOf } from './index-words';

const HOURS_PER_STEP = 24;
const TENANTS_PER_RUN = 50;

/** Hour by hour: without the OFFSET PostgreSQL may join the hours with all events the tenant has. */
const EVENTS = `SELECT h.hour, r.search_text FROM unnest($2::int[]) AS h(hour) CROSS JOIN LATERAL (
    SELECT e.search_text FROM audit_event e WHERE e.tenant_id = $1::int
      AND e.record_id >= ${floorOfHour('h.hour')} AND e.record_id < ${floorOfHour('(h.hour + 1)')} OFFSET 0) r`;

/** In one statement, so that the segment's count and its words are of the same events. */
const INDEX = `
WITH event AS MATERIALIZED (${EVENTS}),
word AS MATERIALIZED (
  SELECT e.hour, w.word, count(*)::int AS n FROM event e CROSS JOIN LATERAL (${DISTINCT_WORDS}) w GROUP BY 1, 2),
several AS (
  INSERT INTO audit_word (tenant_id, word, hour, n)
  SELECT $1::int, word, hour, n FROM word WHERE n > 1 ORDER BY word, hour)
INSERT INTO audit_segment (tenant_id, hour, n, singles)
SELECT $1::int, t.hour, t.n, coalesce(s.singles, '{}') FROM
  (SELECT hour, count(*)::int AS n FROM event GROUP BY hour) t
  LEFT JOIN (SELECT hour, array_agg(${singleOf('$1::int', 'word')}) AS singles FROM word WHERE n = 1 GROUP BY hour) s
    ON s.hour = t.hour`;

/**
 * Keeps the search index up with what is stored. It may trail: searches read what is not indexed yet. An hour is
 * indexed when nothing was stored in it for a while, so that a busy hour is not indexed over and over.
 */
export class Indexer {
  /** @param quietMs how long an hour must have been unchanged */
  constructor(
    private readonly prisma: PrismaClient,
    private readonly quietMs: number,
  ) {}

  /** @returns how many hours were indexed; 0 when there is nothing to do now */
  async run(): Promise<number> {
    const tenants = await this.prisma.$queryRaw<{ tenant_id: number }[]>`
      SELECT DISTINCT tenant_id FROM audit_unindexed
      WHERE changed_at < now() - ${this.quietMs} * interval '1 millisecond' LIMIT ${TENANTS_PER_RUN}`;
    let hours = 0;
    for (const { tenant_id } of tenants) hours += await this.#index(tenant_id);
    return hours;
  }

  #index(tenantId: number): Promise<number> {
    return this.prisma.$transaction(
      async (tx) => {
        if (!(await tryTurn(tx, 'indexing', tenantId))) return 0;
        // Taken off the list first: a change from here on puts the hour back, after this transaction. Hours that are
        // being put on it just now are passed over: waiting for them could be waiting in a circle.
        const due = await tx.$queryRawUnsafe<{ hour: number }[]>(
          `DELETE FROM audit_unindexed WHERE tenant_id = $1::int AND hour IN (
             SELECT hour FROM audit_unindexed WHERE tenant_id = $1::int
               AND changed_at < now() - $2 * interval '1 millisecond' ORDER BY hour LIMIT ${HOURS_PER_STEP}
               FOR UPDATE SKIP LOCKED)
           RETURNING hour`,
          tenantId,
          this.quietMs,
        );
        const hours = due.map(({ hour }) => hour);
        await tx.$executeRawUnsafe(
          'DELETE FROM audit_word WHERE tenant_id = $1::int AND hour = ANY($2::int[])',
          tenantId,
          hours,
        );
        await tx.$executeRawUnsafe(
          'DELETE FROM audit_segment WHERE tenant_id = $1::int AND hour = ANY($2::int[])',
          tenantId,
          hours,
        );
        await tx.$executeRawUnsafe(INDEX, tenantId, hours);
        return hours.length;
      },
      { timeout: 120_000, maxWait: 10_000 },
    );
  }
}
