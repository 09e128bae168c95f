import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { OnAnswered } from '../http/in-flight';

const PREFIX = 'audit_activity_';
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** In place of a path that no route took: raw paths would make a series each. */
const NO_ROUTE = 'none';
/** Gauges named as counters are; each is the sum of the metric of that name without its end. */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);
const METHODS = ['GET', 'HEAD', 'POST'];

type Prom = typeof import('prom-client');

/** Values asked for when they are collected; a name for each, for one without labels; null: not known just now. */
type Reading = () => number | null;

interface LabelledValue<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/** The metrics of one service, in a registry of its own. */
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

  /** Loads the library, which a service without metrics goes without. */
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

  /** A gauge read at each collection; while its value is not known there is none. */
  gauge(name: string, help: string, read: Reading): void {
    this.gauges(name, help, [], () => {
      const value = read();
      return value === null ? [] : [{ labels: {}, value }];
    });
  }

  /** The same with labels: all of its series are read anew. */
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
        // One without labels would be 0 after this.
        if (labelNames.length === 0) this.remove();
        for (const { labels, value } of read()) this.set(labels, value);
      },
    });
  }

  /** What is counted elsewhere since the start. */
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
