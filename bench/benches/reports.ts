import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../context';
import { type Figure, percentile, reported } from '../figure';
import type { Datasets } from '../load/dataset';
import { effortOf, familyMs, processMs, untilQuiet } from '../processes/processor-time';
import { createReadKey, startService } from '../processes/service';
import { short } from '../report';

const ROWS = 100_000;
const DAY_MS = 86_400_000;
/** The days of which there are events. */
const DAYS_MAX = 91;
/** Of the report `data-changes`. */
const FILTER = 'actionId:(IN OR UP OR DL)';
const BASE = '/api/v1/public';
/** Of a report of 100,000 rows; of fewer, the times are only reported. */
const CSV_MS = { medianAtMost: 3_000 } as const;
const PDF_MS = { medianAtMost: 15_000 } as const;

/** Between two list pages of another tenant. */
const PAUSE_MS = 15;
const ALONE_MS = 5_000;

/**
 * The time from the call until the last byte of a new run, as CSV and as PDF, and how long list pages of another tenant
 * take meanwhile.
 */
export async function reports(bench: Bench, datasets: Datasets): Promise<Figure[]> {
  const dataset = await datasets.of(bench.options.rows);
  const service = await startService(bench, dataset.url);
  const key = await createReadKey(service, [String(dataset.tenantIds[0])], ['read:reports']);
  const get = async (path: string, query: Readonly<Record<string, string>>) => {
    const response = await fetch(`${service.server.url}${BASE}${path}?${new URLSearchParams(query)}`, {
      headers: { 'X-Api-Key': key },
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
  for (; rows < ROWS && days < DAYS_MAX; days++)
    rows = (await summary({ startTime: since(days), endTime, filter: FILTER })).totalCount;
  const asked = { startTime: since(days - 1), endTime };
  const times: Record<'csv' | 'pdf', number[]> = { csv: [], pdf: [] };
  const busy: Record<'csv' | 'pdf', number[]> = { csv: [], pdf: [] };
  const clocks = {
    server: () => processMs(service.server.pid),
    postgres: () => familyMs(bench.postgresPid),
  };
  await untilQuiet(clocks);
  for (let round = 0; round < bench.options.rounds; round++)
    for (const format of ['csv', 'pdf'] as const) {
      const { effort } = await effortOf(clocks, () =>
        get('/reports/data-changes/content', { ...asked, format }),
      );
      const { wall, server, postgres } = effort;
      times[format].push(wall);
      busy[format].push(server + postgres);
      const processor = `processor: service ${short(server)}, PostgreSQL ${short(postgres)}`;
      bench.say(`  ${format} ${short(wall)} ms (${processor})`);
    }
  const other = await createReadKey(service, [String(dataset.tenantIds[1])]);
  const pages: Record<'nothing' | 'csv' | 'pdf', number[]> = { nothing: [], csv: [], pdf: [] };
  for (const beside of ['nothing', 'csv', 'pdf'] as const) {
    const work =
      beside === 'nothing'
        ? sleep(ALONE_MS)
        : get('/reports/data-changes/content', { ...asked, format: beside });
    pages[beside] = await pagesWhile(work, `${service.server.url}${BASE}/audit-activity?pageSize=20`, other);
  }
  const peakMb = service.server.memory.read();
  await bench.untrack(service.server);
  const note = `${rows} events of one tenant`;
  const isWhole = rows >= ROWS;
  return [
    reported('reports', 'a report as CSV', 'ms', times.csv, { target: isWhole ? CSV_MS : null, note }),
    reported('reports', 'a report as PDF', 'ms', times.pdf, { target: isWhole ? PDF_MS : null, note }),
    reported('reports', 'processor time of CSV, service and PostgreSQL', 'ms', busy.csv, { note }),
    reported('reports', 'processor time of PDF, service and PostgreSQL', 'ms', busy.pdf, { note }),
    ...(['csv', 'pdf'] as const).map((format) =>
      reported(
        'reports',
        `list page of another tenant beside ${format.toUpperCase()}, 99th percentile`,
        'ms',
        [percentile(pages[format], 0.99)],
        {
          note: `median ${short(percentile(pages[format], 0.5))} ms; beside nothing ${short(percentile(pages.nothing, 0.5))}, 99th percentile ${short(percentile(pages.nothing, 0.99))}`,
        },
      ),
    ),
    reported('reports', 'memory of the service', 'MB', [peakMb ?? Number.NaN]),
  ];
}

/** How long each of the calls takes that are made one after the other until the work is done, in milliseconds. */
async function pagesWhile(work: Promise<unknown>, url: string, key: string): Promise<number[]> {
  const times: number[] = [];
  const done = work.then(() => true);
  do {
    const began = performance.now();
    const response = await fetch(url, { headers: { 'X-Api-Key': key } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`status ${response.status}`);
    times.push(performance.now() - began);
  } while (!(await Promise.race([done, sleep(PAUSE_MS, false)])));
  return times;
}
