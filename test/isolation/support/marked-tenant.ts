import { RECORD_FIELDS } from '../../../src/event/fields';
import { aGap, aReport } from '../../support/audit-sources';
import { anEvent, type IngestedEvent } from '../../support/events';
import type { TestTenant } from '../../support/world';

/** The words by which a tenant's values are known. */
export interface Marks {
  /** In texts of events that are also asked for. */
  readonly event: string;
  /** In statements, which nobody asks for: operators see none of them. */
  readonly statement: string;
  /** In what operators see: names of tenants and keys, reports of agents. */
  readonly admin: string;
}

/** A tenant whose every value tells whose it is. */
export interface MarkedTenant {
  readonly tenant: TestTenant;
  readonly marks: Marks;
  /** Those that are stored. */
  readonly events: readonly IngestedEvent[];
  readonly report: object;
  readonly recordIds: readonly string[];
  readonly alertIds: readonly string[];
  readonly findingIds: readonly string[];
  readonly backtestId: string;
  readonly keyIds: readonly string[];
  readonly destinationId: string;
  /** In hexadecimal: record ids and leaf hashes of the evidence log. */
  readonly logged: readonly string[];
}

export const marksOf = (name: string): Marks => ({
  event: `evt${name}`,
  statement: `stm${name}`,
  admin: `adm${name}`,
});

/** Of events that retention has removed. */
export const OLD = '2001-03-04T05:06:07.0000000Z';
const ACTION_CHARS = 16;

/** @param count events to be kept, and old ones that retention removes */
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
        // A rule finds this one.
        ...(i === 0 && { statement: `SELECT ${statement}, ${event} FROM OPENROWSET('x')` }),
      }),
    ),
    ...Array.from({ length: count.old }, () => one({ eventTime: OLD })),
  ];
}

export const markedReport = ({ admin }: Marks, tenantId: string): object =>
  aReport({
    ...{
      tenantId,
      hostName: `${admin}-host`,
      databaseName: `${admin}-database`,
      problem: `${admin} problem`,
    },
    gaps: [aGap({ fileName: `${admin}.sqlaudit`, detail: `${admin} is missing` })],
  });

/**
 * Values of a tenant that somebody else must not see.
 * @param isOperator who administers all tenants, and reads no events
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
    ...of.keyIds,
    ...of.recordIds,
    ...of.alertIds,
    ...of.findingIds,
  ];
}

const BASE64 = /[A-Za-z0-9+/]{20,}={0,2}/g;

/** Which of the secrets a text holds, as they are or in base64. */
export function leaksIn(text: string, secrets: readonly string[]): string[] {
  const decoded = [...text.matchAll(BASE64)].map(([found]) => Buffer.from(found, 'base64').toString('hex'));
  const all = [text, ...decoded].join('\n');
  return secrets.filter((secret) => all.includes(secret));
}
