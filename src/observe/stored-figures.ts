import { KEY_KINDS } from '../caller/key-format';
import type { OwnerDoor } from '../database/clients';
import { guarded } from '../database/limited';
import { BUILD_VERSION } from '../generated/version';
import { LIMITS } from '../limits';
import type { Figures, SourceFigures } from './figures';

/** The count stops here. A larger number would only repeat that folding is far behind. */
const DELTAS_MAX = 100_000;

/** @param sourcesMax number of sources to report @throws DomainError `service_unavailable` after `deadlineMs` */
export function readFigures(owner: OwnerDoor, sourcesMax: number, deadlineMs: number): Promise<Figures> {
  return guarded(async () => {
    const [work] = await owner.models.$queryRaw<
      {
        clock: number;
        deltas: number;
        hours: number;
        waited: number | null;
        sources: number;
        gaps: number;
        problems: number;
        others: number;
        sealedWeeks: number;
        sealedBytes: number;
      }[]
    >`
      SELECT extract(epoch FROM clock_timestamp())::float8 AS clock,
        (SELECT count(*) FROM (SELECT 1 FROM audit_delta LIMIT ${DELTAS_MAX}) d)::int AS deltas,
        (SELECT count(*) FROM audit_unindexed)::int AS hours,
        (SELECT extract(epoch FROM now() - min(changed_at)) FROM audit_unindexed)::float8 AS waited,
        (SELECT count(*) FROM audit_source WHERE retired_at IS NULL)::int AS sources,
        (SELECT count(*) FROM audit_gap)::int AS gaps,
        (SELECT count(*) FROM audit_source WHERE problem IS NOT NULL AND retired_at IS NULL
          AND tenant_id NOT IN (SELECT x.tenant_id FROM tenant x WHERE x.disabled_at IS NOT NULL))::int AS problems,
        (SELECT count(*) FROM audit_source WHERE agent_version <> ${BUILD_VERSION} AND retired_at IS NULL
          AND tenant_id NOT IN (SELECT x.tenant_id FROM tenant x WHERE x.disabled_at IS NOT NULL))::int AS others,
         (SELECT count(*) FROM audit_sealed_week)::float8 AS "sealedWeeks",
         (SELECT coalesce(sum(bytes), 0) FROM audit_sealed_week)::float8 AS "sealedBytes"`;
    const clockAheadSeconds = work ? work.clock - Date.now() / 1000 : 0;
    const sources = await owner.models.$queryRaw<SourceFigures[]>`
      SELECT tenant_id AS "tenantId", host_name AS "hostName", database_name AS "databaseName",
        extract(epoch FROM now() - last_reported)::float8 AS "reportedSeconds", caught_up_at AS "caughtUpAt",
        waiting_bytes::float8 AS "waitingBytes", problem IS NOT NULL AS "hasProblem",
        (clock_ahead_ms / 1000.0)::float8 AS "clockAheadSeconds",
        (SELECT count(*) FROM audit_gap g WHERE g.tenant_id = s.tenant_id AND g.host_name = s.host_name
           AND g.database_name = s.database_name)::int AS "gapCount"
      FROM audit_source s WHERE retired_at IS NULL AND NOT (standby_since IS NOT NULL AND EXISTS (
          SELECT FROM audit_source o WHERE o.tenant_id = s.tenant_id AND o.database_name = s.database_name
            AND o.whole_files IS NOT NULL AND o.standby_since IS NULL AND o.retired_at IS NULL))
        AND tenant_id NOT IN (SELECT x.tenant_id FROM tenant x WHERE x.disabled_at IS NOT NULL) ORDER BY tenant_id, host_name, database_name LIMIT ${sourcesMax}`;
    const soon = new Date(Date.now() + LIMITS.keyExpiresSoonMs);
    // A rotated key is meant to expire, and so is an enroll token.
    const expiring = await owner.models.$queryRaw<Figures['expiringKeys']>`
      SELECT kind, count(*)::int AS count FROM api_key k
      WHERE kind <> 'enroll' AND revoked_at IS NULL AND expires_at > now() AND expires_at <= ${soon}
        AND NOT EXISTS (SELECT FROM api_key newer WHERE newer.replaces = k.key_id)
      GROUP BY kind`;
    const expiringKeys = Object.keys(KEY_KINDS)
      .filter((kind) => kind !== 'enroll')
      .map((kind) => ({
        kind,
        count: expiring.find((each) => each.kind === kind)?.count ?? 0,
      }));
    return {
      ...(await detectionFigures(owner, sourcesMax)),
      clockAheadSeconds,
      unfoldedDeltas: work?.deltas ?? 0,
      unindexedHours: work?.hours ?? 0,
      unindexedSeconds: work?.waited ?? null,
      sourceCount: work?.sources ?? 0,
      gapCount: work?.gaps ?? 0,
      problemCount: work?.problems ?? 0,
      otherVersionCount: work?.others ?? 0,
      sealedWeeks: work?.sealedWeeks ?? 0,
      sealedBytes: work?.sealedBytes ?? 0,
      expiringKeys,
      sources,
    };
  }, deadlineMs);
}

async function detectionFigures(
  owner: OwnerDoor,
  tenantsMax: number,
): Promise<Pick<Figures, 'detection' | 'openAlerts' | 'waitingNotices' | 'noticeSeconds'>> {
  const detection = await owner.models.$queryRaw<Figures['detection']>`
    SELECT p.tenant_id AS "tenantId", p.position::float8 AS position,
      greatest(0, coalesce(h.size, 0) - p.position)::float8 AS waiting
    FROM detection_position p LEFT JOIN audit_log_head h ON h.tenant_id = p.tenant_id
    ORDER BY 3 DESC, 1 LIMIT ${tenantsMax}`;
  const openAlerts = await owner.models.$queryRaw<Figures['openAlerts']>`
    SELECT status, severity, count(*)::int AS count FROM alert WHERE status IN ('new', 'acknowledged')
    GROUP BY status, severity`;
  const [notices] = await owner.models.$queryRaw<{ count: number; seconds: number | null }[]>`
    SELECT count(*)::int AS count, extract(epoch FROM now() - min(created_at))::float8 AS seconds
    FROM alert_notice WHERE sent_at IS NULL`;
  return {
    detection,
    openAlerts,
    waitingNotices: notices?.count ?? 0,
    noticeSeconds: notices?.seconds ?? null,
  };
}
