import type { IngestedEvent } from './events';

/** An event that was sent, its tenant, and its record id. Only the id comes from the API. */
export interface Stored {
  readonly tenantId: string;
  readonly recordId: string;
  readonly event: IngestedEvent;
}

export interface Term {
  readonly kind: 'word' | 'prefix' | 'phrase';
  readonly text: string;
}

/** An expression as a caller writes it, with its meaning. */
export interface WrittenFilter {
  readonly text: string;
  readonly holds: (event: IngestedEvent) => boolean;
}

/** A question before it becomes a query string. Absent parameters are undefined. */
export interface Question {
  readonly actionId?: string | undefined;
  readonly databaseName?: string | undefined;
  readonly principalName?: string | undefined;
  readonly serverInstanceName?: string | undefined;
  readonly succeeded?: boolean | undefined;
  readonly search?: readonly Term[] | undefined;
  readonly filter?: WrittenFilter | undefined;
  readonly startTime?: string | undefined;
  readonly endTime?: string | undefined;
  readonly sortBy?: string | undefined;
  readonly sortDirection?: 'asc' | 'desc' | undefined;
  readonly page: number;
  readonly pageSize: number;
}

/**
 * The specification as a filter in memory, deliberately without any code of the service. @returns the list's answer to
 * a question
 */
export function answerOf(stored: readonly Stored[], tenants: readonly string[], question: Question) {
  const found = stored.filter((it) => tenants.includes(it.tenantId) && matches(it.event, question));
  found.sort((a, b) => compareBy(a, b, question.sortBy ?? 'Timestamp'));
  if (question.sortDirection !== 'asc') found.reverse();
  const { page, pageSize } = question;
  const totalPages = Math.ceil(found.length / pageSize);
  return {
    data: found.slice((page - 1) * pageSize, page * pageSize).map(toItem),
    meta: {
      totalCount: found.length,
      page,
      pageSize,
      totalPages,
      hasPreviousPage: page > 1,
      hasNextPage: page < totalPages,
    },
  };
}

export function summaryOf(stored: readonly Stored[], tenants: readonly string[], range: Question) {
  const events = stored
    .filter((it) => tenants.includes(it.tenantId) && inRange(it.event, range))
    .filter(({ event }) => range.filter?.holds(event) ?? true)
    .map(({ event }) => event);
  const distinct = (values: readonly (string | null)[]) => new Set(values.filter(Boolean)).size;
  const times = events.map(({ eventTime }) => eventTime).sort();
  return {
    totalCount: events.length,
    successfulCount: events.filter(({ succeeded }) => succeeded).length,
    failedCount: events.filter(({ succeeded }) => !succeeded).length,
    distinctDatabases: distinct(events.map(({ databaseName }) => databaseName)),
    distinctPrincipals: distinct(events.map(({ serverPrincipalName }) => serverPrincipalName)),
    latestEventTime: times.at(-1) ?? null,
  };
}

const INTEGER_MAX = 2n ** 63n;

/** The values of the lifted fields, from what SQL Server's documentation says of them. */
export function statedOf({ actionId, additional = {} }: IngestedEvent) {
  const scalar = (name: string) => {
    const value = additional[name];
    return typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value))
      ? `${value}`
      : '';
  };
  const number = (name: string) => {
    const text = scalar(name);
    const isWhole = /^-?\d{1,30}$/.test(text) && String(BigInt(text)) === text;
    return isWhole && BigInt(text) < INTEGER_MAX && BigInt(text) >= -INTEGER_MAX ? text : null;
  };
  const text = (name: string) => (Array.from(scalar(name)).length > 512 ? null : scalar(name) || null);
  const member = text('targetServerPrincipalName') ?? text('targetDatabasePrincipalName');
  return {
    responseRows: number('responseRows'),
    affectedRows: number('affectedRows'),
    sessionId: number('sessionId'),
    transactionId: number('transactionId'),
    classType: text('classType')?.replace(/ +$/, '') || null,
    targetServerPrincipalName: text('targetServerPrincipalName'),
    targetDatabasePrincipalName: text('targetDatabasePrincipalName'),
    roleMember: ['APRL', 'DPRL'].includes(actionId.trim()) ? member : null,
  };
}

function matches(event: IngestedEvent, question: Question): boolean {
  if (question.filter && !question.filter.holds(event)) return false;
  const { actionId, databaseName, principalName, serverInstanceName, succeeded, search = [] } = question;
  if (actionId !== undefined && event.actionId !== actionId) return false;
  if (databaseName !== undefined && event.databaseName !== databaseName) return false;
  if (principalName !== undefined && event.serverPrincipalName !== principalName) return false;
  if (serverInstanceName !== undefined && event.serverInstanceName !== serverInstanceName) return false;
  if (succeeded !== undefined && event.succeeded !== succeeded) return false;
  return inRange(event, question) && search.every((term) => holds(term, textsOf(event)));
}

/** All times here have the same format, so their texts compare like the times. */
const inRange = ({ eventTime }: IngestedEvent, { startTime = '', endTime = '~' }: Question) =>
  eventTime >= startTime && eventTime < endTime;

export function textsOf(event: IngestedEvent): string[] {
  const { actionId, serverInstanceName, databaseName, schemaName, objectName, serverPrincipalName } = event;
  const { databasePrincipalName, applicationName, hostName, clientIp, sourceType, statement } = event;
  const texts = [actionId, serverInstanceName, databaseName, schemaName, objectName, serverPrincipalName];
  texts.push(databasePrincipalName, applicationName, hostName, clientIp, sourceType, statement);
  return texts.filter((text) => text !== null).map(withoutCase);
}

export function holds({ kind, text }: Term, texts: readonly string[]): boolean {
  const wanted = withoutCase(text);
  if (kind === 'phrase') return texts.some((candidate) => candidate.includes(wanted));
  const words = texts.flatMap(wordsIn);
  return words.some((word) => (kind === 'word' ? word === wanted : word.startsWith(wanted)));
}

function wordsIn(text: string): string[] {
  const words = [''];
  for (const character of text) {
    if (/^(?:[\p{Letter}\p{Number}]|\u0301|\u0307)$/u.test(character))
      words.push((words.pop() ?? '') + character);
    else words.push('');
  }
  return words.filter((word) => word !== '');
}

/** Unicode's full case folding, for the letters that these tests use. */
export const withoutCase = (text: string): string =>
  Array.from(text, (c) => ({ ß: 'ss', ẞ: 'ss', ς: 'σ', Σ: 'σ', ſ: 's' })[c] ?? c.toLowerCase()).join('');

const SORTED_BY: Readonly<Record<string, (event: IngestedEvent) => string | boolean | null>> = {
  Timestamp: (event) => event.eventTime,
  eventTime: (event) => event.eventTime,
  actionId: (event) => event.actionId,
  databaseName: (event) => event.databaseName,
  principalName: (event) => event.serverPrincipalName,
  serverPrincipalName: (event) => event.serverPrincipalName,
  succeeded: (event) => (event.succeeded ? '1' : '0'),
};
export const SORT_VALUES = Object.keys(SORTED_BY);

function compareBy(a: Stored, b: Stored, sortBy: string): number {
  const keyOf = SORTED_BY[sortBy];
  if (!keyOf) throw new Error(`no such sort: ${sortBy}`);
  const utf8 = (value: unknown) => Buffer.from(String(value ?? ''), 'utf8');
  return (
    Buffer.compare(utf8(keyOf(a.event)), utf8(keyOf(b.event))) ||
    Buffer.compare(utf8(a.recordId), utf8(b.recordId))
  );
}

function toItem({ tenantId, recordId, event }: Stored) {
  const { file, fileGuid, blockOffset, index, parts, additional, statement, ...fields } = event;
  const statementPreview = statement === null ? null : Array.from(statement).slice(0, 200).join('');
  return { recordId, tenantId, ...fields, statementPreview };
}
