import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { expectAsIn } from '../support/expected-file';
import { ROOT } from '../support/imports';
import type { Manifest } from './support/kubernetes-schemas';
import { REFUSED } from './support/refused-values';
import { mergedValues, renderedChart } from './support/rendered-chart';

const CHART = path.join(ROOT, 'deploy/helm');
const read = (name: string) => readFileSync(path.join(CHART, name), 'utf8');
const EXAMPLES = readdirSync(path.join(CHART, 'examples')).sort();
const { version } = parse(read('Chart.yaml'));

/** Without what other tests compare: versions, hashes, and the files of deploy/monitoring. */
function shown(manifests: readonly Manifest[]): unknown {
  const short = manifests.map((manifest) => {
    if (manifest.kind === 'PrometheusRule')
      return { ...manifest, spec: Object.keys(manifest.spec as object) };
    return manifest.kind === 'ConfigMap'
      ? { ...manifest, data: Object.keys(manifest.data as object) }
      : manifest;
  });
  const text = JSON.stringify(short).replaceAll(/"[0-9a-f]{64}"/g, '"a hash"');
  return JSON.parse(text.replaceAll(version, 'VERSION'));
}

describe('the chart', () => {
  it('makes of each example what chart.json has', () => {
    const made = EXAMPLES.map((name) => [name, shown(renderedChart(parse(read(`examples/${name}`))))]);
    expectAsIn('test/deploy/chart.json', Object.fromEntries(made));
  });

  it('replaces the instances when a value that they read at their start changes, and for no other', () => {
    const hashesOf = (values: object) => {
      const found = renderedChart(values).find(({ kind }) => kind === 'StatefulSet');
      const { template } = (found?.spec ?? {}) as { readonly template?: Manifest };
      return JSON.stringify(template?.metadata);
    };
    const values = { credentials: { values: { DATABASE_URL: 'd' } }, keys: { existingSecret: 'k' } };
    const changes = [
      { credentials: { values: { DATABASE_URL: 'e' } } },
      { keys: { existingSecret: 'l' } },
      { settings: { LOG_LEVEL: 'debug' } },
      { extraEnv: [{ name: 'A', value: 'b' }] },
    ];
    const all = [{}, ...changes].map((change) => hashesOf(mergedValues(values, change) as object));
    expect(new Set(all).size).toBe(all.length);
    expect(hashesOf({ ...values, replicas: 3, service: { port: 81 } })).toBe(all[0]);
  });

  it('brings the files of deploy/monitoring unchanged', () => {
    const manifests = renderedChart(parse(read('examples/production.yaml')));
    const rule = manifests.find(({ kind }) => kind === 'PrometheusRule');
    expect(rule?.spec).toEqual(parse(read('monitoring/alerts.yaml')));
    const texts = manifests.flatMap(({ kind, data }) =>
      kind === 'ConfigMap' ? Object.entries(data as object) : [],
    );
    expect(texts.length).toBeGreaterThan(0);
    for (const [name, text] of texts)
      expect(JSON.parse(text)).toEqual(
        JSON.parse(read(`monitoring/dashboards/${name.replace('audit-activity-', '')}`)),
      );
  });

  it('lets each of its values change what it makes', () => {
    const OF_BOTH = {
      ...{ metrics: { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true } } },
      ...{ ingress: { enabled: true, host: 'a.example', tlsSecret: 't' }, image: { tag: '1' } },
    };
    const bases = [
      { ...OF_BOTH, credentials: { existingSecret: 'c' }, keys: { existingSecret: 'k' } },
      { ...OF_BOTH, credentials: { values: { DATABASE_URL: 'd' } }, autoscaling: { enabled: true } },
      { metrics: { dashboards: { enabled: true } } },
    ];
    const changed = (value: unknown) => {
      if (typeof value === 'boolean') return !value;
      if (typeof value === 'number') return value + 1;
      if (Array.isArray(value)) return ['other'];
      return typeof value === 'string' ? `${value}9` : { OTHER: 'other' };
    };
    const leaves = (of: object, at: readonly string[] = []): (readonly [readonly string[], unknown])[] =>
      Object.entries(of).flatMap(([name, value]) =>
        value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0
          ? leaves(value, [...at, name])
          : [[[...at, name], value] as const],
      );
    const at = (value: unknown, names: readonly string[]) =>
      names.reduceRight((inner, name) => ({ [name]: inner }), value) as object;
    const valuesOf = (base: object) => mergedValues(parse(read('values.yaml')), base) as object;
    const textOf = (values: object) => JSON.stringify(renderedChart(values)).replaceAll(/[0-9a-f]{64}/g, '');
    const names = leaves(valuesOf(bases[0] ?? {})).map(([name]) => name);
    const without = names.filter((name) =>
      bases.every((base) => {
        const value = name.reduce<unknown>((of, one) => (of as Record<string, unknown>)[one], valuesOf(base));
        return textOf(mergedValues(base, at(changed(value), name)) as object) === textOf(base);
      }),
    );
    expect(without.map((name) => name.join('.'))).toEqual([]);
  });

  it('has a schema for each of its values, which takes every example and refuses what cannot be', () => {
    const schema = JSON.parse(read('values.schema.json'));
    const check = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    const refusal = (text: string) => {
      const values = mergedValues(parse(read('values.yaml')), parse(text));
      if (!check(values)) return 'by the schema';
      try {
        renderedChart(values as object);
        return null;
      } catch {
        return 'by a template';
      }
    };
    expect(EXAMPLES.map((name) => [name, refusal(read(`examples/${name}`))])).toEqual(
      EXAMPLES.map((name) => [name, null]),
    );
    for (const [what, text] of REFUSED) expect([what, refusal(text)]).toEqual([what, expect.any(String)]);
  });

  it('refuses each setting that it decides itself, wherever it is given', () => {
    const check = new Ajv({ strict: false, validateFormats: false }).compile(
      JSON.parse(read('values.schema.json')),
    );
    const base = parse(read('examples/minimal.yaml'));
    const refuses = (given: object) =>
      !check(mergedValues(parse(read('values.yaml')), mergedValues(base, given)));
    const template = read('templates/instances.yaml');
    const own = [...template.matchAll(/- \{ name: ([A-Z][A-Z_]*),/g)].map(([, name]) => name ?? '');
    const ofKeys = Object.keys(parse(read('values.yaml')).keys.settings);
    const decided = [...own, ...ofKeys];
    expect(decided).toHaveLength(7);
    // The time that a pod has to stop follows from these, which stand in `settings` alone.
    const times = [
      ...new Set([...template.matchAll(/\.Values\.settings\.(\w+)/g)].map(([, name]) => name ?? '')),
    ];
    expect(times).toHaveLength(2);
    const among = {
      settings: (name: string) => ({ settings: { [name]: '1' } }),
      extraEnv: (name: string) => ({ extraEnv: [{ name, value: '1' }] }),
      credentials: (name: string) => ({ credentials: { values: { [name]: '1' } } }),
    };
    const taken = Object.entries(among).flatMap(([where, valuesOf]) =>
      [...decided, ...times].filter((name) => !refuses(valuesOf(name))).map((name) => `${where}: ${name}`),
    );
    expect(taken).toEqual(times.map((name) => `settings: ${name}`));
    for (const valuesOf of Object.values(among)) expect(refuses(valuesOf('LOG_LEVEL'))).toBe(false);
  });
});
