import { LIMITS } from '../limits';
import type { Figures, SourceFigures } from './figures';
import { Gathered } from './gathered';
import { Metrics } from './metrics';
import { type MetricsServer, serveMetrics } from './metrics-server';

const DAY_MS = 86_400_000;

/** What is measured elsewhere and read when metrics are collected. */
export interface Measured {
  readonly figures: () => Promise<Figures>;
  /** Number of connections to the database by their state. */
  readonly connections: () => object;
  readonly limiter: { readonly healthy: boolean };
  readonly inFlight: { readonly count: number };
  readonly accessLog: { readonly lost: number; readonly unwritten: number };
  /** Tenants whose evidence log this instance does not go on with. */
  readonly stoppedLogs: () => number;
  /** Searches, counts and exports: their turns. */
  readonly longStatements: () => {
    readonly running: number;
    readonly waiting: number;
    /** By what was used up. */
    readonly refused: object;
  };
  readonly nowMs: () => number;
}

export interface OpenMetrics extends Pick<Metrics, 'onAnswered'> {
  /** Notes that a task in the background came to the end of a round. */
  readonly onRound: (task: string) => void;
  /** Starts to serve. */
  listen(place: { readonly host: string; readonly port: number }): Promise<MetricsServer>;
}

export async function openMetrics(measured: Measured): Promise<OpenMetrics> {
  const metrics = await Metrics.open();
  const figures = new Gathered(measured.figures, LIMITS.metricsKeptMs);
  const rounds = new Map<string, number>();
  addProcess(metrics, measured);
  addTrust(metrics, measured, figures);
  addDatabase(metrics, figures);
  addSources(metrics, figures, measured.nowMs);
  metrics.gauges(
    'background_last_round_timestamp_seconds',
    'When a task last came to its end.',
    ['task'],
    () => [...rounds].map(([task, ms]) => ({ labels: { task }, value: ms / 1000 })),
  );
  return {
    onAnswered: metrics.onAnswered,
    onRound: (task) => rounds.set(task, measured.nowMs()),
    listen: (place) => serveMetrics(place, metrics.registry, () => figures.refresh()),
  };
}

function addProcess(metrics: Metrics, measured: Measured): void {
  const { limiter, inFlight, connections, longStatements } = measured;
  metrics.gauge('http_requests_in_flight', 'Requests being answered.', () => inFlight.count);
  metrics.gauge(
    'rate_limit_shared',
    '1 while rate limits are decided as configured; 0 while Redis is lost.',
    () => Number(limiter.healthy),
  );
  metrics.gauges(
    'database_connections',
    'Connections for requests; waiting: requests that wait for one.',
    ['state'],
    () => Object.entries(connections()).map(([state, value]) => ({ labels: { state }, value })),
  );
  metrics.gauges(
    'long_statements',
    'Searches, counts and exports that run, or wait for their turn.',
    ['state'],
    () => {
      const { running, waiting } = longStatements();
      return Object.entries({ running, waiting }).map(([state, value]) => ({ labels: { state }, value }));
    },
  );
  metrics.counters(
    'long_statements_refused_total',
    'Those that waited too long, by whose share was used up: of the key, the tenant or all.',
    ['share'],
    () => Object.entries(longStatements().refused).map(([share, value]) => ({ labels: { share }, value })),
  );
}

/** What somebody has to look at, however well the service answers. */
function addTrust(metrics: Metrics, { accessLog, stoppedLogs }: Measured, figures: Gathered<Figures>): void {
  metrics.gauge('evidence_logs_stopped', 'Tenants whose evidence log is not gone on with.', stoppedLogs);
  metrics.gauge('access_log_waiting_entries', 'Not written yet.', () => accessLog.unwritten);
  metrics.gauge(
    'access_log_lost_entries',
    'Found no room while the database was away, since the start.',
    () => accessLog.lost,
  );
  metrics.gauge(
    'gaps',
    'Parts of the audit trail that agents could not publish.',
    () => figures.value?.gapCount ?? null,
  );
  metrics.gauge(
    'sources_with_problem',
    'Databases whose agent said at its last report that something keeps it from publishing.',
    () => figures.value?.problemCount ?? null,
  );
  metrics.gauges(
    'keys_expiring_soon',
    `Valid keys, not rotated, that expire within ${LIMITS.keyExpiresSoonMs / DAY_MS} days.`,
    ['kind'],
    () => (figures.value?.expiringKeys ?? []).map(({ kind, count }) => ({ labels: { kind }, value: count })),
  );
}

function addDatabase(metrics: Metrics, figures: Gathered<Figures>): void {
  metrics.gauge('database_figures_up', '1 when the gauges read from the database are known.', () =>
    Number(figures.value !== null),
  );
  metrics.gauge(
    'unfolded_deltas',
    'Counts of batches that reads still add up.',
    () => figures.value?.unfoldedDeltas ?? null,
  );
  metrics.gauge(
    'unindexed_hours',
    'Hours that searches still read.',
    () => figures.value?.unindexedHours ?? null,
  );
  metrics.gauge('unindexed_oldest_seconds', 'How long the first of these hours has waited.', () =>
    figures.value ? (figures.value.unindexedSeconds ?? 0) : null,
  );
}

const SOURCE = ['tenant', 'host', 'database'] as const;

/** Of the first sources only: each is a series of its own. The number of all says whether some are left out. */
function addSources(metrics: Metrics, figures: Gathered<Figures>, nowMs: () => number): void {
  const each = (name: string, help: string, read: (source: SourceFigures) => number | null) =>
    metrics.gauges(name, help, SOURCE, () =>
      (figures.value?.sources ?? []).flatMap((source) => {
        const value = read(source);
        const labels = {
          tenant: String(source.tenantId),
          host: source.hostName,
          database: source.databaseName,
        };
        return value === null ? [] : [{ labels, value }];
      }),
    );
  metrics.gauge('sources', 'Databases that agents report of.', () => figures.value?.sourceCount ?? null);
  each(
    'source_reported_seconds',
    'Since the agent of a database last reported.',
    (source) => source.reportedSeconds,
  );
  each(
    'source_lag_seconds',
    'Since everything in the files of a database was published.',
    ({ caughtUpAt }) => (caughtUpAt === null ? null : Math.max(0, nowMs() - Date.parse(caughtUpAt)) / 1000),
  );
  each(
    'source_waiting_bytes',
    'In files, not published at the last report.',
    (source) => source.waitingBytes,
  );
  each('source_gaps', 'Parts of its audit trail that could not be published.', (source) => source.gapCount);
  each('source_problem', '1 while something keeps its agent from publishing.', (source) =>
    Number(source.hasProblem),
  );
}
