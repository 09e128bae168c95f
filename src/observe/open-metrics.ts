import { BUILD_VERSION } from '../generated/version';
import { LIMITS } from '../limits';
import type { Figures } from './figures';
import { Gathered } from './gathered';
import { Metrics } from './metrics';
import { type MetricsServer, serveMetrics } from './metrics-server';

/** A background task. */
interface RoundOf {
  readonly name: string;
  readonly doc: string;
}

interface OpenMetrics extends Pick<Metrics, 'onAnswered'> {
  /** Notes that a background task has finished a round. */
  readonly onRound: (task: RoundOf) => void;
  /** Starts to serve the metrics. */
  listen(place: { readonly host: string; readonly port: number }): Promise<MetricsServer>;
}

/** Declares the metrics of one part of the service. @param figures null: the database's figures are not known now */
export type DeclareMetrics = (metrics: Metrics, figures: () => Figures | null) => void;

export async function openMetrics(
  read: () => Promise<Figures>,
  declare: readonly DeclareMetrics[],
  nowMs: () => number,
): Promise<OpenMetrics> {
  const metrics = await Metrics.open();
  const figures = new Gathered(read, LIMITS.metricsKeptMs);
  const rounds = new Map<RoundOf, number>();
  const roundsBy = (label: keyof RoundOf) => () =>
    [...rounds].map(([task, ms]) => ({ labels: { task: task[label] }, value: ms / 1000 }));
  metrics.gauges(
    'build_info',
    'Always 1; its label `version` is that of the running build.',
    ['version'],
    () => [{ labels: { version: BUILD_VERSION }, value: 1 }],
  );
  metrics.gauge('database_figures_up', '1 when the gauges read from the database are known.', () =>
    Number(figures.value !== null),
  );
  metrics.gauges(
    'background_task_last_round_timestamp_seconds',
    'When a task last came to its end.',
    ['task'],
    roundsBy('name'),
  );
  metrics.gauges(
    'background_last_round_timestamp_seconds',
    'The same with the names that tasks had before; it goes with 0.2.0.',
    ['task'],
    roundsBy('doc'),
  );
  for (const each of declare) each(metrics, () => figures.value);
  return {
    onAnswered: metrics.onAnswered,
    onRound: (task) => rounds.set(task, nowMs()),
    listen: (place) => serveMetrics(place, metrics.registry, () => figures.refresh()),
  };
}
