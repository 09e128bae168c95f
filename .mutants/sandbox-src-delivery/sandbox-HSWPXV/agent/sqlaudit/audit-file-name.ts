import { basename } from 'node:path';

/** What the name of a file states about the audit that wrote it. */
interface AuditFileName {
  /** Name and GUID of the server audit, in lower case. Files with the same value continue each other. */
  readonly audit: string;
  /** FILETIME when the file was begun. */
  readonly created: bigint;
}

// An audit's name may hold underscores, so the name is read from its end.
const AUDIT_FILE = /^(.*)_([0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12})_\d+_(\d{17,19})\.sqlaudit$/i;

/** @returns null for a name that SQL Server does not give an audit file */
export function parseAuditFileName(path: string): AuditFileName | null {
  const [, name, guid, created] = AUDIT_FILE.exec(basename(path)) ?? [];
  if (name === undefined || guid === undefined || created === undefined) return null;
  return { audit: `${name}_${guid}`.toLowerCase(), created: BigInt(created) };
}
