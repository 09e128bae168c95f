import type { Figures, SourceFigures } from '../metrics/figures';
import type { PrismaClient } from './database';
import { guarded } from './failure';

/** More say no more: the folding is far behind. */
const DELTAS_MAX = 100_000;

/** @param sourcesMax of how many sources to tell @throws DomainError `service_unavailable` after `deadlineMs` */
export function readFigures(prisma: PrismaClient, sourcesMax: number, deadlineMs: number): Promise<Figures> {
  return guarded(async () => {
    const [work] = await prisma.$queryRaw<
      { deltas: number; hours: number; waited: number | null; sources: number }[]
    >`
      SELECT (SELECT count(*) FROM (SELECT FROM audit_delta LIMIT ${DELTAS_MAX}) d)::int AS deltas,
        (SELECT count(*) FROM audit_unindexed)::int AS hours,
        (SELECT extract(epoch FROM now() - min(changed_at)) FROM audit_unindexed)::float8 AS waited,
        (SELECT count(*) FROM audit_source)::int AS sources`;
    const sources = await prisma.$queryRaw<SourceFigures[]>`
      SELECT tenant_id AS "tenantId", host_name AS "hostName", database_name AS "databaseName",
        extract(epoch FROM now() - last_reported)::float8 AS "reportedSeconds", caught_up_at AS "caughtUpAt",
        waiting_bytes::float8 AS "waitingBytes"
      FROM audit_source ORDER BY tenant_id, host_name, database_name LIMIT ${sourcesMax}`;
    return {
      unfoldedDeltas: work?.deltas ?? 0,
      unindexedHours: work?.hours ?? 0,
      unindexedSeconds: work?.waited ?? null,
      sourceCount: work?.sources ?? 0,
      sources,
    };
  }, deadlineMs);
}
