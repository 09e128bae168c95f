import { canBeStored } from '../../event/parse-parameters';
import { LIMITS } from '../../limits';
import { type Problem, problem } from '../../problem';
import type { ObjectAction } from './audit-statement';

/** A specification as the catalog of a server has it. */
export interface SnapshotSpecification {
  readonly name: string;
  /** Null: it is of the whole server. */
  readonly database: string | null;
  readonly audit: string;
  readonly auditIsOn: boolean;
  readonly isOn: boolean;
  /** Action groups, in capitals. */
  readonly groups: readonly string[];
  readonly actions: readonly ObjectAction[];
}

/** The specifications of a server, and of the database in which the question was asked. */
export interface Snapshot {
  readonly databaseName: string;
  readonly specifications: readonly SnapshotSpecification[];
}

interface Read {
  readonly serverInstanceName: string;
  readonly takenAt: string;
  readonly snapshot: Snapshot;
}

const FIELD = 'snapshot';
const wrong = (says: string): readonly Problem[] => [problem(FIELD, 'malformed', says)];

/** Reads the answer to the question of docs/compliance.md, which is JSON. @returns what is wrong with it, or its parts */
export function readSnapshot(text: string): { readonly problems: readonly Problem[] } | Read {
  let given: unknown;
  try {
    // sqlcmd breaks long answers into lines.
    given = JSON.parse(text.replace(/\r?\n/g, ''));
  } catch {
    return { problems: wrong('must be the JSON that the question of the documents answers') };
  }
  const { serverInstanceName, takenAt, databaseName, details = [] } = asObject(given);
  if (!isText(serverInstanceName)) return { problems: wrong('must have serverInstanceName') };
  if (!isText(databaseName)) return { problems: wrong('must have databaseName') };
  if (!isText(takenAt) || !canBeStored(takenAt)) return { problems: wrong('must have a time takenAt') };
  if (!Array.isArray(details) || details.length > LIMITS.snapshotRowsMax)
    return { problems: wrong(`must have details, at most ${LIMITS.snapshotRowsMax}`) };
  const specifications = new Map<
    string,
    SnapshotSpecification & { groups: string[]; actions: ObjectAction[] }
  >();
  for (const [i, row] of details.map(asObject).entries()) {
    const { specification, audit, auditIsOn, isOn, action = null } = row;
    const database = textOrNull(row.database);
    if (
      !isText(specification) ||
      !isText(audit) ||
      typeof auditIsOn !== 'boolean' ||
      typeof isOn !== 'boolean'
    )
      return {
        problems: wrong(
          `must have specification, audit, auditIsOn and isOn in each of its details: row ${i + 1}`,
        ),
      };
    const key = JSON.stringify([database, specification]);
    const known = specifications.get(key) ?? {
      name: specification,
      database,
      audit,
      auditIsOn,
      isOn,
      groups: [],
      actions: [],
    };
    specifications.set(key, known);
    if (!isText(action)) continue;
    const name = action.trim().toUpperCase();
    if (name.endsWith('_GROUP')) known.groups.push(name);
    else
      known.actions.push({
        action: name,
        schemaName: textOrNull(row.schemaName),
        objectName: textOrNull(row.objectName),
        by: textOrNull(row.by) ?? 'public',
      });
  }
  return {
    serverInstanceName,
    takenAt,
    snapshot: { databaseName, specifications: [...specifications.values()] },
  };
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= LIMITS.filterCharsMax;
const textOrNull = (value: unknown): string | null => (isText(value) ? value : null);
const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
