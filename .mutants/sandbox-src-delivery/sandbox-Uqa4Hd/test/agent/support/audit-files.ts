import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeFiles } from '../../../agent/sqlaudit/decode-files';
import type { AuditRecord } from '../../../src/event/audit-record';

const GUID_AT = 8;

/** The bytes of an audit file under another identity. */
export function withNewGuid(path: string): Buffer {
  const bytes = readFileSync(path);
  randomBytes(16).copy(bytes, GUID_AT);
  return bytes;
}

/** Name of the n-th file of one server audit. */
export const auditFileName = (n: number): string =>
  `Made_AAAAAAAA-0000-4000-8000-00000000000A_0_${134_000_000_000_000_000n + BigInt(n) * 10_000n}.sqlaudit`;

/** Writes files of one server audit, each of its own identity. @returns their paths, the oldest first */
export function makeAuditFiles(folder: string, models: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const path = join(folder, auditFileName(n));
    writeFileSync(path, withNewGuid(models[n % models.length] ?? ''));
    return path;
  });
}

/** The records of audit files, by natural key. */
export async function recordsOf(paths: readonly string[]): Promise<Map<string, AuditRecord>> {
  const records = new Map<string, AuditRecord>();
  for await (const item of decodeFiles(paths))
    if (item.kind === 'record') records.set(keyOf(item.record), item.record);
  return records;
}

export const keyOf = ({ fileGuid, blockOffset, index }: Omit<AuditRecord, 'file'>): string =>
  `${fileGuid} ${blockOffset} ${index}`;
