import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { type AgentConfig, parseConfig, secretsOf } from '../../agent/config/parse-config';

const PATH = '/etc/audit/agent.json';
const template = readFileSync(join(__dirname, '../../installer/config.template.json'), 'utf8');
interface Loose {
  CentralApi: Record<string, unknown>;
  EventHubPublisher: Record<string, unknown> & { Databases: Record<string, unknown>[] };
}
const changed = (change: (config: Loose) => void): string => {
  const config: Loose = JSON.parse(template);
  change(config);
  return JSON.stringify(config);
};

describe('the configuration', () => {
  it('is read as the template shows it, with the documented defaults', () => {
    const parsed = parseConfig(template, PATH);
    expect(parsed).toMatchObject({
      kind: 'config',
      warnings: [],
      config: {
        baseUrl: 'https://audit-activity.example.com',
        tenantId: null,
        enabled: true,
        pollIntervalMs: 1000,
        batchEventsMax: 1000,
        batchAgeMaxMs: 500,
        spoolBytesMax: 1024 ** 3,
        pace: { bytesPerSecond: 0, processorPercent: 100 },
        databases: [{ name: '<DATABASE_LABEL>', source: { type: 'DirectFile' } }],
      },
    });
  });

  it('is refused with every mistake at once, and no message repeats a value', () => {
    const text = changed((config) => {
      config.CentralApi = { BaseUrl: 'ftp://x', ApiKey: 'key with blank' };
      config.EventHubPublisher.PollIntervalMs = 'often';
      config.EventHubPublisher.Databases.push({
        AuditSource: { Type: 'Kafka', DirectFile: { AuditFilePath: ' ' } },
      });
    });
    const parsed = parseConfig(text, PATH);
    expect(parsed.kind === 'invalid' && parsed.problems).toEqual([
      'CentralApi.BaseUrl must be an http or https address without user, query and fragment',
      'CentralApi.ApiKey must be the key as it was shown, without blanks',
      'EventHubPublisher.PollIntervalMs expected number, received string',
      'EventHubPublisher.Databases[1].Name is missing',
      'EventHubPublisher.Databases[1].AuditSource.Type must be "DirectFile", "S3" or "AzureBlob"',
    ]);
  });

  it('names a proxy with its login, which is a secret, and certificates beside it', () => {
    const parsed = parseConfig(
      changed((config) => {
        Object.assign(config.CentralApi, { ProxyUrl: 'http://a:b@proxy.example:3128', CaFile: 'ca.pem' });
      }),
      PATH,
    );
    if (parsed.kind !== 'config') throw new Error(parsed.problems.join());
    expect(parsed.config.way).toEqual({ proxyUrl: expect.anything(), caFile: join(dirname(PATH), 'ca.pem') });
    expect(secretsOf(parsed.config).map((secret) => secret.reveal())).toContain(
      'http://a:b@proxy.example:3128',
    );
    expect(JSON.stringify(parsed.config)).not.toContain('proxy.example');
    for (const wrong of ['https://proxy:1', 'proxy:3128', 'http://proxy:3128/path', 'socks5://proxy:1'])
      expect(
        parseConfig(
          changed(({ CentralApi }) => void Object.assign(CentralApi, { ProxyUrl: wrong })),
          PATH,
        ),
      ).toMatchObject({ problems: [expect.stringMatching(/^CentralApi\.ProxyUrl must be an http address/)] });
  });

  it('has the public key for packages, as base64 or PEM, and no other key', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const other = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey;
    const spki = { type: 'spki', format: 'der' } as const;
    const base64 = publicKey.export(spki).toString('base64');
    const parsed = (Updates: object) =>
      parseConfig(
        changed((config) => void Object.assign(config, { Updates })),
        PATH,
      );
    for (const PublicKey of [base64, String(publicKey.export({ type: 'spki', format: 'pem' }))])
      expect(parsed({ PublicKey, Window: '22:00-04:00', TrialSeconds: 60 })).toMatchObject({
        config: { updates: { publicKey: PublicKey.trim(), window: '22:00-04:00', trialMs: 60_000 } },
      });
    expect(parsed({})).toMatchObject({ config: { updates: { publicKey: null, trialMs: 600_000 } } });
    for (const PublicKey of [
      'key',
      String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      other.export(spki).toString('base64'),
    ])
      expect(parsed({ PublicKey, Window: '24:00-04:00', TrialSeconds: 0 })).toMatchObject({
        problems: [
          'Updates.PublicKey must be a public Ed25519 key in Base64',
          'Updates.Window must be two times of a day, as 02:00-04:00',
          expect.stringMatching(/^Updates\.TrialSeconds /),
        ],
      });
  });

  it('is refused where two databases have the same name', () => {
    const text = changed(({ EventHubPublisher: { Databases } }) => {
      Databases.push({ ...Databases[0], Name: String(Databases[0]?.Name).toLowerCase() });
    });
    expect(parseConfig(text, PATH)).toMatchObject({
      problems: ['EventHubPublisher.Databases[1].Name is the name of another database too'],
    });
  });

  it('may hold an unknown setting: the agent warns and ignores it', () => {
    const text = changed((config) => {
      config.CentralApi.tenantid = '7';
      Object.assign(config.EventHubPublisher.Databases[0] ?? {}, { Enable: false });
    });
    expect(parseConfig(text, PATH)).toMatchObject({
      kind: 'config',
      warnings: [
        'CentralApi.tenantid is no setting of the agent and has no effect',
        'EventHubPublisher.Databases[0].Enable is no setting of the agent and has no effect',
      ],
    });
  });

  it('is refused where it is not JSON: the message names the place, and does not quote the text', () => {
    for (const text of [
      '{"CentralApi": {"ApiKey": "aak_secret"',
      '{"ApiKey": aak_secret}',
      '',
      '\uFEFF[1,\n2,]',
    ]) {
      const parsed = parseConfig(text, PATH);
      expect(parsed).toMatchObject({
        kind: 'invalid',
        problems: [expect.stringMatching(/^is not valid JSON/)],
      });
      expect(JSON.stringify(parsed)).not.toContain('aak_');
    }
  });

  it('is refused with advice where a path has single backslashes, whether or not that is valid JSON', () => {
    const withPath = (path: string) =>
      template.replace(/"AuditFilePath": ".*"/, `"AuditFilePath": "${path}"`);
    const problems = (path: string) => {
      const parsed = parseConfig(withPath(path), PATH);
      return parsed.kind === 'invalid' ? parsed.problems : [];
    };
    const hint = 'in JSON, each \\ of a path is written \\\\ (or /)';
    const notJson = expect.stringMatching(/^is not valid JSON: see line \d+, column \d+; in JSON, each/);
    expect(problems('D:\\SQLAudit\\*.sqlaudit')).toEqual([notJson]);
    expect(problems('C:\\users\\audit')).toEqual([notJson]);
    expect(problems('C:\\temp\\new')).toEqual([
      `EventHubPublisher.Databases[0].AuditSource.DirectFile.AuditFilePath holds a control character: ${hint}`,
    ]);
    expect(problems('C:\\\\temp\\\\new')).toEqual([]);
  });

  it('may begin with a byte order mark, and may write a tenant id as a number', () => {
    const text = `\uFEFF${changed((config) => {
      config.CentralApi.TenantId = 7;
    })}`;
    expect(parseConfig(text, PATH)).toMatchObject({ kind: 'config', config: { tenantId: '7' } });
  });

  it('does not show the key when it is printed', () => {
    const parsed = parseConfig(
      changed((config) => (config.CentralApi.ApiKey = 'aak_secret')),
      PATH,
    );
    expect(parsed.kind).toBe('config');
    expect(`${inspect(parsed, { depth: 9 })} ${JSON.stringify(parsed)}`).not.toContain('aak_');
  });

  const given = (change: (config: Loose) => void) => {
    const parsed = parseConfig(changed(change), PATH);
    return parsed.kind === 'config' ? parsed.config : null;
  };
  const store = (type: 'S3' | 'AzureBlob', settings: object) => (config: Loose) => {
    const own = type === 'S3' ? { Bucket: 'b' } : { Account: 'acc', Container: 'c' };
    config.EventHubPublisher.Databases = [
      { Name: 'a', AuditSource: { Type: type, [type]: { ...own, ...settings } } },
    ];
  };
  const publisher = (name: string) => (value: unknown) => (config: Loose) =>
    void Object.assign(config.EventHubPublisher, { [name]: value });

  it.each<[string, (value: unknown) => (config: Loose) => void, (config: AgentConfig) => unknown, number[]]>([
    ['PollIntervalMs', publisher('PollIntervalMs'), (c) => c.pollIntervalMs, [10, 3_600_000, 1_000]],
    ['BatchMaxEvents', publisher('BatchMaxEvents'), (c) => c.batchEventsMax, [1, 5_000, 1_000]],
    ['BatchMaxAgeMs', publisher('BatchMaxAgeMs'), (c) => c.batchAgeMaxMs, [0, 60_000, 500]],
    ['MaxProcessorPercent', publisher('MaxProcessorPercent'), (c) => c.pace.processorPercent, [1, 100, 100]],
    [
      'TrialSeconds',
      (TrialSeconds) => (config) => void Object.assign(config, { Updates: { TrialSeconds } }),
      (c) => c.updates.trialMs / 1_000,
      [1, 86_400, 600],
    ],
    ...(['S3', 'AzureBlob'] as const).map(
      (
        type,
      ): [
        string,
        (value: unknown) => (config: Loose) => void,
        (config: AgentConfig) => unknown,
        number[],
      ] => [
        `ListIntervalMs of ${type}`,
        (ListIntervalMs) => store(type, { ListIntervalMs }),
        ({ databases: [first] }) => first?.source.type === type && first.source.listIntervalMs,
        [10, 3_600_000, 60_000],
      ],
    ),
  ])(
    'has bounds for %s, and a value where the file has none',
    (_, set, read, [min = 0, max = 0, preset = 0]) => {
      const taken = (value: unknown) => {
        const config = given(set(value));
        return config && read(config);
      };
      expect([min - 1, min, max, max + 1, min + 0.5, undefined].map(taken)).toEqual([
        null,
        min,
        max,
        null,
        null,
        preset,
      ]);
    },
  );

  it('has bytes a second from ten thousand on, or none', () => {
    const of = (value: unknown) => given(publisher('MaxBytesPerSecond')(value))?.pace.bytesPerSecond ?? null;
    expect([0, 1, 9_999, 10_000].map(of)).toEqual([0, null, null, 10_000]);
  });

  it('leaves databases alone that are off', () => {
    const one = (Name: string, more: object) => ({
      ...{ Name, AuditSource: { Type: 'DirectFile', DirectFile: { AuditFilePath: 'a/*' } } },
      ...more,
    });
    const config = given(({ EventHubPublisher }) => {
      EventHubPublisher.Databases = [one('a', {}), one('b', { Enabled: false }), one('c', { Enabled: true })];
    });
    expect(config?.databases.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(config?.disabled.map(({ name }) => name)).toEqual(['b']);
  });

  it.each<[string, 'S3' | 'AzureBlob', object, boolean]>([
    ['both parts of a key', 'S3', { AccessKeyId: 'a', SecretAccessKey: 'b' }, true],
    ['its id alone', 'S3', { AccessKeyId: 'a' }, false],
    ['its secret alone', 'S3', { SecretAccessKey: 'b' }, false],
    ['an address with a query', 'S3', { Endpoint: 'https://s3.example/?a=b' }, false],
    ['an address with a login', 'AzureBlob', { Endpoint: 'https://a:b@s3.example' }, false],
    ['an address', 'S3', { Endpoint: 'https://s3.example//' }, true],
    ['a name that is no bucket', 'S3', { Bucket: 'a/b' }, false],
    ['a name that is no account', 'AzureBlob', { Account: 'ab' }, false],
    ['the container of logs', 'AzureBlob', { Container: '$logs' }, true],
  ])('of a store may have %s, or not: %s', (_, type, settings, isValid) => {
    const config = given(store(type, settings));
    expect(config !== null).toBe(isValid);
    if ('Endpoint' in settings && config) expect(JSON.stringify(config)).toContain('"https://s3.example"');
  });
});
