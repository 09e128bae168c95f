/** What an agent is told: the service, who it is, and what it reads. */
export interface AgentWish {
  /** Address of the service. */
  readonly baseUrl: string;
  readonly tenantId: string;
  /** A key of one host, or a token with which each of many hosts fetches a key of its own. */
  readonly kind: 'key' | 'token';
  readonly secret: string;
  readonly database: string;
  readonly path: string;
}

export type System = 'windows' | 'linux';

export const PATHS: Readonly<Record<System, string>> = {
  windows: 'D:\\Audit\\*.sqlaudit',
  linux: '/var/opt/mssql/audit/*.sqlaudit',
};

/** The whole configuration of an agent, as a text. */
export function configOf({ baseUrl, tenantId, kind, secret, database, path }: AgentWish): string {
  const given = kind === 'key' ? { ApiKey: secret, TenantId: tenantId } : { EnrollToken: secret };
  return JSON.stringify(
    {
      CentralApi: { BaseUrl: baseUrl, ...given },
      EventHubPublisher: {
        Databases: [
          {
            // A name is one of the service: many hosts need one each.
            Name: kind === 'key' ? database : `%COMPUTERNAME% ${database}`,
            AuditSource: { Type: 'DirectFile', DirectFile: { AuditFilePath: path } },
          },
        ],
      },
    },
    null,
    2,
  );
}

/** The commands that install an agent with `agent.json`, which lies where they are run. */
export const COMMANDS: Readonly<Record<System, string>> = {
  windows: [
    'install-agent.cmd /l*v %TEMP%\\agent.log CONFIGFILE="%CD%\\agent.json"',
    'del agent.json',
    'cd "C:\\Program Files\\Agent EventHub Publisher"',
    'audit-agent check --config "C:\\ProgramData\\Agent EventHub Publisher\\config.json"',
  ].join('\n'),
  linux: [
    'apt-get install ./audit-agent_*_amd64.deb',
    'audit-agent configure --stdin --config /etc/audit-agent/config.json <agent.json',
    'rm agent.json',
    'audit-agent check --config /etc/audit-agent/config.json',
    'systemctl enable --now audit-agent',
  ].join('\n'),
};

export const SAMPLE_PATH = 'test/fixtures/sqlaudit/schema-2022/*.sqlaudit';
/** The command that publishes the sample files of a checkout. */
export const sampleCommand = (config: string): string =>
  `cat >sample-agent.json <<'JSON'\n${config}\nJSON\nnode scripts/audit-agent.mjs run --once --config sample-agent.json`;
