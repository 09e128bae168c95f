import { SCOPE_NAMES, SCOPES } from '../../../src/caller/scopes';
import { RECORD_FIELDS } from '../../../src/event/fields';
import { aGap, aReport } from '../../support/audit-sources';
import { anEvent, type IngestedEvent } from '../../support/events';
import type { TestTenant } from '../../support/world';

/** The scopes of the tenants' own keys. */
export const READ = SCOPE_NAMES.filter((name) => SCOPES[name].status === 'Active');
/** The id of the shipped rule that one event of each tenant matches. */
export const OUTGOING_ACCESS = '1d8fb80d-df19-4a1f-a09e-9bb45628f11d';

/** The words that mark a tenant's values. */
export interface Marks {
  /** The mark in texts of events that callers also ask for. */
  readonly event: string;
  /** The mark in statements, which no call asks for and no operator sees. */
  readonly statement: string;
  /** The mark in what operators see: names of tenants and keys, reports of agents. */
  readonly admin: string;
}

/** A tenant whose every value is marked. */
export interface MarkedTenant {
  readonly tenant: TestTenant;
  readonly marks: Marks;
  /** The stored events. */
  readonly events: readonly IngestedEvent[];
  readonly report: object;
  readonly recordIds: readonly string[];
  readonly alertIds: readonly string[];
  /** The id of a run of a report. */
  readonly runId: string;
  readonly incidentIds: readonly string[];
  readonly findingIds: readonly string[];
  readonly backtestId: string;
  readonly keyIds: readonly string[];
  readonly destinationId: string;
  readonly holdId: string;
  readonly packageId: string;
  /** The name of its file of a sealed week. */
  readonly fileName: string;
  /** Record ids and leaf hashes of the evidence log, in hexadecimal. */
  readonly logged: readonly string[];
}

export const marksOf = (name: string): Marks => ({
  event: `evt${name}`,
  statement: `stm${name}`,
  admin: `adm${name}`,
});

/** The time of the events that retention has removed. */
export const OLD = '2001-03-04T05:06:07.0000000Z';
/** The beginning of the times of the events that lie in a file. */
export const SEALED = '2026-01-02T08:00:00Z';
const ACTION_CHARS = 16;

/** @param count number of events to keep, and of old events that retention removes */
export function markedEvents(
  { event, statement }: Marks,
  count: { readonly kept: number; readonly old: number },
): IngestedEvent[] {
  const names = RECORD_FIELDS.filter((field) => !['succeeded', 'eventTime', 'actionId'].includes(field));
  const texts = Object.fromEntries(names.map((name) => [name, `${event} ${name}`]));
  const one = (change: object) =>
    anEvent({
      ...texts,
      actionId: event.slice(0, ACTION_CHARS),
      statement: `SELECT ${statement}, ${event}`,
      sourceType: `${event} source`,
      file: `${statement}.sqlaudit`,
      additional: { [statement]: statement },
      ...change,
    });
  return [
    ...Array.from({ length: count.kept }, (_, i) =>
      one({
        succeeded: i % 2 === 0,
        ...(i > 1 && { eventTime: SEALED.replace('Z', `.${String(i).padStart(7, '0')}Z`) }),
        // A shipped rule finds this statement.
        ...(i === 0 && { statement: `SELECT ${statement}, ${event} FROM OPENROWSET('x')` }),
      }),
    ),
    ...Array.from({ length: count.old }, () => one({ eventTime: OLD })),
  ];
}

export const markedReport = ({ admin }: Marks, tenantId: string): object =>
  aReport({
    tenantId,
    hostName: `${admin}-host`,
    databaseName: `${admin}-database`,
    problem: `${admin} problem`,
    gaps: [aGap({ fileName: `${admin}.sqlaudit`, detail: `${admin} is missing` })],
  });

/**
 * Values of a tenant that another caller must not see.
 * @param isOperator whether the caller is an operator, who administers all tenants but reads no events
 */
export function secretsOf({ marks, tenant, ...of }: MarkedTenant, isOperator: boolean): string[] {
  const ofEvents = [marks.statement, ...of.logged];
  if (isOperator) return ofEvents;
  const { tenantId, key, agentKey } = tenant;
  return [
    ...ofEvents,
    marks.event,
    marks.admin,
    tenantId,
    key,
    agentKey,
    of.fileName,
    ...of.keyIds,
    ...of.recordIds,
    ...of.alertIds,
    of.runId,
    of.holdId,
    of.packageId,
    ...of.incidentIds,
    ...of.findingIds,
  ];
}

const BASE64 = /[A-Za-z0-9+/]{20,}={0,2}/g;

/** @returns the secrets that a text holds, as they are or in base64 */
export function leaksIn(text: string, secrets: readonly string[]): string[] {
  const decoded = [...text.matchAll(BASE64)].map(([found]) => Buffer.from(found, 'base64').toString('hex'));
  const all = [text, ...decoded].join('\n');
  return secrets.filter((secret) => all.includes(secret));
}
