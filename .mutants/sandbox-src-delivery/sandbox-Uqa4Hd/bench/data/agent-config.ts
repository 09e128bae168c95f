import { join } from 'node:path';

/** The configuration of an agent that publishes the audit files of a folder. */
export const agentConfig = (url: string, key: string, tenantId: string, folder: string): string =>
  JSON.stringify({
    CentralApi: { BaseUrl: url, ApiKey: key, TenantId: tenantId },
    EventHubPublisher: {
      Enabled: true,
      Databases: [
        {
          Name: 'Bench',
          Enabled: true,
          AuditSource: { Type: 'DirectFile', DirectFile: { AuditFilePath: join(folder, '*.sqlaudit') } },
        },
      ],
    },
  });
