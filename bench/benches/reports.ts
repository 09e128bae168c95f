import type { Bench } from '../context';
import { type Figure, reported } from '../figure';
import type { Datasets } from '../load/dataset';
import { startService } from '../processes/service';
import { short } from '../report';

const ROWS = 100_000;
const DAY_MS = 86_400_000;
/** Of the report `data-changes`. */
const FILTER = 'actionId:(IN OR UP OR DL)';
const BASE = '/api/v1/public';
/** Of a report of 100,000 rows. */
const CSV_MS = { medianAtMost: 3_000 } as const;
const PDF_MS = { medianAtMost: 15_000 } as const;

/** The time from the call until the last byte of a new run, as CSV and as PDF. */
export async function reports(bench: Bench, datasets: Datasets): Promise<Figure[]> {
  const dataset = await datasets.of(bench.options.rows);
  const service = await startService(bench, dataset.url);
  const { createApiKey } = await service.operate<{ createApiKey: { key: string } }>(
    `mutation($tenantIds: [String!]!) { createApiKey(name: "bench", tenantIds: $tenantIds,
      scopes: ["read:audit-activity", "read:reports"]) { key } }`,
    { tenantIds: [String(dataset.tenantIds[0])] },
  );
  const get = async (path: string, query: Readonly<Record<string, string>>) => {
    const response = await fetch(`${service.server.url}${BASE}${path}?${new URLSearchParams(query)}`, {
      headers: { 'X-Api-Key': createApiKey.key },
    });
    const body = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new Error(`status ${response.status}: ${body}`);
    return body;
  };
  const summary = async (query: Readonly<Record<string, string>>) =>
    JSON.parse((await get('/audit-activity/summary', query)).toString()).data as {
      readonly totalCount: number;
      readonly latestEventTime: string;
    };
  const endTime = new Date(Date.parse((await summary({})).latestEventTime) + 1).toISOString();
  const since = (days: number) => new Date(Date.parse(endTime) - days * DAY_MS).toISOString();
  let days = 1;
  let rows = 0;
  for (; rows < ROWS && days < 400; days++)
    rows = (await summary({ startTime: since(days), endTime, filter: FILTER })).totalCount;
  const asked = { startTime: since(days - 1), endTime };
  const times: Record<'csv' | 'pdf', number[]> = { csv: [], pdf: [] };
  for (let round = 0; round < bench.options.rounds; round++)
    for (const format of ['csv', 'pdf'] as const) {
      const begun = performance.now();
      await get('/reports/data-changes/content', { ...asked, format });
      times[format].push(performance.now() - begun);
      bench.say(`  ${format} ${short(times[format].at(-1) ?? 0)} ms`);
    }
  const peakMb = service.server.memory.read();
  await bench.untrack(service.server);
  const note = `${rows} events of one tenant`;
  return [
    reported('reports', 'a report as CSV', 'ms', times.csv, { target: CSV_MS, note }),
    reported('reports', 'a report as PDF', 'ms', times.pdf, { target: PDF_MS, note }),
    reported('reports', 'memory of the service', 'MB', [peakMb ?? Number.NaN]),
  ];
}
