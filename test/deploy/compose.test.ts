import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { parse, parseAllDocuments } from 'yaml';
import { parseConfig } from '../../agent/config/parse-config';
import { type OpenServer, openServer } from '../../scripts/lib/server-client.cjs';
import { ENVIRONMENT, loadConfig } from '../../src/config';
import { LIMITS } from '../../src/limits';
import { missingTools } from '../installer/support/packages';
import { accessLog } from '../support/access-log';
import { ANY_ENGINE, describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { ROOT } from '../support/imports';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { INGEST, type TestTenant } from '../support/world';
import { TestProxy } from './support/proxy';

const execute = promisify(execFile);
const FILE = path.join(ROOT, 'deploy/compose.yaml');
const SECRETS = {
  OWNER_PASSWORD: 'own3r',
  REQUESTS_PASSWORD: 'r3quests',
  PUBLIC_URL: 'https://audit.example.com',
};

interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly command?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly networks?: unknown;
  readonly restart?: string;
  readonly security_opt?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
const { services, networks } = parse(readFileSync(FILE, 'utf8')) as {
  services: Record<string, ComposeService>;
  networks: Record<string, object>;
};

/** Replaces variables as compose does with those of .env. */
const filledIn = (text: string) =>
  text.replaceAll(/\$\{(\w+)(?::\?|:-([^}]*))?\}/g, (_, name: string, other = '') =>
    String(Object.hasOwn(SECRETS, name) ? SECRETS[name as keyof typeof SECRETS] : other),
  );

describe('deploy/compose.yaml', () => {
  it('starts the service with settings that exist and are valid', () => {
    const settings = Object.entries(services.service?.environment ?? {}).map(([name, text]) => [
      name,
      filledIn(text),
    ]);
    expect(
      settings.map(([name]) => name).filter((name) => !Object.hasOwn(ENVIRONMENT.shape, name ?? '')),
    ).toEqual([]);
    expect(loadConfig(Object.fromEntries(settings))).toMatchObject({
      databaseUrl: 'postgres://audit_requests:r3quests@postgres:5432/audit',
      trustProxy: ['172.31.255.2'],
      // Only from outside of the container is anybody there to read them.
      metrics: { host: '0.0.0.0' },
    });
  });

  it('keeps what must outlive the containers, where their images have it', () => {
    const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
    const mounts = (name: string) =>
      Object.fromEntries((services[name]?.volumes ?? []).map((volume) => volume.split(':').slice(0, 2)));
    const [, dataDir = ''] = /DATA_DIR=(\S+)/.exec(dockerfile) ?? [];
    expect(mounts('service')).toEqual({ keys: dataDir });
    expect(services.service?.environment).not.toHaveProperty('DATA_DIR');
    expect(mounts('postgres')).toEqual({
      events: '/var/lib/postgresql/data',
      './compose/make-logins.sh': '/docker-entrypoint-initdb.d/make-logins.sh',
    });
    const [, check = ''] = /HEALTHCHECK [^[]*(\[[^\]]*\])/s.exec(dockerfile) ?? [];
    expect(services.service?.healthcheck?.test).toEqual(['CMD', ...JSON.parse(check)]);
  });

  it('has one database, whose logins are those that are made for it', () => {
    const made = readFileSync(path.join(ROOT, 'deploy/compose/make-logins.sh'), 'utf8');
    const { DATABASE_URL = '', MIGRATION_DATABASE_URL = '' } = services.service?.environment ?? {};
    const urls = [DATABASE_URL, MIGRATION_DATABASE_URL].map((text) => new URL(filledIn(text)));
    expect(urls.map(({ username, password }) => [username, password])).toEqual([
      ['audit_requests', SECRETS.REQUESTS_PASSWORD],
      ['audit_owner', SECRETS.OWNER_PASSWORD],
    ]);
    // Both have the rights of the service, by its role.
    const [, role = '', members = ''] = /GRANT (\w+) TO ([\w, ]+);/.exec(made) ?? [];
    expect(members.split(', ').sort()).toEqual(['audit_owner', 'audit_requests']);
    expect(made).toContain(`CREATE ROLE ${role} NOLOGIN;`);
    const [, database, owner] = /CREATE DATABASE (\w+) OWNER (\w+);/.exec(made) ?? [];
    expect([...urls.map(({ pathname }) => pathname), owner]).toEqual([
      ...[`/${database}`, `/${database}`, 'audit_owner'],
    ]);
    expect(services.postgres?.healthcheck?.test.at(-1)).toBe(`--dbname=${database}`);
    const wanted = [...made.matchAll(/"\$(\w+)"/g)].map(([, name]) => name ?? '');
    expect(Object.keys(services.postgres?.environment ?? {})).toEqual(expect.arrayContaining(wanted));
  });

  it('gives each container the value of .env that is named as its setting is', () => {
    const named = Object.entries(services).flatMap(([name, { environment = {} }]) =>
      Object.entries(environment).flatMap(([setting, text]) => {
        const [, variable] = /^\$\{(\w+)/.exec(text) ?? [];
        return variable === undefined ? [] : [[name, setting, variable]];
      }),
    );
    expect(named).toEqual([
      ['service', 'PUBLIC_URL', 'PUBLIC_URL'],
      // The image's own name of its first login.
      ['postgres', 'POSTGRES_PASSWORD', 'ADMIN_PASSWORD'],
      ['postgres', 'OWNER_PASSWORD', 'OWNER_PASSWORD'],
      ['postgres', 'REQUESTS_PASSWORD', 'REQUESTS_PASSWORD'],
    ]);
  });

  it('has a Redis that makes room for what is new, and saves nothing', () => {
    expect(services.service?.environment?.REDIS_URL).toBe('redis://redis:6379');
    const command = services.redis?.command ?? [];
    const given = (name: string) => command[command.indexOf(name) + 1];
    // Every key that the service writes has an end.
    expect([given('--save'), given('--maxmemory-policy')]).toEqual(['', 'volatile-lru']);
  });

  it('gives Redis a bound, at which it makes room', () => {
    const command = services.redis?.command ?? [];
    expect(command[command.indexOf('--maxmemory') + 1]).toMatch(/^\d+mb$/);
  });

  it('runs an image that is no root, can be reached from outside, and stops as the service expects it', () => {
    const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
    const [, user] = /^USER (\d+:\d+)$/m.exec(dockerfile) ?? [];
    expect(user).toMatch(/^[1-9]/);
    expect(dockerfile).toContain(`--chown=${user} /build/data /var/lib/audit-activity\n`);
    const [, port] = /^EXPOSE (\d+)$/m.exec(dockerfile) ?? [];
    expect(dockerfile).toMatch(new RegExp(`^ENV NODE_ENV=production HOST=0\\.0\\.0\\.0 PORT=${port} `, 'm'));
    expect(readFileSync(path.join(ROOT, 'deploy/nginx.conf'), 'utf8')).toContain(`server service:${port};`);
    expect(dockerfile).toContain('\nSTOPSIGNAL SIGTERM\n');
  });

  it('has the version of the project, and names a version of every other image', () => {
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    const images = Object.values(services).map(({ image }) => filledIn(image));
    expect(images).toContain(`localhost/audit-activity:${version}`);
    expect(images.filter((image) => !/:\d/.test(image))).toEqual([]);
  });

  it('starts each part when those that it needs are healthy, and again after a failure', () => {
    const needs = Object.entries(services).map(([name, { depends_on = {} }]) => [name, depends_on]);
    const healthy = { condition: 'service_healthy' };
    expect(Object.fromEntries(needs)).toEqual({
      proxy: { service: healthy },
      service: { postgres: healthy, redis: healthy },
      postgres: {},
      redis: {},
    });
    // What the proxy writes has a place, since the rest is read-only.
    expect([services.proxy?.read_only, services.proxy?.tmpfs]).toEqual([true, ['/var/cache/nginx', '/run']]);
    for (const { restart } of Object.values(services)) expect(restart).toBe('unless-stopped');
    // Whoever is needed says whether it is healthy.
    for (const name of ['service', 'postgres', 'redis']) expect(services[name]?.healthcheck).toBeDefined();
    expect(services.redis?.healthcheck?.test).toEqual(['CMD', 'redis-cli', 'ping']);
    expect(services.service?.security_opt).toEqual(['no-new-privileges:true']);
    expect(services.proxy?.volumes).toEqual([
      './nginx.conf:/etc/nginx/nginx.conf:ro',
      './tls:/etc/nginx/tls:ro',
    ]);
  });

  it('gives the service as much time to stop as its settings allow it', () => {
    const { readinessDelayMs, drainMs } = loadConfig(
      Object.fromEntries(
        Object.entries(services.service?.environment ?? {}).map(([name, text]) => [name, filledIn(text)]),
      ),
    );
    const [, seconds] = /^(\d+)s$/.exec(services.service?.stop_grace_period ?? '') ?? [];
    // Background work may take ten seconds more.
    expect(Number(seconds) * 1000).toBeGreaterThanOrEqual(readinessDelayMs + drainMs + 10_000);
    expect(readinessDelayMs).toBeGreaterThan(0);
  });

  it('gives the service a fixed address, since the proxy resolves it only once', () => {
    const addressOf = (name: string) =>
      (services[name]?.networks as { front?: { ipv4_address?: string } } | undefined)?.front?.ipv4_address;
    expect(addressOf('service')).toMatch(/^172\.31\.255\./);
    expect(services.service?.environment?.TRUST_PROXY).toBe(addressOf('proxy'));
    expect(addressOf('service')).not.toBe(addressOf('proxy'));
    const { ipam } = networks.front as { ipam: { config: readonly [{ subnet: string }] } };
    const [{ subnet }] = ipam.config;
    const known = new BlockList();
    known.addSubnet(subnet.split('/')[0] ?? '', Number(subnet.split('/')[1]));
    for (const name of ['service', 'proxy']) expect(known.check(addressOf(name) ?? '')).toBe(true);
  });

  it('publishes ports of the proxy only, and gives the service no capabilities and a read-only file system', () => {
    expect(
      Object.entries(services)
        .filter(([, { ports }]) => ports)
        .map(([name]) => name),
    ).toEqual(['proxy']);
    const listens = [...readFileSync(path.join(ROOT, 'deploy/nginx.conf'), 'utf8').matchAll(/listen (\d+)/g)];
    expect(services.proxy?.ports).toEqual(listens.map(([, port]) => `${port}:${port}`));
    expect(services.service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    // Neither the database nor Redis is in the network of the proxy, and theirs leads nowhere else.
    for (const name of ['postgres', 'redis']) expect(services[name]?.networks).toEqual(['back']);
    expect(networks.back).toEqual({ internal: true });
  });
});

describe('deploy/collector', () => {
  const folder = path.join(ROOT, 'deploy/collector');
  const textOf = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const { collector } = parse(textOf('compose.yaml')).services;
  const optionOf = (name: string) => collector.command[collector.command.indexOf(`--${name}`) + 1];

  it('has a configuration that the agent takes without a warning', () => {
    const parsed = parseConfig(textOf('config.json'), path.join(folder, 'config.json'));
    expect(parsed).toMatchObject({ kind: 'config', warnings: [] });
    const databases = parsed.kind === 'config' ? parsed.config.databases : [];
    expect(databases.map(({ source }) => source.type)).toEqual(['S3', 'AzureBlob']);
  });

  it('has the same memory, time to stop and user wherever it runs, and needs no file of credentials', () => {
    expect(collector.env_file).toEqual([{ path: 'cloud.env', required: false }]);
    expect([collector.mem_limit, collector.stop_grace_period]).toEqual(['256m', '20s']);
    const [, user] = /^USER (\d+):/m.exec(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
    const [pod, sidecar] = ['kubernetes.yaml', 'sidecar.yaml'].map(
      (name) => parseAllDocuments(textOf(name)).at(-1)?.toJS().spec.template.spec,
    );
    for (const { containers } of [pod, sidecar])
      expect(containers[0].resources).toEqual({
        requests: { cpu: '50m', memory: '160Mi' },
        limits: { memory: '256Mi' },
      });
    for (const { runAsNonRoot, runAsUser, runAsGroup } of [
      pod.securityContext,
      sidecar.containers[0].securityContext,
    ])
      expect([runAsNonRoot, `${runAsUser}`, `${runAsGroup}`]).toEqual([true, user, user]);
    expect(pod.terminationGracePeriodSeconds).toBe(20);
    // Two agents with one state would each publish all.
    expect(parseAllDocuments(textOf('kubernetes.yaml')).at(-1)?.toJS()).toMatchObject({
      kind: 'StatefulSet',
      spec: { replicas: 1 },
    });
  });

  it('lets the group of the agent, which is not root, read the configuration in a pod', () => {
    const specs = ['kubernetes.yaml', 'sidecar.yaml'].flatMap((name) =>
      parseAllDocuments(textOf(name))
        .filter((document) => document.has('spec'))
        .map((document) => document.toJS().spec.template.spec),
    );
    expect(specs).toHaveLength(2);
    for (const { securityContext, volumes } of specs) {
      expect(securityContext.fsGroup).toBeGreaterThan(0);
      expect(volumes.map(({ secret }: { secret: { defaultMode: number } }) => secret.defaultMode)).toEqual([
        0o440,
      ]);
    }
  });

  it('runs the agent of the image, under a name and with state that outlive the container', () => {
    expect(collector.entrypoint).toEqual(['/usr/local/bin/node', '/app/bin/audit-agent']);
    expect(collector.image).toBe(services.service?.image);
    expect(collector.hostname).not.toBe('');
    const mounted = collector.volumes.map((volume: string) => volume.split(':')[1]);
    expect(mounted).toEqual([path.dirname(optionOf('config')), optionOf('data-dir')]);
    // The key is in the configuration, which the agent only reads.
    expect(collector.volumes[0]).toMatch(/:ro$/);
    // A new volume belongs to the user of the image where the image has the folder.
    expect(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')).toContain(`VOLUME ${optionOf('data-dir')}\n`);
    expect(collector).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });

  it('asks the agent that runs how it is', () => {
    const [, ...command] = collector.healthcheck.test;
    expect(command.slice(0, 3)).toEqual([...collector.entrypoint, 'status']);
    expect(command.slice(3)).toEqual(['config', 'data-dir'].map((name) => `--${name}=${optionOf(name)}`));
    const [, pod] = parseAllDocuments(textOf('kubernetes.yaml')).map((one) => one.toJS());
    const [{ command: program, args, readinessProbe }] = pod.spec.template.spec.containers;
    const given = ['--config', '--data-dir'].map((name) => `${name}=${args[args.indexOf(name) + 1]}`);
    expect(readinessProbe.exec.command).toEqual([...program, 'status', ...given]);
    // Kubernetes gives a probe one second, in which no program starts on a busy machine.
    expect(`${readinessProbe.timeoutSeconds}s`).toBe(collector.healthcheck.timeout);
  });

  it('mounts in a pod the secret that its first lines make, and of SQL Server the folder of its audit', () => {
    for (const name of ['kubernetes.yaml', 'sidecar.yaml']) {
      const [, made] = /create secret generic (\S+)/.exec(textOf(name)) ?? [];
      const { spec } = parseAllDocuments(textOf(name)).at(-1)?.toJS() ?? {};
      expect(spec.template.spec.volumes[0].secret.secretName).toBe(made);
    }
    const { spec } = parse(textOf('sidecar.yaml'));
    const ofData = spec.template.spec.containers[0].volumeMounts.filter(
      ({ name }: { name: string }) => name === 'data',
    );
    expect(ofData).toEqual([
      { name: 'data', mountPath: '/var/lib/audit-agent', subPath: 'audit-agent' },
      { name: 'data', mountPath: '/var/opt/mssql/audit', subPath: 'audit', readOnly: true },
    ]);
  });
});

describeOnPostgres('deploy/compose/make-logins.sh on a new cluster', () => {
  let cluster: OpenServer;
  beforeAll(async () => {
    const opened = await openServer('postgres');
    if ('skipped' in opened) throw new Error(opened.skipped);
    cluster = opened;
  });
  afterAll(() => cluster.close());

  it('makes the two logins and the database, with the given passwords', async () => {
    const env = { ...process.env, ...SECRETS, PGHOST: '127.0.0.1', PGPORT: String(cluster.port) };
    await execute('sh', [path.join(ROOT, 'deploy/compose/make-logins.sh')], { env });
    const owner = new Client({
      connectionString: cluster.url.replace('postgres@', 'audit_owner:own3r@').replace(/[^/]+$/, 'audit'),
    });
    await owner.connect();
    const { rows } = await owner.query(
      `SELECT pg_get_userbyid(datdba) AS owner, array(SELECT rolname::text FROM pg_roles
         WHERE rolname LIKE 'audit\\_%' AND rolcanlogin AND pg_has_role(oid, 'audit_activity_service', 'member')
         ORDER BY 1) AS members
       FROM pg_database WHERE datname = 'audit'`,
    );
    await owner.end();
    expect(rows).toEqual([{ owner: 'audit_owner', members: ['audit_owner', 'audit_requests'] }]);
  });
});

describe('the settings of deploy/nginx.conf', () => {
  const text = readFileSync(path.join(ROOT, 'deploy/nginx.conf'), 'utf8');
  const of = (name: string) => new RegExp(`^ *${name} +([^;#]*);`, 'm').exec(text)?.[1];
  const bytesOf = (size = '') => Number.parseInt(size, 10) * (size.endsWith('m') ? 1024 * 1024 : 1024);

  it('have room for the largest batch and the longest filter', () => {
    expect(bytesOf(of('client_max_body_size'))).toBeGreaterThan(LIMITS.ingestBodyBytesMax);
    // Each character of a filter may be percent-encoded.
    const [, size] = of('large_client_header_buffers')?.split(' ') ?? [];
    expect(bytesOf(size)).toBeGreaterThan(3 * LIMITS.expressionCharsMax);
    // The answers of the tail repeat it in a header.
    expect(bytesOf(of('proxy_buffer_size'))).toBeGreaterThan(3 * LIMITS.expressionCharsMax);
  });

  it('pass on what comes as it comes, so that a cut export is none that has ended', () => {
    expect([of('proxy_http_version'), of('proxy_buffering'), of('proxy_request_buffering')]).toEqual([
      ...['1.1', 'off', 'off'],
    ]);
  });

  it('wait for an answer longer than any call takes, and pass on whose call it is and for which host', () => {
    const secondsOf = (name: string) => Number(/^(\d+)s$/.exec(of(name) ?? '')?.[1]);
    expect(secondsOf('proxy_read_timeout')).toBeGreaterThanOrEqual(2 * LIMITS.tailWaitSecondsMax);
    expect(text).toContain('proxy_set_header Connection "";');
    expect(text).toContain('proxy_set_header Host $host;');
    expect(text).toContain('proxy_set_header X-Forwarded-For $remote_addr;');
    expect(of('ssl_protocols')).toBe('TLSv1.2 TLSv1.3');
    const [, key] = /ssl_certificate_key +(\S+);/.exec(text) ?? [];
    expect([path.dirname(of('ssl_certificate') ?? ''), path.dirname(key ?? '')]).toEqual([
      '/etc/nginx/tls',
      '/etc/nginx/tls',
    ]);
  });

  it('say how a request came, and send plain ones to TLS', () => {
    expect(text).toContain('proxy_set_header X-Forwarded-Proto $scheme;');
    expect(text).toContain('return 308 https://$host$request_uri;');
  });
});

const MISSING = missingTools('nginx', 'openssl');
(MISSING ? describe.skip : describe)(`deploy/nginx.conf${MISSING}`, () => {
  const at = useWorld(ANY_ENGINE, { trustProxy: ['127.0.0.1'] });
  let proxy: TestProxy;
  let acme: TestTenant;
  beforeAll(async () => {
    proxy = await TestProxy.start(new URL(at.world.service.url).host);
    acme = await at.world.tenant();
  });
  afterAll(() => proxy.stop());
  const ingest = (events: readonly object[]) =>
    proxy.call('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': acme.agentKey },
      body: JSON.stringify({ query: INGEST, variables: { batch: { events } } }),
    });

  it('lets agents send the largest bodies that the service takes', async () => {
    const statement = 'x'.repeat(60_000);
    const { status, text } = await ingest(Array.from({ length: 100 }, () => anEvent({ statement })));
    expect([status, JSON.parse(text).data?.ingestAuditEvents]).toMatchObject([200, { accepted: 100 }]);
  });

  it('passes on the three calls, and a whole export', async () => {
    const headers = { 'X-Api-Key': acme.key };
    for (const url of ['?pageSize=1', '/summary', '/export']) {
      const { status, text } = await proxy.call(`/api/v1/public/audit-activity${url}`, { headers });
      expect([url, status]).toEqual([url, 200]);
      if (url === '/export') expect(text.trim().split('\n')).toHaveLength(100);
    }
  });

  it("passes on the caller's own address, whatever address the caller claims", async () => {
    const headers = {
      'X-Api-Key': acme.key,
      'X-Forwarded-For': '192.0.2.1',
      'X-Request-Id': 'through-the-proxy',
    };
    await proxy.call('/api/v1/public/audit-activity/summary', { headers });
    const entries = await until(
      async () =>
        (await accessLog(at.world, { operation: 'auditSummary' })).filter(
          (e) => e.requestId === 'through-the-proxy',
        ),
      (found) => found.length > 0,
    );
    expect(entries.map(({ address }) => address)).toEqual(['127.0.0.1']);
  });
});
