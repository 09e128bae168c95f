import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../clock';
import type { AgentConfig } from '../config/parse-config';
import { abortedAfter } from '../deadline';
import type { GapStore } from '../gaps/gap-store';
import type { Log } from '../log';
import { runningOf } from '../settings/apply-settings';
import type { KeptSettings } from '../settings/kept-settings';
import type { DatabaseActivity } from '../status/database-activity';
import type { AgentTimes } from '../times';
import type { OfferedPackage } from '../update/offered-package';
import { AGENT_VERSION } from '../version';
import { ReportClient } from './report-client';
import { SourceReporter } from './source-reporter';

interface ReportingOptions {
  readonly config: AgentConfig;
  readonly activity: DatabaseActivity;
  readonly kept: KeptSettings;
  readonly packages: OfferedPackage;
  readonly once: boolean;
  readonly times: AgentTimes;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Reports on a database until `finish` is called. That resolves soon, whatever the service does.
 * @param sharing the files that are published whole, where several hosts share the folder
 * @param abandon ends the report in flight
 */
export function reportBeside(
  { activity, clock, config, kept, log, once, packages, times }: ReportingOptions,
  gaps: GapStore,
  sharing: (() => readonly string[]) | null,
  abandon: AbortSignal,
): { finish(): Promise<void> } {
  const reporter = new SourceReporter({
    reporter: {
      hostName: hostname(),
      agentVersion: AGENT_VERSION,
      runId: randomUUID(),
      running: runningOf(config, activity),
    },
    asking: () => kept.asking(config.tenantId ?? ''),
    packages,
    client: new ReportClient(config, times.reportTimeoutMs),
    activity,
    gaps,
    sharing,
    times,
    clock,
    log,
  });
  const ended = new AbortController();
  const tooLate = abortedAfter(ended.signal, once ? times.reportTimeoutMs : times.reportLastMs);
  const end = AbortSignal.any([abandon, tooLate]);
  const running = reporter.run(ended.signal, end);
  return {
    async finish() {
      ended.abort();
      await running;
      await reporter.finish(end);
    },
  };
}
