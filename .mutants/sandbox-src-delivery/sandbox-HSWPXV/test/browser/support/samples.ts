import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CompiledAgent } from '../../agent/support/compiled-agent';
import type { TestTenant } from '../../support/world';

const SAMPLES = path.resolve(__dirname, '../../fixtures/sqlaudit');

/** Lets the agent decode and publish the audit files of a folder for each tenant. */
export async function publishSamples(works: readonly (readonly [TestTenant, string])[]): Promise<void> {
  const agent = new CompiledAgent();
  try {
    for (const [tenant, schema] of works) {
      const { code, stderr } = await agent.run('run', '--once', '--config', await configure(tenant, schema));
      if (code !== 0) throw new Error(stderr);
    }
  } finally {
    agent.remove();
  }
}

async function configure({ world, tenantId, agentKey }: TestTenant, schema: string): Promise<string> {
  const folder = path.join(world.database.dataDir, `agent-${tenantId}`);
  await mkdir(folder, { recursive: true });
  const DirectFile = { AuditFilePath: path.join(SAMPLES, schema, '*.sqlaudit') };
  const settings = {
    CentralApi: { BaseUrl: world.service.url, ApiKey: agentKey, TenantId: tenantId },
    EventHubPublisher: { Databases: [{ Name: schema, AuditSource: { Type: 'DirectFile', DirectFile } }] },
  };
  const file = path.join(folder, 'agent.json');
  await writeFile(file, JSON.stringify(settings));
  return file;
}
