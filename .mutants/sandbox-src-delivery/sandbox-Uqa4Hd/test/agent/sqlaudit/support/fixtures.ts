import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AuditRecord } from '../../../../src/event/audit-record';

const ROOT = resolve(__dirname, '../../../fixtures/sqlaudit');
export const SCHEMAS = ['schema-2017', 'schema-2022'] as const;
export type SchemaName = (typeof SCHEMAS)[number];

export const fixturePaths = (schema: SchemaName): string[] =>
  readdirSync(join(ROOT, schema))
    .filter((name) => name.endsWith('.sqlaudit'))
    .sort()
    .map((name) => join(ROOT, schema, name));

export function fixtureFile(schema: SchemaName): Buffer {
  const [path] = fixturePaths(schema);
  if (path === undefined) throw new Error(`no fixture in ${schema}`);
  return readFileSync(path);
}

/** The records that a reader must return for a folder's files. */
export const expectedRecords = (schema: SchemaName): Partial<AuditRecord>[] =>
  readFileSync(join(ROOT, schema, 'expected.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Partial<AuditRecord>);

/** Path of a file that a real engine wrote and that the repository does not hold; null if it is absent. */
export function realXelPath(): string | null {
  const path = resolve(__dirname, '../../../../../shared/data/xel/TestXel_0.xel');
  return existsSync(path) ? path : null;
}
