import { actionNameOf } from '../action-names';
import { TICKS_PER_MS } from '../event-time';
import { liftedOf } from '../lifted';
import { ticksOfRecordId } from '../record-id';
import { HIDDEN, jsonOnOneLine } from '../visible-text';
import { additionalOf, type FeedEvent } from './feed-item';
import { meaningOf } from './meaning';
import { accountOf, ipOf, machineOf, present, targetOf } from './values';

/** Version 0 of the format, and of the mapping: a change of the mapping that readers notice is another one. */
const [CEF_VERSION, MAPPING_VERSION] = ['CEF:0', '1'];
const PRODUCT = 'Audit Activity';
const [SUCCEEDED, FAILED] = [3, 6];

/** The parts of a message that are not of an event. */
interface CefParts {
  readonly classId: string;
  readonly name: string;
  /** From 0, the least, to 10. */
  readonly severity: number;
  /** By the names of the dictionary. Absent values are left out. */
  readonly extension: Readonly<Record<string, unknown>>;
}

/**
 * An event as one line of the Common Event Format. Texts are whole, also where the dictionary of the format names a
 * shorter length: a statement that is cut hides what stands behind.
 */
export function toCef(feed: FeedEvent): string {
  const { event } = feed;
  const name = actionNameOf(event.actionId) ?? event.actionId;
  return cefLine({
    classId: event.actionId || 'unknown',
    name: name || 'unknown',
    severity: event.succeeded ? SUCCEEDED : FAILED,
    extension: extensionOf(feed),
  });
}

export function cefLine({ classId, name, severity, extension }: CefParts): string {
  const head = [CEF_VERSION, PRODUCT, PRODUCT, MAPPING_VERSION, classId, name, String(severity)];
  const pairs = Object.entries(present(extension)).map(
    ([key, value]) => `${key}=${inExtension(String(value))}`,
  );
  return `${head.map(inHeader).join('|')}|${pairs.join(' ')}`;
}

function extensionOf(feed: FeedEvent): Record<string, unknown> {
  const { event, position, receivedAt } = feed;
  const ip = ipOf(event.clientIp);
  const isIpv6 = ip?.includes(':') === true;
  const [source, target] = [accountOf(event.serverPrincipalName), accountOf(targetOf(feed))];
  const { sessionId, affectedRows, responseRows } = liftedOf(event);
  const additional = present(additionalOf(feed) ?? {});
  const hasAdditional = Object.keys(additional).length > 0;
  return {
    rt: String(ticksOfRecordId(event.recordId) / TICKS_PER_MS),
    externalId: event.recordId,
    cat: meaningOf(feed),
    act: actionNameOf(event.actionId),
    outcome: event.succeeded ? 'success' : 'failure',
    dvchost: machineOf(event.serverInstanceName),
    dhost: machineOf(event.serverInstanceName),
    suser: source.name,
    sntdom: source.domain,
    duser: target.name,
    dntdom: target.domain,
    src: isIpv6 ? null : ip,
    ...labelled('c6a2', 'Source IPv6 Address', isIpv6 ? ip : null),
    // SQL Server writes "local machine" in place of an address.
    shost: event.hostName ?? (ip === null ? event.clientIp : null),
    sourceServiceName: event.applicationName,
    deviceFacility: event.sourceType,
    ...labelled('cs1', 'serverInstanceName', event.serverInstanceName),
    ...labelled('cs2', 'databaseName', event.databaseName),
    ...labelled('cs3', 'schemaName', event.schemaName),
    ...labelled('cs4', 'objectName', event.objectName),
    ...labelled('cs5', 'databasePrincipalName', event.databasePrincipalName),
    ...labelled('cs6', 'additional', hasAdditional ? JSON.stringify(additional) : null),
    ...labelled('cn1', 'sessionId', sessionId),
    ...labelled('cn2', 'affectedRows', affectedRows),
    ...labelled('cn3', 'responseRows', responseRows),
    ...labelled('flexString1', 'tenantId', event.tenantId),
    ...labelled('flexNumber1', 'position', position),
    ...labelled('deviceCustomDate1', 'receivedAt', receivedAt ? Date.parse(receivedAt) : null),
    msg: event.statement,
  };
}

const labelled = (key: string, label: string, value: unknown): Record<string, unknown> =>
  value === null || value === undefined || value === '' ? {} : { [key]: value, [`${key}Label`]: label };

/** In the head, `|` ends a field; a line break cannot be there. */
const inHeader = (text: string) =>
  text
    .replace(/[\r\n]+/g, ' ')
    .replace(/[\\|]/g, '\\$&')
    .replace(HIDDEN, shown);

/** In the extension, `=` ends a key, and line breaks are written as `\n` and `\r`. */
const inExtension = (text: string) =>
  text.replace(/[\\=]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replace(HIDDEN, shown);

/** A hidden character as `\u202e`, whose backslash is escaped; a tab stays. */
const shown = (character: string) =>
  character === '\t' ? character : jsonOnOneLine(character).replaceAll('\\', '\\\\');
