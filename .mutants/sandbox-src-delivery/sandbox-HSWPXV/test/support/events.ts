import { randomUUID } from 'node:crypto';
import type { AuditRecord } from '../../src/event/audit-record';

/** An event as an agent sends it. */
export type IngestedEvent = Omit<AuditRecord, 'additional'> & {
  sourceType: string | null;
  additional?: Record<string, unknown>;
};

let count = 0;

/** A valid event with a new position, with the changes that a test needs. */
export function anEvent(change: Partial<IngestedEvent> = {}): IngestedEvent {
  count += 1;
  return {
    eventTime: `2026-01-05T08:00:00.${String(count % 10_000_000).padStart(7, '0')}Z`,
    actionId: 'SL',
    succeeded: true,
    serverInstanceName: 'SQLPROD01',
    databaseName: 'Payroll',
    schemaName: 'dbo',
    objectName: 'Employees',
    serverPrincipalName: 'CORP\\alice',
    databasePrincipalName: 'dbo',
    applicationName: 'PayrollWeb',
    hostName: 'APP01',
    clientIp: '10.20.30.40',
    statement: 'SELECT * FROM dbo.Employees',
    sourceType: 'DirectFile',
    file: 'Payroll_Audit.sqlaudit',
    fileGuid: randomUUID(),
    blockOffset: 5632,
    index: 0,
    parts: 1,
    additional: { sessionId: 55, classType: 'U' },
    ...change,
  };
}
