import { formatTicks, parseTicks, TICKS_PER_MS } from '../../../src/event/event-time';
import { AUDIT_STOPPED, TRAIL_UNHEALTHY } from '../../../src/modules/compliance/own-state';
import type { Source } from '../../../src/modules/compliance/questions';
import type { Declaration, Declared } from '../../../src/modules/compliance/scope';
import type { IngestedEvent } from '../../support/events';

const HOUR_MS = 3_600_000;
export const NOW_MS = Date.UTC(2026, 5, 1, 12);
export const hoursAgo = (hours: number) => formatTicks(BigInt(NOW_MS - hours * HOUR_MS) * TICKS_PER_MS);
const dateAgo = (hours: number) => new Date(NOW_MS - hours * HOUR_MS);

/** Every group that a control of a framework asks for. */
const GROUPS = [
  ...['SUCCESSFUL_LOGIN', 'FAILED_LOGIN', 'LOGOUT', 'FAILED_DATABASE_AUTHENTICATION'],
  ...['LOGIN_CHANGE_PASSWORD', 'USER_CHANGE_PASSWORD', 'APPLICATION_ROLE_CHANGE_PASSWORD'],
  ...['SERVER_PRINCIPAL_CHANGE', 'SERVER_ROLE_MEMBER_CHANGE', 'SERVER_PRINCIPAL_IMPERSONATION'],
  ...['DATABASE_PRINCIPAL_CHANGE', 'DATABASE_ROLE_MEMBER_CHANGE', 'DATABASE_PRINCIPAL_IMPERSONATION'],
  ...['AUDIT_CHANGE', 'SERVER_STATE_CHANGE', 'SERVER_OPERATION', 'DATABASE_OPERATION', 'BACKUP_RESTORE'],
  ...['DBCC', 'TRACE_CHANGE', 'SERVER_OBJECT_CHANGE', 'DATABASE_CHANGE', 'DATABASE_OBJECT_CHANGE'],
  ...['DATABASE_OBJECT_ACCESS', 'SCHEMA_OBJECT_CHANGE', 'SCHEMA_OBJECT_ACCESS'],
  ...['SERVER_OBJECT_OWNERSHIP_CHANGE', 'DATABASE_OWNERSHIP_CHANGE', 'DATABASE_OBJECT_OWNERSHIP_CHANGE'],
  ...['SCHEMA_OBJECT_OWNERSHIP_CHANGE', 'SERVER_PERMISSION_CHANGE', 'SERVER_OBJECT_PERMISSION_CHANGE'],
  ...['DATABASE_PERMISSION_CHANGE', 'DATABASE_OBJECT_PERMISSION_CHANGE', 'SCHEMA_OBJECT_PERMISSION_CHANGE'],
].map((name) => `${name}_GROUP`);

const event = (
  hours: number,
  actionId: string,
  classType: string,
  more: Partial<IngestedEvent> = {},
): Partial<IngestedEvent> => ({
  eventTime: hoursAgo(hours),
  actionId,
  serverInstanceName: 'PAY01',
  serverPrincipalName: 'CORP\\dba.ali',
  databaseName: 'master',
  applicationName: 'PayrollWeb',
  objectName: 'Main',
  additional: { classType },
  ...more,
});
const specification = (hours: number, statement: string, more: Partial<IngestedEvent> = {}) =>
  event(
    hours,
    statement.startsWith('CREATE') ? 'CR' : 'AL',
    statement.includes('DATABASE AUDIT') ? 'DA' : 'SA',
    {
      statement,
      ...more,
    },
  );
const session = (hours: number, what: 'enabled' | 'disabled') =>
  event(hours, 'AUSC', 'A', {
    additional: {
      classType: 'A',
      additionalInformation: `<session><![CDATA[Trail$A]]></session><action>event ${what}</action>`,
    },
  });

/** When things happened, in hours before the end. */
export const HAPPENED = {
  madeAll: 600,
  tookLogins: 480,
  gaveLogins: 360,
  serverStart: 240,
  gapFrom: 200,
  gapTo: 190,
  tookAccess: 130,
  stopped: 50,
  started: 48,
} as const;

/** What two instances recorded: PAY01 with specifications that change, WEB01 without one. */
export const HISTORY: readonly Partial<IngestedEvent>[] = [
  event(400 * 24, 'LGIS', 'LX'),
  event(650, 'LGIS', 'LX'),
  session(HAPPENED.madeAll, 'enabled'),
  specification(
    HAPPENED.madeAll,
    `CREATE SERVER AUDIT SPECIFICATION Main FOR SERVER AUDIT Trail
     ${GROUPS.map((group) => `ADD (${group})`).join(', ')} WITH (STATE = ON)`,
  ),
  event(590, 'LGIF', 'LX', { succeeded: false }),
  specification(HAPPENED.tookLogins, 'ALTER SERVER AUDIT SPECIFICATION Main DROP (FAILED_LOGIN_GROUP)', {
    serverPrincipalName: 'CORP\\j.ortega',
  }),
  specification(HAPPENED.gaveLogins, 'ALTER SERVER AUDIT SPECIFICATION Main ADD (FAILED_LOGIN_GROUP)'),
  event(HAPPENED.serverStart, 'SVSR', 'SR'),
  session(HAPPENED.serverStart - 20 / 3600, 'enabled'),
  specification(
    HAPPENED.tookAccess,
    'ALTER SERVER AUDIT SPECIFICATION Main DROP (SCHEMA_OBJECT_ACCESS_GROUP)',
  ),
  specification(
    HAPPENED.tookAccess,
    'CREATE DATABASE AUDIT SPECIFICATION D FOR SERVER AUDIT Trail ADD (SCHEMA_OBJECT_ACCESS_GROUP) WITH (STATE = ON)',
    { databaseName: 'Payroll', objectName: 'D' },
  ),
  event(HAPPENED.tookAccess, 'LGIS', 'LX', { applicationName: 'sqlcmd' }),
  session(HAPPENED.stopped, 'disabled'),
  session(HAPPENED.started, 'enabled'),
  event(650, 'LGIS', 'LX', { serverInstanceName: 'WEB01' }),
  // It states no address, and no audit started after it.
  event(400, 'SVSR', 'SR', { serverInstanceName: 'WEB01', clientIp: null }),
  event(100, 'SL', 'TF', {
    serverInstanceName: 'WEB01',
    serverPrincipalName: 'CORP\\j.ortega',
    objectName: 'fn_get_audit_file',
  }),
];

const source = (hostName: string, hoursBehind: number, gaps: Source['gaps'] = []) => ({
  tenantId: '1',
  hostName,
  state: 'current',
  lastReported: hoursAgo(0),
  lastEventTime: hoursAgo(0),
  lagSeconds: hoursBehind * 3_600,
  completeThrough: hoursAgo(hoursBehind),
  gaps,
});
/** The agent of WEB01 has published nothing for three hours. */
export const SOURCES = [
  source('PAY01', 0, [
    {
      fileName: 'Trail_0.sqlaudit',
      afterTime: hoursAgo(HAPPENED.gapFrom),
      beforeTime: hoursAgo(HAPPENED.gapTo),
      firstReported: hoursAgo(HAPPENED.gapFrom),
    },
  ]),
  source('WEB01', 3),
];

/** The newest first. */
export const VERIFICATIONS = [
  { endedAt: new Date(hoursAgo(40)), entries: 900, wrong: 1, problem: null },
  { endedAt: new Date(hoursAgo(310)), entries: 500, wrong: 0, problem: null },
];

const declared = (declaration: Declared, serverInstanceName: string | null): Declaration => ({
  ...declaration,
  declarationId: '11111111-1111-8111-8111-111111111111',
  serverInstanceName,
  reason: 'as agreed',
  validFrom: dateAgo(700),
  validUntil: null,
  createdBy: 'operator',
  createdAt: dateAgo(700),
});
export const DECLARATIONS: readonly Declaration[] = [
  declared({ kind: 'auditor', principalName: 'CORP\\dba.ali' }, null),
  declared({ kind: 'application', applicationName: 'PayrollWeb' }, null),
  declared(
    { kind: 'sensitive', databaseName: 'Payroll', schemaName: 'dbo', objectName: 'Employees' },
    'PAY01',
  ),
];

const alert = (
  at: number,
  answered: number,
  ruleId: string,
  group: object,
  instances: readonly string[] = [],
) => {
  const ticks = parseTicks(hoursAgo(at)) ?? 0n;
  return {
    rule: { ruleId, groupValues: JSON.stringify(group), instances: [...instances] },
    createdAt: dateAgo(at),
    answeredAt: dateAgo(answered),
    events: { firstEvent: ticks, lastEvent: ticks },
  };
};
/** Alerts of PAY01, each with when it came and when somebody answered it. */
export const ALERTS = [
  alert(310, 305, 'a1b2c3d4-0000-8000-8000-000000000001', {}, ['PAY01']),
  alert(193, 190, TRAIL_UNHEALTHY, { host: 'PAY01', problem: 'A part of the trail is missing' }),
  alert(150, 100, 'a1b2c3d4-0000-8000-8000-000000000001', {}, ['PAY01']),
  alert(60, 59, TRAIL_UNHEALTHY, { host: 'PAY01', problem: 'The clock of an agent is 400 seconds ahead' }),
  alert(HAPPENED.stopped, 49.5, AUDIT_STOPPED[0] as string, {}, ['PAY01']),
];
