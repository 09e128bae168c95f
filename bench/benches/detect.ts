import type { Bench } from '../context';
import { type Figure, reported } from '../figure';
import { short } from '../report';
import { watchDay } from './detect-day';

const RATE_MIN = 40_000;
const ALERTS_BELOW = 20;
const STATE_MB_MAX = 150;
const US_PER_S = 1e6;

/** The shipped rules on a day of a made server with as many events as there are rows. */
export async function detect(bench: Bench): Promise<Figure[]> {
  const watched = await watchDay(bench.options.rows, bench.say);
  const { events, cpuSeconds, alerts, findings, entries, heapMb } = watched;
  for (const { severity, title, group } of alerts) bench.say(`  ${severity}: ${title} (${group})`);
  const about = { bench: 'detect', unit: '' };
  return [
    reported(about.bench, 'engine, processor time of an event', 'µs', [(cpuSeconds * US_PER_S) / events], {
      target: { medianAtMost: US_PER_S / RATE_MIN },
      note: `${short(events / cpuSeconds)} events per processor second`,
    }),
    reported(about.bench, 'alerts of a day without an attack', 'alerts', [alerts.length], {
      target: { under: ALERTS_BELOW },
      note: `${short(events)} events, ${findings.length} findings`,
    }),
    reported(about.bench, 'memory of the state', 'MB', [heapMb], {
      target: { medianAtMost: STATE_MB_MAX },
      note: `${short(entries)} entries at most, and the rules themselves`,
    }),
  ];
}
