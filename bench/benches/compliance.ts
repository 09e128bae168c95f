import type { Bench } from '../context';
import { type Figure, reported } from '../figure';
import type { Datasets } from '../load/dataset';
import { effortOf, familyMs, processMs } from '../processes/processor-time';
import { createReadKey, startService } from '../processes/service';
import { short } from '../report';

/** Each has two server instances. */
const TENANTS = 10;
const BASE = '/api/v1/public';
/** All controls of a framework on 20 server instances. */
const CONTROLS_MS = { medianAtMost: 300 } as const;
const FRAMEWORKS = ['stig-2022', 'stig-2016', 'cis', 'pci-dss', 'hipaa', 'iso-27001', 'nist-800-53'];
/** The framework whose figure has a target: it has the most kinds of controls. */
const MEASURED = 'pci-dss';
const FIRST = 'first';
const TITLES: Readonly<Record<string, string>> = {
  [FIRST]: `all controls of ${MEASURED}, first call after the start`,
  summary: 'the summary',
  frameworks: 'all frameworks',
};

/**
 * The time from the call until the last byte of all controls of a framework, for a key of ten tenants with two server
 * instances each, and of the summary of all frameworks. Nothing is computed as events arrive, so an event costs no processor time beside the rules.
 */
export async function compliance(bench: Bench, datasets: Datasets): Promise<Figure[]> {
  const dataset = await datasets.of(bench.options.rows);
  const service = await startService(bench, dataset.url);
  const tenantIds = dataset.tenantIds.slice(0, TENANTS).map(String);
  const key = await createReadKey(service, tenantIds, ['read:compliance']);
  const get = async (path: string, query: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${service.server.url}${BASE}${path}?${new URLSearchParams(query)}`, {
      headers: { 'X-Api-Key': key },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`status ${response.status}: ${text}`);
    return text;
  };
  const { data } = JSON.parse(await get('/audit-activity/summary')) as {
    readonly data: { readonly latestEventTime: string };
  };
  const asOf = data.latestEventTime;
  const times = new Map<string, number[]>();
  const refused = new Set<string>();
  const busy: number[] = [];
  const clocks = {
    server: () => processMs(service.server.pid),
    postgres: () => familyMs(bench.postgresPid),
  };
  const measure = async (name: string, path: string, query: Readonly<Record<string, string>>) => {
    // A call that the service ends because it took too long counts with the time that it took.
    const { value: ended, effort } = await effortOf(clocks, () =>
      get(path, { asOf, ...query }).then(
        () => '',
        (error: Error) => `: ${error.message}`,
      ),
    );
    const { wall, server, postgres } = effort;
    times.set(name, [...(times.get(name) ?? []), wall]);
    if (name === MEASURED) busy.push(server + postgres);
    if (ended) refused.add(name);
    const processor = `processor: service ${short(server)}, PostgreSQL ${short(postgres)}`;
    bench.say(`  ${name} ${short(wall)} ms (${processor})${ended}`);
  };
  const controls = (name: string, framework: string) =>
    measure(name, '/compliance/controls', { framework, pageSize: '100' });
  // Nothing of the trail is in the memory of the service yet.
  await controls(FIRST, MEASURED);
  for (let round = 0; round < bench.options.rounds; round++) {
    for (const framework of FRAMEWORKS) await controls(framework, framework);
    await measure('summary', '/compliance/summary', {});
    await measure('frameworks', '/compliance/frameworks', {});
  }
  await bench.untrack(service.server);
  const noteOf = (name: string) =>
    `${TENANTS} tenants of two server instances each${refused.has(name) ? '; the service ended some calls' : ''}`;
  return [
    reported('compliance', `all controls of ${MEASURED}`, 'ms', times.get(MEASURED) ?? [], {
      target: CONTROLS_MS,
      note: noteOf(MEASURED),
    }),
    reported('compliance', 'its processor time, service and PostgreSQL', 'ms', busy, {
      note: noteOf(MEASURED),
    }),
    ...[...times]
      .filter(([name]) => name !== MEASURED)
      .map(([name, own]) =>
        reported('compliance', TITLES[name] ?? `all controls of ${name}`, 'ms', own, { note: noteOf(name) }),
      ),
  ];
}
