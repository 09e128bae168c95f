import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { missingTools } from '../installer/support/packages';
import { namesIn, tableOf } from '../support/documents';
import { ENGINES } from '../support/engines';
import { ROOT } from '../support/imports';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';

const execute = promisify(execFile);
const FOLDER = path.join(ROOT, 'deploy/monitoring');
const PREFIX = 'audit_activity_';
const read = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly description: string };
}
interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  readonly fieldConfig: {
    readonly defaults: { readonly unit: string };
    readonly overrides?: readonly {
      readonly matcher: { readonly options: string };
      readonly properties: readonly { readonly id: string; readonly value: string }[];
    }[];
  };
}
interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
}
const alerts = (parse(read('alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
const dashboards = readdirSync(path.join(FOLDER, 'dashboards')).map(
  (name) => [name, JSON.parse(read(`dashboards/${name}`)) as Dashboard] as const,
);

/** @returns the metrics that an expression names, without the suffix of a histogram's buckets */
const metricsIn = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:audit_activity|nodejs|process)_\w+/g)].map(([name]) =>
    name.replace(/_bucket$/, ''),
  );
const tasksIn = (expr: string): string[] =>
  [...expr.matchAll(/task="([^"]+)"/g)].map(([, task = '']) => task);

/** The unit of an expression's values, as Grafana names it; null: a number of things. */
function unitOf(expr: string): string | null {
  const rated = /\b(?:rate|deriv)\(/.test(expr);
  const [name = ''] = metricsIn(expr);
  if (/ \/ /.test(expr)) return 'percentunit';
  if (expr.includes('_duration_seconds_bucket')) return 's';
  // Seconds of a processor in a second are processors.
  if (name.startsWith('process_cpu_')) return null;
  if (name.includes('_seconds')) return rated ? 'percentunit' : 's';
  if (name.endsWith('_bytes')) return 'bytes';
  return rated ? 'cps' : null;
}
/** The labels that an expression leaves to its values; null: those of the metric. */
const labelsOf = (expr: string): string[] | null => {
  // The outermost aggregation decides.
  const outermost = /\b(?:max|min|sum|count)(?: by \(([^)]*)\) ?)?\(/.exec(expr);
  if (!outermost) return null;
  return (outermost[1] ?? '').split(', ').filter((name) => name !== '' && name !== 'le');
};
const labelsIn = (text: string): string[] =>
  [...text.matchAll(/\$?(?:labels\.)?(\w+) ?\}\}/g)].map(([, name = '']) => name);

describe('the panels of the dashboards', () => {
  const targets = dashboards.flatMap(([name, { panels }]) =>
    panels.flatMap((panel) =>
      panel.targets.map((target) => ({ where: `${name}: ${panel.title}`, panel, ...target })),
    ),
  );

  it('have the unit of what they show, or say it beside the line', () => {
    const wrong = targets.flatMap(({ where, panel, expr, legendFormat }) => {
      const { defaults, overrides = [] } = panel.fieldConfig;
      const ofLine = overrides.find(({ matcher }) => matcher.options === legendFormat)?.properties[0]?.value;
      const unit = ofLine ?? defaults.unit;
      const wanted = unitOf(expr) ?? 'short';
      const said = { s: /seconds/, cps: /a second/, percentunit: /seconds/ }[wanted];
      const isSaid = said?.test(legendFormat) && defaults.unit === 'short';
      const fits = unit === wanted || (wanted === 'cps' && unit === 'reqps');
      return fits || isSaid ? [] : [`${where}: ${expr} in ${unit}`];
    });
    expect(wrong).toEqual([]);
  });

  it('show how fast counters grow, and never a rate of what may fall', () => {
    const grown = /(?:rate|increase)\(\w+(?:\{[^}]*\})?\[/g;
    for (const { where, expr } of targets) {
      const rated = [...expr.matchAll(grown)].map(([text]) => metricsIn(text)[0] ?? '');
      const counters = metricsIn(expr).filter(
        (name) => name.endsWith('_total') || expr.includes(`${name}_bucket`),
      );
      if (where.includes('Set aside')) continue;
      expect([where, [...new Set(rated)]]).toEqual([where, [...new Set(counters)]]);
    }
  });

  it('name each line by every label that tells it from the others', () => {
    for (const { where, expr, legendFormat } of targets) {
      const labels = labelsOf(expr);
      if (labels === null)
        expect([where, legendFormat]).toEqual([where, expect.stringContaining('{{instance}}')]);
      else expect([where, labelsIn(legendFormat).sort()]).toEqual([where, labels.sort()]);
    }
  });

  it('choose what their names say', () => {
    const chosen = targets.flatMap(({ where, expr, legendFormat }) =>
      [...expr.matchAll(/(\w+=~?"[^"]*")/g)]
        .map(([, selector = '']) => selector)
        .filter((selector) => selector !== 'job=~".*audit-activity.*"')
        .map((selector) => `${selector}: ${where}, ${legendFormat}`),
    );
    const route = 'route="/graphql": ingest.json: Time of a batch, p50 and p99';
    expect(chosen.sort()).toEqual(
      [
        'outcome="accepted": detection.json: Events arriving, accepted',
        ...[`${route}, p50`, `${route}, p99`],
        'status=~"5..": service.json: Failing requests, 5xx',
        'task="detection": detection.json: Looking for attacks, all instances',
        'task="evidence-log": evidence.json: Taking events into the log, all instances',
        'task=~"(.*-)?retention": evidence.json: Retention, {{task}}',
      ].sort(),
    );
  });

  it('show the worst of what several instances read, and of many the ten worst', () => {
    const least = targets.filter(({ expr }) => /\b(?:min|bottomk|avg|quantile)\b/.test(expr));
    expect(least.map(({ where }) => where)).toEqual(['service.json: Certificate at PUBLIC_URL']);
    const tops = targets.flatMap(({ expr }) => [...expr.matchAll(/topk\((\d+),/g)].map(([, many]) => many));
    expect(new Set(tops)).toEqual(new Set(['10']));
  });

  it('add up for as long as they say', () => {
    for (const { where, expr, legendFormat } of targets)
      if (legendFormat.includes('an hour'))
        expect([where, expr]).toEqual([where, expect.stringContaining('[1h]')]);
  });

  it('show the share of answers that their names say', () => {
    const quantiles = targets.filter(({ expr }) => expr.startsWith('histogram_quantile'));
    expect(quantiles.length).toBeGreaterThan(0);
    for (const { where, expr, legendFormat } of quantiles) {
      const [, share] = /^histogram_quantile\(([\d.]+),/.exec(expr) ?? [];
      const named = /^p\d+$/.test(legendFormat) ? legendFormat : where.split(', ').at(-1);
      expect([where, named]).toEqual([where, `p${100 * Number(share)}`]);
    }
  });
});

describe('alerts of what several instances read', () => {
  it('take the worst of it: the least of what may end, be small or far away, and else the most', () => {
    const chosen = alerts.flatMap(({ alert, expr }) =>
      [...expr.matchAll(/\b(?:min|bottomk|avg|quantile)\b/g)].map(([how]) => `${alert}: ${how}`),
    );
    expect(chosen).toEqual(['AuditActivityCertificateEnds: min']);
  });
});

describe('the texts of alerts', () => {
  it('write values in their unit, and name only labels that the expression leaves', () => {
    for (const { alert, expr, annotations } of alerts) {
      const text = `${annotations.summary} ${annotations.description}`;
      const how = [...text.matchAll(/\$value(?: \| (\w+))? \}\}/g)].map(([, name]) => name ?? 'plain');
      const wanted = { s: ['humanizeDuration'], percentunit: ['humanizePercentage'] }[unitOf(expr) ?? ''] ?? [
        'humanize',
        'plain',
      ];
      expect([alert, how.filter((name) => !wanted.includes(name))]).toEqual([alert, []]);
      const labels = labelsOf(expr) ?? ['instance'];
      const named = [...text.matchAll(/\$labels\.(\w+)/g)].map(([, name = '']) => name);
      expect([alert, named.filter((name) => !labels.includes(name))]).toEqual([alert, []]);
    }
  });
});

describe.each(ENGINES.slice(0, 1))('monitoring of a service on %s', (engine) => {
  const at = useWorld(engine, { metrics: { host: '127.0.0.1', port: 0 } });
  let text: string;
  let declared: Map<string, readonly [kind: string, help: string]>;
  beforeAll(async () => {
    const scrape = async () => (await fetch(at.world.service.metricsUrl ?? '')).text();
    // A task appears in the metrics after its first round.
    const isNamed = (task: string, found: string) => found.includes(`task="${task}"`);
    const tasks = expressions().flatMap(([, expr]) => tasksIn(expr));
    text = await until(scrape, (found) => tasks.every((task) => isNamed(task, found))).catch(scrape);
    const kinds = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, kind]) => [name, kind]));
    declared = new Map(
      [...text.matchAll(/^# HELP (\w+) (.*)$/gm)].map(([, name = '', help = '']) => [
        name,
        [kinds.get(name) ?? '', help],
      ]),
    );
  });

  const expressions = () => [
    ...alerts.map(({ alert, expr }) => [alert, expr] as const),
    ...dashboards.flatMap(([name, { panels }]) =>
      panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [`${name}: ${title}`, expr] as const)),
    ),
  ];

  it('asks only for metrics and tasks that the service has, in every alert and dashboard', () => {
    const unknown = expressions().flatMap(([where, expr]) => [
      ...metricsIn(expr)
        .filter((name) => !declared.has(name))
        .map((name) => `${where}: ${name}`),
      ...tasksIn(expr)
        .filter((task) => !text.includes(`task="${task}"`))
        .map((task) => `${where}: ${task}`),
    ]);
    expect(unknown).toEqual([]);
    for (const [where, expr] of expressions())
      expect([where, metricsIn(expr).length > 0 || expr.startsWith('up')]).toEqual([where, true]);
  });

  it('is documented: docs/operate.md has each metric of the service with the text of its declaration', () => {
    const own = [...declared].filter(([name]) => name.startsWith(PREFIX));
    const described = tableOf('docs/operate.md', 'Metric of the service').map(([name = '', ...others]) => [
      namesIn(name)[0],
      ...others,
    ]);
    expect(described.sort()).toEqual(
      own.map(([name, facts]) => [name.slice(PREFIX.length), ...facts]).sort(),
    );
  });

  it('shows every metric of the service on some dashboard', () => {
    const shown = new Set(expressions().flatMap(([, expr]) => metricsIn(expr)));
    expect([...declared.keys()].filter((name) => name.startsWith(PREFIX) && !shown.has(name))).toEqual([]);
  });

  const MISSING = missingTools('promtool');
  (MISSING ? describe.skip : describe)(`promtool${MISSING}`, () => {
    const promtool = (...args: readonly string[]) => execute('promtool', args, { cwd: FOLDER });

    it('accepts the rules: each alert is quiet before it is due, and fires when it is due', async () => {
      expect((await promtool('check', 'rules', 'alerts.yaml')).stdout).toMatch(/SUCCESS/);
      const files = ['alerts.test.yaml', 'alerts-of-days.test.yaml'];
      const judged = await Promise.all(files.map((file) => promtool('test', 'rules', file)));
      for (const { stdout } of judged) expect(stdout).toMatch(/SUCCESS/);
      const cases = files.flatMap((file) => (parse(read(file)) as { tests: { name: string }[] }).tests);
      expect(cases.map(({ name }) => name).sort()).toEqual(alerts.map(({ alert }) => alert).sort());
    });

    it('accepts every expression of the dashboards', async () => {
      const rules = expressions().map(([, expr], i) => ({
        record: `r${i}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      }));
      const folder = await mkdtemp(path.join(tmpdir(), 'dashboards-'));
      try {
        const file = path.join(folder, 'rules.yaml');
        await writeFile(file, JSON.stringify({ groups: [{ name: 'all', rules }] }));
        expect((await promtool('check', 'rules', file)).stdout).toMatch(`SUCCESS: ${rules.length} rules`);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('finds that the metrics follow the naming rules of Prometheus', async () => {
      const checked = execute('promtool', ['check', 'metrics']);
      checked.child.stdin?.end(text);
      const { stdout, stderr } = await checked.catch((error) => error as { stdout: string; stderr: string });
      expect(`${stdout}${stderr}`).toBe('');
    });
  });

  it('has a dashboard for service, ingest, evidence, destinations and detection, each with its own uid', () => {
    expect(dashboards.map(([name]) => name)).toEqual(
      ['destinations', 'detection', 'evidence', 'ingest', 'service'].map((name) => `${name}.json`),
    );
    expect(new Set(dashboards.map(([, { uid }]) => uid)).size).toBe(dashboards.length);
  });
});
