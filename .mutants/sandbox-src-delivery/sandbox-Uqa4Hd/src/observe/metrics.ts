import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { OnAnswered } from '../http/in-flight';

const PREFIX = 'audit_activity_';
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Label of a request whose path no route took. Raw paths would make one series each. */
const NO_ROUTE = 'none';
/**
 * Gauges whose names end like those of counters. Each is the sum of the metric that has the same name without `_total`.
 */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);
const METHODS = ['GET', 'HEAD', 'POST'];

type Prom = typeof import('prom-client');

/** A function that is called for the value at each collection. It returns null while the value is not known. */
type Reading = () => number | null;

interface LabelledValue<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/** The metrics of one service, in a separate registry. */
export class Metrics {
  readonly registry: Registry;
  readonly #requests: Counter;
  readonly #seconds: Histogram;
  readonly #events: Counter;

  private constructor(private readonly prom: Prom) {
    this.registry = new prom.Registry();
    prom.collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
    this.#requests = new prom.Counter({
      name: `${PREFIX}http_requests_total`,
      help: 'Requests by the route that took them.',
      labelNames: ['method', 'route', 'status'],
      registers: [this.registry],
    });
    this.#seconds = new prom.Histogram({
      name: `${PREFIX}http_request_duration_seconds`,
      help: 'From the head of a request to the end of its answer.',
      labelNames: ['route'],
      buckets: SECONDS,
      registers: [this.registry],
    });
    this.#events = new prom.Counter({
      name: `${PREFIX}ingest_events_total`,
      help: 'Events agents sent, by what became of them.',
      labelNames: ['outcome'],
      registers: [this.registry],
    });
    for (const outcome of ['accepted', 'duplicate', 'rejected']) this.#events.inc({ outcome }, 0);
  }

  /** Loads the library. A service without metrics does not load it. */
  static async open(): Promise<Metrics> {
    return new Metrics(await import('prom-client'));
  }

  readonly onAnswered: OnAnswered = ({ method, route, status, ms, receipt }) => {
    const name = route ?? NO_ROUTE;
    this.#requests.inc({ method: METHODS.includes(method) ? method : 'other', route: name, status });
    this.#seconds.observe({ route: name }, ms / 1000);
    if (!receipt) return;
    this.#events.inc({ outcome: 'accepted' }, receipt.accepted);
    this.#events.inc({ outcome: 'duplicate' }, receipt.duplicates);
    this.#events.inc({ outcome: 'rejected' }, receipt.rejected.length);
  };

  /** Adds a gauge whose value is read at each collection. While the value is not known, the gauge has no series. */
  gauge(name: string, help: string, read: Reading): void {
    this.gauges(name, help, [], () => {
      const value = read();
      return value === null ? [] : [{ labels: {}, value }];
    });
  }

  /** Adds a gauge with labels. Each collection reads all of its series anew. */
  gauges<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => readonly LabelledValue<Label>[],
  ): void {
    new this.prom.Gauge({
      name: PREFIX + name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      collect(this: Gauge) {
        this.reset();
        // The reset sets a gauge without labels to 0.
        if (labelNames.length === 0) this.remove();
        for (const { labels, value } of read()) this.set(labels, value);
      },
    });
  }

  /** Adds counters whose values are counted elsewhere since the start. */
  counters<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => readonly LabelledValue<Label>[],
  ): void {
    new this.prom.Counter({
      name: PREFIX + name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      collect(this: Counter) {
        this.reset();
        for (const { labels, value } of read()) this.inc(labels, value);
      },
    });
  }
}
