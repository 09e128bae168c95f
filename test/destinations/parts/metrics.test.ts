import { LIMITS } from '../../../src/limits';
import { declareMetrics } from '../../../src/modules/destinations/metrics';
import type { Metrics } from '../../../src/observe/metrics';
import { SharedDestination } from './support/shared-destination';

const NOW_MS = Date.parse('2026-01-05T08:00:00Z');

it('the metrics of destinations are those of the last round, by tenant, destination and type', () => {
  const { row } = new SharedDestination([], {
    logSize: 10,
    position: 4,
    attempts: 1,
    delivered: 4,
    failures: 3,
    setAside: 2,
    behindRetention: 1,
    caughtUpAt: new Date(NOW_MS - 5_000),
  });
  const read = new Map<string, () => readonly { labels: object; value: number }[]>();
  const declare = (name: string, _help: string, _labels: unknown, values: never) =>
    void read.set(name, values);
  let listed = [row, { ...row, attempts: 0, position: 11 }];
  declareMetrics(
    { gauges: declare, counters: declare } as unknown as Metrics,
    () => listed,
    ({ attempts }) => attempts === 0,
    () => NOW_MS,
  );
  const values = Object.fromEntries([...read].map(([name, ask]) => [name, ask().map(({ value }) => value)]));
  expect(values).toEqual({
    destination_lag_seconds: [5, 0],
    destination_lag_events: [6, 0],
    destination_failing: [1, 0],
    destination_paused: [0, 1],
    destination_delivered_total: [4, 4],
    destination_failures_total: [3, 3],
    destination_set_aside_total: [2, 2],
    destination_behind_retention_total: [1, 1],
  });
  const { destinationId: destination_id, type } = row;
  expect(read.get('destination_failing')?.()[0]?.labels).toEqual({ tenant_id: '7', destination_id, type });
  listed = Array(LIMITS.metricsSourcesMax + 1).fill(row);
  expect(read.get('destination_failing')?.()).toHaveLength(LIMITS.metricsSourcesMax);
});
