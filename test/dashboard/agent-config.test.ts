import { configFile } from '../../agent/config/config-schema';
import { COMMANDS, configOf, PATHS, sampleCommand } from '../../dashboard/src/first-run/agent-config';

const WISH = {
  baseUrl: 'https://audit.example.com',
  tenantId: '7',
  kind: 'key',
  secret: 'aag_x',
  database: 'Payroll',
  path: PATHS.windows,
} as const;

describe('the configuration of an agent that the dashboard shows', () => {
  it('is one that the agent takes', () => {
    expect(configFile.parse(JSON.parse(configOf(WISH)))).toMatchObject({
      CentralApi: { BaseUrl: 'https://audit.example.com', ApiKey: 'aag_x', TenantId: '7' },
      EventHubPublisher: {
        Databases: [
          { Name: 'Payroll', AuditSource: { DirectFile: { AuditFilePath: 'D:\\Audit\\*.sqlaudit' } } },
        ],
      },
    });
  });

  it('has a token and the name of the host for many hosts', () => {
    expect(JSON.parse(configOf({ ...WISH, kind: 'token' }))).toMatchObject({
      CentralApi: { EnrollToken: 'aag_x' },
      EventHubPublisher: { Databases: [{ Name: '%COMPUTERNAME% Payroll' }] },
    });
    expect(configOf({ ...WISH, kind: 'token' })).not.toContain('ApiKey');
  });

  it('keeps a name with quotes and line breaks within its text, also in the command for samples', () => {
    const database = `a"b\nJSON\nrm -rf /`;
    const [, config = ''] =
      /<<'JSON'\n(.*)\nJSON\n/s.exec(sampleCommand(configOf({ ...WISH, database }))) ?? [];
    expect(JSON.parse(config).EventHubPublisher.Databases[0].Name).toBe(database);
  });

  it('comes with commands that have no secret in them', () => {
    for (const commands of Object.values(COMMANDS)) {
      expect(commands).toContain('agent.json');
      expect(commands).not.toMatch(/APIKEY|ENROLLTOKEN/);
      // Of the file, only the agent keeps the secret.
      expect(commands).toMatch(/^(del|rm) agent\.json$/m);
    }
  });
});
