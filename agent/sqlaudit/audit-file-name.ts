import { basename } from 'node:path';
import { FILETIME_UNIX_EPOCH, TICKS_PER_MS } from '../../src/event/event-time';

/** What the name of a file states about the audit that wrote it. */
interface AuditFileName {
  /** Name and GUID of the server audit, in lower case. Files with the same value continue each other. */
  readonly audit: string;
  /** FILETIME when the file was begun. */
  readonly created: bigint;
}

// An audit's name may hold underscores, so the name is read from its end.
const AUDIT_FILE = /^(.*)_([0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12})_\d+_(\d{17,19})\.(?:sqlaudit|xel)$/i;
// Azure's name of a blob: SERVER/DATABASE/AUDIT/2026-11-26/09_15_02_120_0.xel. A folder RO has the events of replicas.
const AUDIT_BLOB = /^(.+)\/(\d{4}-\d\d-\d\d)(\/RO)?\/(\d\d)_(\d\d)_(\d\d)_(\d{1,3})_\d+\.xel$/i;

/** @returns null for a name that SQL Server does not give an audit file */
export function parseAuditFileName(path: string): AuditFileName | null {
  const [, name, guid, created] = AUDIT_FILE.exec(basename(path)) ?? [];
  if (name === undefined || guid === undefined || created === undefined) return null;
  return { audit: `${name}_${guid}`.toLowerCase(), created: BigInt(created) };
}

/**
 * The same of the name that a source gives a file. It may begin with folders, as in an object store: files in different
 * folders are of different audits.
 */
export function parseSourceName(name: string): AuditFileName | null {
  const slash = name.lastIndexOf('/');
  const told = parseAuditFileName(name);
  if (slash < 0 || told === null) return told ?? parseBlobName(name);
  return { ...told, audit: `${name.slice(0, slash).toLowerCase()}/${told.audit}` };
}

function parseBlobName(name: string): AuditFileName | null {
  const [, folder, day, replica = '', hour, minute, second, ms = ''] = AUDIT_BLOB.exec(name) ?? [];
  if (folder === undefined) return null;
  const begun = Date.parse(`${day}T${hour}:${minute}:${second}.${ms.padStart(3, '0')}Z`);
  if (Number.isNaN(begun)) return null;
  const created = BigInt(begun) * TICKS_PER_MS + FILETIME_UNIX_EPOCH;
  return { audit: `${folder}${replica}`.toLowerCase(), created };
}
