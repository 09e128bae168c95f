import { LIMITS } from '../../limits';
import type { Metrics } from '../../observe/metrics';
import { type Destination, lagSeconds, shownState } from './destination';

/** @param listed the destinations of the last round */
export function declareMetrics(
  metrics: Metrics,
  listed: () => readonly Destination[],
  isHeld: (destination: Destination) => boolean,
  nowMs: () => number,
): void {
  const each = (read: (destination: Destination) => number) => () =>
    listed()
      .slice(0, LIMITS.metricsSourcesMax)
      .map((one) => ({
        labels: { tenant_id: String(one.tenantId), destination_id: one.destinationId, type: one.type },
        value: read(one),
      }));
  const labels = ['tenant_id', 'destination_id', 'type'] as const;
  const gauges = (name: string, help: string, read: (destination: Destination) => number) =>
    metrics.gauges(`destination_${name}`, help, labels, each(read));
  const counters = (name: string, help: string, read: (destination: Destination) => number) =>
    metrics.counters(`destination_${name}_total`, help, labels, each(read));
  gauges('lag_seconds', 'Since nothing was left to send to a destination.', (one) =>
    lagSeconds(one, nowMs()),
  );
  gauges('lag_events', 'Positions of the log that a destination has not passed.', ({ logSize, position }) =>
    Math.max(0, logSize - position),
  );
  gauges('failing', '1 while the last attempt failed.', ({ attempts }) => Number(attempts > 0));
  gauges('paused', '1 while a destination is paused.', (one) =>
    Number(shownState(one, isHeld(one)) === 'paused'),
  );
  counters('delivered', 'Events that a destination took.', ({ delivered }) => delivered);
  counters('failures', 'Attempts that failed.', ({ failures }) => failures);
  counters(
    'set_aside',
    'Events that the receiver refused while it accepted others of the same message.',
    (one) => one.setAside,
  );
  counters(
    'behind_retention',
    'Events that retention removed before they were delivered.',
    ({ behindRetention }) => behindRetention,
  );
}
