import type { Attempt } from '../../caller/access-log';
import { change } from '../../caller/access-log.store';
import { nameProblems } from '../../caller/name-problems';
import type { OwnerDoor } from '../../database/clients';
import { DomainError } from '../../errors';
import type { ParameterSpecs } from '../../event/parameter-specs';
import type { Answer, Shape } from '../../event/shape';
import { toStored } from '../../store/rows/stored-text';

export const RETIRE_SOURCE_PARAMETERS = {
  tenantId: { kind: 'reference', isRequired: true },
  hostName: { kind: 'reference', isRequired: true },
  databaseName: { kind: 'reference', doc: 'Null: every source of the host.' },
  reason: { kind: 'text', isRequired: true, check: nameProblems, doc: 'Why nobody will report it any more.' },
} as const satisfies ParameterSpecs;

export const RETIRED_SOURCES = {
  name: 'RetiredSources',
  doc: 'What was retired.',
  fields: { sources: { kind: 'integer', doc: 'Sources that are retired now for this reason.' } },
} as const satisfies Shape;

export type RetiredSources = Answer<typeof RETIRED_SOURCES>;

/** Which sources to retire, and why. */
export interface Retirement {
  readonly hostName: string;
  /** Null: every source of the host. */
  readonly databaseName: string | null;
  readonly reason: string;
}

/**
 * Retires sources whose servers are gone, and writes the access log: their silence makes no alert, and everything that is
 * known of them stays. A report that comes later brings a source back.
 * @throws DomainError `not_found` when the tenant has no such source
 */
export function retireSources(
  owner: OwnerDoor,
  tenantId: number,
  { hostName, databaseName, reason }: Retirement,
  at: Date,
  attempt: Attempt,
): Promise<RetiredSources> {
  return change(
    (run) => owner.models.$transaction(run),
    attempt,
    async (tx) => {
      const sources = await tx.$executeRawUnsafe(
        RETIRE,
        ...[tenantId, toStored(hostName), databaseName === null ? null : toStored(databaseName), at, reason],
      );
      if (sources === 0) throw noSuchSource();
      return { value: { sources }, rows: sources, tenantIds: [tenantId] };
    },
  );
}

const noSuchSource = () => new DomainError('not_found', { public: 'The tenant has no such source.' });

/** A source that is retired already keeps its time. */
const RETIRE = `
UPDATE audit_source s SET retired_at = coalesce(s.retired_at, $4::timestamptz), retired_reason = $5
WHERE s.tenant_id = $1::int AND s.host_name = $2 AND ($3::text IS NULL OR s.database_name = $3::text)`;
