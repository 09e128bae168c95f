import { allEqual, type Expression } from '../../event/expression/expression';
import { matches } from '../../event/expression/matches';
import { onOneLine } from '../../event/visible-text';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';

/** What is declared sensitive; null: all of it. */
export interface SensitiveObject {
  readonly serverInstanceName: string | null;
  readonly databaseName: string;
  readonly schemaName: string | null;
  readonly objectName: string | null;
}

const SHOWN_MAX = 20;

/** The objects that a tenant has declared sensitive. */
export class DeclaredSensitive {
  /** A condition that every event on one of the objects satisfies, and no other. */
  readonly expression: Expression;

  constructor(private readonly objects: readonly SensitiveObject[]) {
    this.expression = { kind: 'or', of: objects.flatMap((one) => conditionOf(one) ?? []) };
  }

  has(event: StoredAuditEvent): boolean {
    return matches(this.expression, event);
  }

  /** The objects, as a reader of the report sees them. */
  get text(): string {
    const names = this.objects.map(({ serverInstanceName, databaseName, schemaName, objectName }) =>
      [...(serverInstanceName === null ? [] : [serverInstanceName]), databaseName, schemaName, objectName]
        .filter((part) => part !== null)
        .join('.'),
    );
    const further = names.length > SHOWN_MAX ? [`and ${names.length - SHOWN_MAX} more`] : [];
    return onOneLine([...names.slice(0, SHOWN_MAX), ...further].join(', '));
  }
}

function conditionOf({
  serverInstanceName,
  databaseName,
  schemaName,
  objectName,
}: SensitiveObject): Expression | null {
  return allEqual({ serverInstanceName, databaseName, schemaName, objectName }, true);
}
