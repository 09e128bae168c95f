import { fold } from '../../event/search';
import type { DeclaredHours } from '../../event/working-hours';
import type { Snapshot } from './snapshot';

/** A database, a schema or an object whose accesses must be recorded. Null: all within the name before. */
export interface SensitiveObject {
  readonly databaseName: string;
  readonly schemaName: string | null;
  readonly objectName: string | null;
}

/** What operators declare, by kind. */
export type Declared =
  | ({ readonly kind: 'sensitive' } & SensitiveObject)
  /** A login that may choose what is audited. */
  | { readonly kind: 'auditor'; readonly principalName: string }
  /** An application through which people and programs reach the server; `*` at its end stands for any text. */
  | { readonly kind: 'application'; readonly applicationName: string }
  /** When people work on the server, such as `Mon-Fri 07:00-19:00 Europe/Berlin`. */
  | { readonly kind: 'workingHours'; readonly workingHours: string }
  /** The server instance is not assessed. */
  | { readonly kind: 'excluded' }
  /** The specifications that a server has at a moment, which is that from which the declaration holds. */
  | { readonly kind: 'snapshot'; readonly sha256: string; readonly snapshot: Snapshot };

export type Declaration = Declared & {
  readonly declarationId: string;
  /** Null: of every server instance. */
  readonly serverInstanceName: string | null;
  readonly reason: string;
  readonly validFrom: Date;
  /** Null: it has no end. */
  readonly validUntil: Date | null;
  readonly createdBy: string;
  readonly createdAt: Date;
};

/** What is declared of one server instance at a moment. */
export interface InstanceScope {
  readonly excluded: Declaration | null;
  readonly sensitive: readonly SensitiveObject[];
  /** Whether any object of any instance is declared sensitive. Without one, nobody has said what is sensitive. */
  readonly isSensitiveKnown: boolean;
  readonly auditors: readonly string[];
  readonly applications: readonly string[];
  /** Oldest first. */
  readonly snapshots: readonly SnapshotDeclaration[];
}
export type SnapshotDeclaration = Extract<Declaration, { kind: 'snapshot' }>;

export type SensitiveOfTenant = SensitiveObject &
  Pick<Declaration, 'serverInstanceName'> & { readonly tenantId: number };

/** What is declared sensitive at a moment, on all server instances of a tenant. */
export const sensitiveOf = (
  tenantId: number,
  declarations: readonly Declaration[],
  atMs: number,
): readonly SensitiveOfTenant[] =>
  validAt(declarations, atMs).flatMap((one) => (one.kind === 'sensitive' ? [{ ...one, tenantId }] : []));

/** The working hours that are declared at a moment. */
export const workingHoursOf = (
  declarations: readonly Declaration[],
  atMs: number,
): readonly DeclaredHours[] =>
  validAt(declarations, atMs).flatMap((one) => (one.kind === 'workingHours' ? [one] : []));

const validAt = (declarations: readonly Declaration[], atMs: number) =>
  declarations.filter(
    ({ validFrom, validUntil }) =>
      validFrom.getTime() <= atMs && (validUntil === null || validUntil.getTime() > atMs),
  );

/** @param declarations of the instance's tenant @param atMs the moment */
export function scopeOf(declarations: readonly Declaration[], instance: string, atMs: number): InstanceScope {
  const valid = validAt(declarations, atMs);
  const own = valid.filter(
    ({ serverInstanceName }) => serverInstanceName === null || fold(serverInstanceName) === fold(instance),
  );
  return {
    excluded: own.find(({ kind }) => kind === 'excluded') ?? null,
    sensitive: own.flatMap((one) => (one.kind === 'sensitive' ? [one] : [])),
    isSensitiveKnown: valid.some(({ kind }) => kind === 'sensitive'),
    auditors: own.flatMap((one) => (one.kind === 'auditor' ? [one.principalName] : [])),
    snapshots: own.flatMap((one) => (one.kind === 'snapshot' ? [one] : [])),
    applications: own.flatMap((one) => (one.kind === 'application' ? [one.applicationName] : [])),
  };
}

/** Whether a name is on a list, letter case folded. */
export function isNamed(name: string, listed: readonly string[]): boolean {
  const folded = fold(name);
  return listed.some((one) =>
    one.endsWith('*') ? folded.startsWith(fold(one.slice(0, -1))) : folded === fold(one),
  );
}
