import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LIMITS } from '../../src/limits';
import { readShippedRules } from '../../src/modules/detection/rules/shipped-rules';
import type { DetectionEvent } from '../../src/rules/event';
import type { Finding } from '../../src/rules/finding';
import { LocalHost } from '../../src/rules/host';
import { ServerDay } from '../data/server-day';

const TENANT = 1;
/** Baselines want a week of logins and some days of sums. */
const DAYS_BEFORE = 8;
const DAY_MS = 86_400_000;
const WINDOW_MS = 300_000;
const START_MS = Date.UTC(2026, 2, 10);
const US_PER_S = 1e6;
const TOLD_EVENTS = 100_000;

export interface Watched {
  readonly events: number;
  /** Of the processor, for the engine alone: evaluation, and the state made ready to be stored. */
  readonly cpuSeconds: number;
  readonly findings: readonly Finding[];
  readonly alerts: readonly { readonly title: string; readonly severity: string; readonly group: string }[];
  readonly entries: number;
  /** What the state and the rules hold after the day. */
  readonly heapMb: number;
  readonly stateChars: number;
}

/** Watches a made day with the shipped rules, after they learned from the days before. */
export async function watchDay(events: number, say: (line: string) => void = () => {}): Promise<Watched> {
  const heapBefore = heapUsed();
  const host = new LocalHost();
  const rules = [...readShippedRules().values()].map(({ rule, source }) => ({
    ruleId: rule.ruleId,
    source,
    tuning: null,
    version: 1,
    filters: [],
  }));
  await host.open(TENANT, rules, []);
  for (let day = DAYS_BEFORE; day > 0; day--)
    await host.learn(TENANT, [...new ServerDay(START_MS - day * DAY_MS, events, day).summary(WINDOW_MS)]);
  say(`  learned from ${DAYS_BEFORE} days`);
  const state = new Map<string, number>();
  const findings: Finding[] = [];
  let [count, entries, cpu] = [0, 0, 0];
  let step: DetectionEvent[] = [];
  const flush = async () => {
    const before = process.cpuUsage();
    const done = await host.evaluate(TENANT, step, { nowMs: 0, isReady: true });
    const { user, system } = process.cpuUsage(before);
    cpu += user + system;
    count += step.length;
    entries = Math.max(entries, done.size);
    findings.push(...done.findings);
    for (const { node, key, body } of done.changes) {
      if (body === null) state.delete(`${node} ${key}`);
      else state.set(`${node} ${key}`, body.length);
    }
    if (Math.floor(count / TOLD_EVENTS) > Math.floor((count - step.length) / TOLD_EVENTS))
      say(
        `  ${count} events, ${Math.round((count * US_PER_S) / cpu)} a processor second, ${findings.length} findings`,
      );
    step = [];
  };
  for (const event of new ServerDay(START_MS, events, 0).all()) {
    step.push(event);
    if (step.length === LIMITS.detectionStep.events) await flush();
  }
  await flush();
  const held = heapUsed() - heapBefore;
  // Only now may the engine go.
  await host.close();
  return {
    heapMb: held / 1e6,
    events: count,
    cpuSeconds: cpu / US_PER_S,
    findings,
    alerts: alertsOf(findings),
    entries,
    stateChars: [...state.values()].reduce((sum, chars) => sum + chars, 0),
  };
}

/** After what is not needed was given back. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  return process.memoryUsage().heapUsed;
}

/** Findings of a rule and group within its time are one alert. */
function alertsOf(findings: readonly Finding[]): Watched['alerts'] {
  const begun = new Map<string, number>();
  return findings.flatMap(({ ruleId, groupKey, title, severity, group, lastAt, dedupMinutes }) => {
    const key = `${ruleId} ${groupKey}`;
    const since = begun.get(key);
    if (since !== undefined && Math.abs(lastAt - since) <= dedupMinutes * 60e6) return [];
    begun.set(key, lastAt);
    const named = Object.values(group).filter(Boolean).join(', ');
    return [{ title, severity, group: named }];
  });
}
