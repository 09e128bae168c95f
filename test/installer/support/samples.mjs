import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../installer/build/paths.mjs';

const SAMPLES = join(ROOT, 'test/fixtures/sqlaudit');

/** Two audit files of one audit, and one file of another audit. */
export const [FIRST, SECOND] = auditFiles('schema-2022');
export const [OTHER] = auditFiles('schema-2017');

/** @returns the audit files of a folder, with the number of records in each */
function auditFiles(folder) {
  const text = readFileSync(join(SAMPLES, folder, 'expected.ndjson'), 'utf8');
  const records = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const names = [...new Set(records.map(({ file }) => file))].sort();
  return names.map((name) => ({
    path: join(SAMPLES, folder, name),
    count: records.filter(({ file }) => file === name).length,
  }));
}

/** @returns a configuration for a tenant of a service @param databases names and paths */
export function configOf({ service, tenant }, databases) {
  return {
    CentralApi: { BaseUrl: service.url, ApiKey: tenant.agentKey, TenantId: tenant.tenantId },
    EventHubPublisher: {
      Enabled: true,
      Databases: databases.map(([Name, AuditFilePath]) => ({
        Name,
        Enabled: true,
        AuditSource: { Type: 'DirectFile', DirectFile: { AuditFilePath } },
      })),
    },
  };
}
