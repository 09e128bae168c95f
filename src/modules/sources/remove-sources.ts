import type { Attempt } from '../../caller/access-log';
import { change } from '../../caller/access-log.store';
import type { OwnerDoor, Prisma } from '../../database/clients';
import { refusal } from '../../errors';
import { msOfTime } from '../../event/event-time';
import type { ParameterSpecs } from '../../event/parameter-specs';
import type { Answer, Shape } from '../../event/shape';
import { LIMITS } from '../../limits';
import { type Problem, problem } from '../../problem';
import { toStored } from '../../store/rows/stored-text';
import { SILENT_MS } from './audit-source';

export const REMOVE_SOURCES_PARAMETERS = {
  tenantId: { kind: 'reference', isRequired: true },
  reportedBefore: {
    kind: 'time',
    isRequired: true,
    isStored: true,
    doc: 'Removes sources whose last report came before this time, at least five minutes ago.',
  },
  hostName: { kind: 'reference', doc: 'Of this host only.' },
  withGaps: {
    kind: 'boolean',
    isRequired: true,
    default: false,
    doc: 'Also removes sources that have gaps, and their gaps.',
  },
} as const satisfies ParameterSpecs;

export const REMOVED_SOURCES = {
  name: 'RemovedSources',
  doc: 'What was removed.',
  fields: {
    sources: { kind: 'integer' },
    gaps: { kind: 'integer' },
    kept: {
      kind: 'integer',
      doc: `Sources with a last report before that time that stay: they have gaps, or the call has removed ${LIMITS.gapsRemovedMax} gaps; then call again.`,
    },
  },
} as const satisfies Shape;

/** A source that reports is not removed: its agent would report it again, and its number of events would be lost. */
export const silenceProblems = (reportedBefore: string, nowMs: number): Problem[] =>
  msOfTime(reportedBefore) > nowMs - SILENT_MS
    ? [problem('reportedBefore', 'out_of_range', 'must be at least five minutes ago')]
    : [];

const held = () =>
  problem(
    'withGaps',
    'refused',
    'must be false while a legal hold of the tenant is in force: what it keeps would look complete without the gaps',
  );

export type RemovedSources = Answer<typeof REMOVED_SOURCES>;

/** Which sources to remove. */
export interface Removal {
  readonly before: Date;
  readonly hostName: string | null;
  readonly withGaps: boolean;
}

/**
 * Whether a legal hold of a tenant is in force, which keeps its gaps: the held events would look complete without them.
 * A hold that is made later waits for the end of the transaction.
 */
export type AreGapsHeld = (tx: Prisma.TransactionClient, tenantId: number, at: Date) => Promise<boolean>;

/**
 * Removes sources that nobody reports any more, those with the fewest gaps first, and writes the access log. The service's
 * login may not remove gaps, because they tell of events that are missing: the owner's login does it.
 * @throws DomainError `invalid_parameter` for gaps that a legal hold keeps
 */
export function removeSources(
  owner: OwnerDoor,
  areGapsHeld: AreGapsHeld,
  tenantId: number,
  { before, hostName, withGaps }: Removal,
  attempt: Attempt,
): Promise<RemovedSources> {
  return change(
    (run) => owner.models.$transaction(run),
    attempt,
    async (tx) => {
      if (withGaps && (await areGapsHeld(tx, tenantId, attempt.at))) throw refusal([held()]);
      const host = hostName === null ? null : toStored(hostName);
      const old = await tx.$queryRawUnsafe<{ host: string; database: string; gaps: number }[]>(
        OLD_SOURCES,
        ...[tenantId, before, host],
      );
      let gapsBefore = 0;
      const chosen = old.filter(({ gaps }, i) => {
        gapsBefore += gaps;
        return gaps === 0 || (withGaps && (i === 0 || gapsBefore <= LIMITS.gapsRemovedMax));
      });
      const removed = await tx.$queryRawUnsafe<{ host: string; database: string }[]>(
        REMOVE_SOURCES,
        ...[tenantId, before, chosen.map((one) => one.host), chosen.map((one) => one.database)],
      );
      const gaps = await tx.$executeRawUnsafe(
        REMOVE_GAPS_OF,
        ...[tenantId, removed.map((one) => one.host), removed.map((one) => one.database)],
      );
      await tx.$executeRawUnsafe(
        REMOVE_LAGS_OF,
        ...[tenantId, removed.map((one) => one.host), removed.map((one) => one.database)],
      );
      const value = { sources: removed.length, gaps, kept: old.length - chosen.length };
      return { value, rows: removed.length, tenantIds: [tenantId] };
    },
  );
}

const OLD_SOURCES = `
SELECT s.host_name AS host, s.database_name AS database, count(g.gap_id)::int AS gaps
FROM audit_source s LEFT JOIN audit_gap g
  ON g.tenant_id = s.tenant_id AND g.host_name = s.host_name AND g.database_name = s.database_name
WHERE s.tenant_id = $1::int AND s.last_reported < $2::timestamptz AND ($3::text IS NULL OR s.host_name = $3::text)
GROUP BY s.host_name, s.database_name ORDER BY 3, 1, 2`;

/** A report that comes meanwhile has a later time: its source stays. */
const REMOVE_SOURCES = `
DELETE FROM audit_source s WHERE s.tenant_id = $1::int AND s.last_reported < $2::timestamptz
  AND (s.host_name, s.database_name) IN (SELECT * FROM unnest($3::text[], $4::text[]))
RETURNING s.host_name AS host, s.database_name AS database`;

const REMOVE_GAPS_OF = `
DELETE FROM audit_gap g WHERE g.tenant_id = $1::int
  AND (g.host_name, g.database_name) IN (SELECT * FROM unnest($2::text[], $3::text[]))`;

const REMOVE_LAGS_OF = `
DELETE FROM audit_source_lag l WHERE l.tenant_id = $1::int
  AND (l.host_name, l.database_name) IN (SELECT * FROM unnest($2::text[], $3::text[]))`;
