import path from 'node:path';
import { ConfigError, ENVIRONMENT, loadConfig } from '../../src/config';
import { newWitnessKeyPem, WitnessKey } from '../../src/store/log/evidence/cosignature';

const problemsOf = (env: Record<string, string>): string => {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was taken');
};

const [WITNESS, OTHER_WITNESS] = ['w.example/w1', 'w2'].map(
  (name) => new WitnessKey(name, newWitnessKeyPem()).verifierKey,
) as [string, string];

describe('the configuration', () => {
  it('has a default for everything: the service uses the embedded database and listens on this machine only', () => {
    expect(loadConfig({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      dataDir: path.resolve('.data'),
      databaseUrl: null,
      redisUrl: null,
      redisCaFile: null,
      logLevel: 'info',
      drill: false,
      mail: null,
      rateLimitPerMinute: 60,
      readinessDelayMs: 0,
      backgroundStatementMs: 300_000,
      drainMs: 10_000,
      metrics: null,
      otlpEndpoint: null,
      migrationDatabaseUrl: null,
      readDatabaseUrl: null,
      archiveAfterDays: null,
      archivePlace: null,
      searchIndex: true,
      trustProxy: [],
      accessLogDays: 400,
      checkpointKeyFile: null,
      secretsKeyFile: null,
      destinationAllowNetworks: [],
      formerCheckpointKeys: [],
      witnesses: [],
      timeStampUrl: null,
      openId: null,
      publicUrl: null,
      reportDays: 90,
    });
  });

  it('listens on all addresses by default if PostgreSQL is given, and on HOST if that is given', () => {
    const DATABASE_URL = 'postgres://u:p@db/audit';
    expect(loadConfig({ DATABASE_URL }).host).toBe('0.0.0.0');
    expect(loadConfig({ DATABASE_URL, HOST: '10.0.0.1' }).host).toBe('10.0.0.1');
    expect(loadConfig({ HOST: '::1' }).host).toBe('::1');
  });

  it('takes an empty or blank variable as absent', () => {
    const empty = Object.fromEntries(
      Object.keys(ENVIRONMENT.shape).map((name, i) => [name, i % 2 ? '' : '  ']),
    );
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  it('reads every variable', () => {
    expect(
      loadConfig({
        PORT: '0',
        HOST: 'localhost',
        DATA_DIR: '/var/lib/audit',
        DATABASE_URL: 'postgresql://u:p@db:5433/audit?sslmode=require',
        REDIS_URL: 'rediss://cache:6380/1',
        LOG_LEVEL: 'debug',
        RATE_LIMIT_PER_MINUTE: '1',
        READINESS_DELAY_MS: '5000',
        BACKGROUND_STATEMENT_MS: '60000',
        DRAIN_MS: '0',
        METRICS_PORT: '9464',
        METRICS_HOST: '::1',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
        READ_DATABASE_URL: 'postgres://replica/audit',
        ARCHIVE_AFTER_DAYS: '9',
        ARCHIVE_URL: 'file:///mnt/archive',
        SEARCH_INDEX: 'off',
        TRUST_PROXY: '10.0.0.0/8, loopback,2001:db8::1',
        ACCESS_LOG_DAYS: '30',
        MIGRATION_DATABASE_URL: 'postgres://owner@db:5433/audit',
        CHECKPOINT_KEY_FILE: '/etc/audit/checkpoint.key',
        SECRETS_KEY_FILE: '/etc/audit/secrets.key',
        REDIS_CA_FILE: '/etc/audit/redis-ca.pem',
        DESTINATION_ALLOW_NETWORKS: '10.1.0.0/16, ::1',
        DRILL: '1',
        EVIDENCE_WITNESSES: `${WITNESS} https://w.example/prefix/, ${OTHER_WITNESS}  http://10.0.0.9:8090`,
        TIMESTAMP_URL: 'https://tsa.example/tsr',
        CHECKPOINT_KEY_SUCCEEDS: '0123abcd, 89abcdef',
        PUBLIC_URL: 'https://audit.example.com',
        REPORT_DAYS: '31',
        OIDC_ISSUER: 'https://login.example.com/v2',
        OIDC_CLIENT_ID: 'audit',
        OIDC_CLIENT_SECRET: 's',
        OIDC_TENANTS_CLAIM: 'https://example.com/tenants',
        OIDC_ROLE_CLAIM: 'groups',
        PATH: '/usr/bin',
      }),
    ).toEqual({
      port: 0,
      host: 'localhost',
      dataDir: path.resolve('/var/lib/audit'),
      databaseUrl: 'postgresql://u:p@db:5433/audit?sslmode=verify-full',
      redisUrl: 'rediss://cache:6380/1',
      redisCaFile: '/etc/audit/redis-ca.pem',
      logLevel: 'debug',
      drill: true,
      mail: null,
      rateLimitPerMinute: 1,
      readinessDelayMs: 5_000,
      backgroundStatementMs: 60_000,
      drainMs: 0,
      metrics: { host: '::1', port: 9_464 },
      otlpEndpoint: 'http://collector:4318',
      migrationDatabaseUrl: 'postgres://owner@db:5433/audit',
      readDatabaseUrl: 'postgres://replica/audit',
      archiveAfterDays: 9,
      archivePlace: { kind: 'folder', folder: '/mnt/archive' },
      searchIndex: false,
      trustProxy: ['10.0.0.0/8', 'loopback', '2001:db8::1'],
      accessLogDays: 30,
      checkpointKeyFile: '/etc/audit/checkpoint.key',
      secretsKeyFile: '/etc/audit/secrets.key',
      destinationAllowNetworks: ['10.1.0.0/16', '::1'],
      formerCheckpointKeys: ['0123abcd', '89abcdef'],
      witnesses: [
        { verifierKey: WITNESS, url: 'https://w.example/prefix/' },
        { verifierKey: OTHER_WITNESS, url: 'http://10.0.0.9:8090' },
      ],
      timeStampUrl: 'https://tsa.example/tsr',
      publicUrl: 'https://audit.example.com',
      reportDays: 31,
      openId: {
        issuer: 'https://login.example.com/v2',
        clientId: 'audit',
        clientSecret: 's',
        tenantsClaim: 'https://example.com/tenants',
        roleClaim: 'groups',
        publicUrl: 'https://audit.example.com',
      },
    });
  });

  it('names every mistake at once, with its variable', () => {
    const text = problemsOf({
      PORT: '65536',
      DATABASE_URL: 'mysql://db/audit',
      REDIS_URL: 'cache:6379',
      LOG_LEVEL: 'loud',
      RATE_LIMIT_PER_MINUTE: '0',
    });
    for (const name of ['PORT', 'DATABASE_URL', 'REDIS_URL', 'LOG_LEVEL', 'RATE_LIMIT_PER_MINUTE']) {
      expect(text).toMatch(new RegExp(`^ {2}${name}: must be`, 'm'));
    }
  });

  it('needs every variable of an identity provider, and HTTPS unless the provider is on this host', () => {
    const text = problemsOf({ OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'audit' });
    for (const name of ['OIDC_CLIENT_SECRET', 'PUBLIC_URL'])
      expect(text).toContain(`${name}: is needed with OIDC_ISSUER`);
    expect(text).not.toContain('OIDC_CLIENT_ID:');
    expect(problemsOf({ OIDC_ISSUER: 'http://login.example.com' })).toContain(
      'OIDC_ISSUER: must begin with https://',
    );
    expect(problemsOf({ OIDC_ISSUER: 'http://127.0.0.1:9' })).toContain('PUBLIC_URL: is needed');
  });

  it('takes no time-stamp authority that is no web address', () =>
    expect(problemsOf({ TIMESTAMP_URL: 'tsa.example' })).toContain('TIMESTAMP_URL: must be a URL'));

  it.each([
    [WITNESS, 'witness 1 has no URL'],
    [`${WITNESS} ftp://w`, 'witness 1 has no URL'],
    [`${WITNESS} https://a https://b`, 'witness 1 has no URL'],
    [`${WITNESS} https://a, x https://b`, 'the key of witness 2: it is not a public key'],
    [`${WITNESS} https://a,${WITNESS} https://b`, 'witness 2 was named before'],
    [Array(17).fill(`${WITNESS} https://a`).join(), 'at most 16'],
  ])('takes no witnesses from "%s"', (text, problem) =>
    expect(problemsOf({ EVIDENCE_WITNESSES: text })).toMatch(
      new RegExp(`EVIDENCE_WITNESSES: must.*${problem}`),
    ),
  );

  it('needs a Redis with TLS for a CA of Redis', () => {
    for (const REDIS_URL of ['redis://cache', ''])
      expect(problemsOf({ REDIS_CA_FILE: '/ca.pem', REDIS_URL })).toContain('REDIS_CA_FILE: needs REDIS_URL');
    expect(loadConfig({ REDIS_CA_FILE: '/ca.pem', REDIS_URL: 'REDISS://cache' }).redisCaFile).toBe('/ca.pem');
  });

  it('names missing variables together with wrong ones', () => {
    const READ_DATABASE_URL = 'postgres://replica/audit';
    const text = problemsOf({ PORT: 'x', OIDC_ISSUER: 'https://login.example.com', READ_DATABASE_URL });
    for (const name of ['PORT', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL', 'READ_DATABASE_URL'])
      expect(text).toContain(`  ${name}: `);
  });

  it.each([
    ['PORT', '80 80'],
    ['PORT', '-1'],
    ['PORT', '8080.5'],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['RATE_LIMIT_PER_MINUTE', 'sixty'],
    ['RATE_LIMIT_PER_MINUTE', '99999999999999999999'],
    ['DATABASE_URL', 'db'],
    ['TRUST_PROXY', '10.0.0.0/8 loopback'],
    ['TRUST_PROXY', 'everywhere'],
    ['TRUST_PROXY', '10.0.0.0/8,'],
    ['ACCESS_LOG_DAYS', '0'],
    ['REDIS_URL', 'http://cache'],
    ['LOG_LEVEL', 'INFO'],
  ])('refuses %s=%s', (name, value) => expect(problemsOf({ [name]: value })).toContain(`${name}: must be`));

  it('never repeats a password in a message', () => {
    const text = problemsOf({ DATABASE_URL: 'postgres//u:geheim@db', REDIS_URL: 'redis//:geheim@cache' });
    expect(text).not.toContain('geheim');
  });

  it.each(['p#w', '12#w', 'p/w', '12/w', 'p?w', '12?w', 'p%w', 'p%zz'])(
    'says how to encode the password %s in a URL, and accepts it in that form',
    (password) => {
      const text = problemsOf({ DATABASE_URL: `postgres://u:${password}@db/audit` });
      expect(text).toMatch(/DATABASE_URL: must be a URL.*write # as %23, \/ as %2F/);
      expect(text).not.toContain('begins with');
      expect(text).not.toContain(password);
      const encoded = `postgres://u:${encodeURIComponent(password)}@db/audit?sslmode=verify-full`;
      expect(loadConfig({ DATABASE_URL: encoded }).databaseUrl).toBe(encoded);
    },
  );

  it('checks the certificate in every TLS mode except those that explicitly say not to', () => {
    const taken = (query: string) => loadConfig({ DATABASE_URL: `postgres://db/audit${query}` }).databaseUrl;
    for (const mode of ['require', 'prefer', 'verify-ca'])
      expect(taken(`?application_name=x&sslmode=${mode}&sslrootcert=/ca.crt`)).toBe(
        'postgres://db/audit?application_name=x&sslmode=verify-full&sslrootcert=/ca.crt',
      );
    for (const query of [
      '',
      '?sslmode=no-verify',
      '?sslmode=disable',
      '?uselibpqcompat=true&sslmode=require',
    ])
      expect(taken(query)).toBe(`postgres://db/audit${query}`);
  });

  it.each(['on', 'Disable', 'allow'])('refuses the unknown TLS mode %s', (mode) => {
    expect(problemsOf({ READ_DATABASE_URL: `postgres://db/audit?sslmode=${mode}` })).toContain(
      'READ_DATABASE_URL: must have as its sslmode one of disable, prefer,',
    );
  });

  it('cannot be changed after it is loaded', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true);
  });

  it('describes every variable', () => {
    for (const [name, schema] of Object.entries(ENVIRONMENT.shape)) {
      expect(`${name}: ${schema.description}`).toMatch(/^\w+: [A-Z].*\.$/);
    }
  });
});
