import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { CallTenants } from '../../caller/call-tenants';
import type { MarkedTenants } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { TenantStore } from '../../caller/tenant.store';
import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import type { MailServer } from '../../delivery/smtp';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { EngineHost } from '../../rules/host';
import { openRuleReader } from '../../rules/rule-reader';
import { openHost } from '../../rules/thread-host';
import { silenceClock, steadyClock } from '../../steady-clock';
import type { GoneSeal } from '../../store/log/arrivals/gone-seal';
import { PostgresArrivalReader } from '../../store/log/arrivals/stored-arrivals';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import type { CheckpointKey } from '../../store/log/evidence/note-key';
import type { AuditEventReader } from '../../store/rows/audit-event-reader';
import { AlertReader } from './alerts/alert.reader';
import { AlertResolver } from './alerts/alert.resolver';
import { AlertStore } from './alerts/alert.store';
import { AlertCounts } from './alerts/alert-counts';
import { AlertCountsResolver } from './alerts/alert-counts.resolver';
import { AlertWorkResolver } from './alerts/alert-work.resolver';
import { IncidentReader } from './alerts/incident.reader';
import { IncidentResolver } from './alerts/incident.resolver';
import { IncidentStore } from './alerts/incident.store';
import { noteAlerts } from './alerts/note-alerts';
import { severityNumber } from './alerts/put-alerts';
import { SuppressionResolver } from './alerts/suppression.resolver';
import { BacktestResolver } from './backtests/backtest.resolver';
import { BacktestStore } from './backtests/backtest.store';
import { Backtests } from './backtests/backtests';
import { ExceptionResolver } from './backtests/exception.resolver';
import { ExceptionPreview } from './backtests/exception-preview';
import { DetectionTally } from './base/tally';
import { Detector } from './detector/detector';
import { FindingsCheck } from './detector/findings-check';
import { type Lane, Lanes } from './detector/lanes';
import { ProgressSeal } from './detector/progress-seal';
import { refusedText } from './detector/refused-rules';
import { type TellOfChange, TrustedProgress } from './detector/trusted-progress';
import { declareMetrics } from './metrics';
import { Channels, type SendAlert } from './notices/channel';
import { mailer } from './notices/mail';
import { Notifier } from './notices/notifier';
import { AlertRouteResolver, type HasDestination } from './notices/route.resolver';
import { RouteStore } from './notices/route.store';
import { RuleResolver } from './rules/rule.resolver';
import { RuleStore } from './rules/rule.store';
import { RuleAbouts } from './rules/rule-abouts';
import { readShippedRules } from './rules/shipped-rules';
import type { AuditCoverage } from './rules/sight';
import { asShipped } from './rules/tenant-rules';
import { canaryProblems } from './watch/canary-problems';
import { HealthAlerts } from './watch/health-alerts';
import { UnreadEvents } from './watch/unread-events';

/** Detection: the rules for arriving events, their findings, and alerts for people to work on. */
export function detectionModule(parts: {
  readonly service: ServiceDoor;
  readonly owner: OwnerDoor;
  readonly tenants: TenantStore;
  readonly maskedTenants: Pick<MarkedTenants, 'among'>;
  readonly signal: AbortSignal;
  readonly changes: Pick<FairShare, 'run'>;
  readonly nowMs: () => number;
  readonly log: Logger;
  /** Hands a message to a destination. */
  readonly send: SendAlert;
  readonly hasDestination: HasDestination;
  /** Null: no mail is sent. */
  readonly mail: MailServer | null;
  /** The tenants whose evidence log this instance does not append to, with the reason. */
  readonly stoppedLogs: () => ReadonlyMap<number, string>;
  /** The tenants of whom this instance could not put a week into a file, with the reason. */
  readonly unsealed?: () => ReadonlyMap<number, string>;
  /** Which action groups server instances record. */
  readonly coverage: AuditCoverage;
  /** Finds events. */
  readonly page: AuditEventReader['page'];
  readonly epoch: LogEpoch;
  readonly goneSeal: GoneSeal;
  readonly checkpointKeys: readonly [CheckpointKey, ...CheckpointKey[]];
  /** Whether the logs of this database are kept with another key than this instance has. */
  readonly hasOtherKey: () => boolean;
}): Module & {
  /** The rules that come with the service. */
  readonly shippedTexts: () => Iterable<string>;
  readonly problemsOf: (tenantId: number) => Promise<readonly string[]>;
  readonly openIncidents: IncidentReader['open'];
  readonly alertsOfEntity: AlertCounts['ofEntity'];
  readonly noteInIncident: IncidentStore['noteEvent'];
  /** Makes an alert of rule 40. */
  readonly tellOfTrail: HealthAlerts['tell'];
} {
  const { service, owner, tenants, maskedTenants, signal, nowMs, log, send, mail, stoppedLogs } = parts;
  // Rules and looks that wait for something to stay away take no step of the clock for time that has passed.
  const steadyMs = steadyClock(nowMs);
  const { hasDestination, goneSeal, epoch } = parts;
  const shipped = readShippedRules();
  const tally = new DetectionTally();
  const files = openRuleReader();
  const abouts = new RuleAbouts(files);
  const reader = new AlertReader(service, maskedTenants);
  const silenceMs = silenceClock(steadyMs, nowMs);
  const health = new HealthAlerts(
    owner,
    shipped,
    silenceMs,
    stoppedLogs,
    undefined,
    parts.unsealed,
    (now, attempt) => canaryProblems({ owner, service, page: parts.page }, now, attempt),
  );
  const unreadEvents = new UnreadEvents(health, nowMs);
  const arrivals = new PostgresArrivalReader(owner, nowMs, goneSeal);
  const lanes = new Lanes(nowMs, log);
  const seal = new ProgressSeal(parts.checkpointKeys, () => epoch.state, nowMs);
  const tellOf = (key: string, tenantId: number, problem: string) =>
    health.tell({ tenantId, key, since: new Date(nowMs()), group: { problem } });
  const tell: TellOfChange = (tenantId, problem) => tellOf('rules', tenantId, problem);
  const progress = new TrustedProgress({ owner, seal, tell, log });
  const holder = randomUUID();
  const detectorOf = (own: Lane, host: EngineHost) =>
    new Detector({
      owner,
      reader: arrivals,
      host,
      shipped,
      abouts,
      nowMs: steadyMs,
      tally,
      progress,
      isIdle: parts.hasOtherKey,
      onUnread: (tenantId, unread) => {
        const [first] = unread;
        log.error({ tenantId, ...first }, 'rules failed at an event: whether they find it is not known');
        return unreadEvents.tell(tenantId, unread);
      },
      onRefused: (tenantId, refused) => tellOf('refused rules', tenantId, refusedText(refused)),
      lanes: { shared: lanes, own, holder },
      onAlerts: (tx, tenantId, written) =>
        noteAlerts(
          tx,
          written
            .filter(({ isNew, status }) => isNew && status === 'new')
            .map((alert) => ({ ...alert, tenantId, severity: severityNumber(alert.severity) })),
        ),
    });
  const ahead = [...shipped].map(([ruleId, { source }]) => asShipped(ruleId, source));
  const quick = detectorOf('quick', openHost({ silenceMs: LIMITS.detectionQuickSilenceMs, ahead }));
  const slow = detectorOf('slow', openHost({ ahead }));
  const notifier = new Notifier({
    owner,
    health,
    tally,
    nowMs,
    log,
    channels: new Channels({
      reader: new AlertReader(owner, maskedTenants),
      send,
      mailer: mail && mailer(mail),
    }),
  });
  const alerts = new AlertStore(service, nowMs, (tx, alert) => noteAlerts(tx, [alert]));
  const rules = new RuleStore(service, shipped, abouts, nowMs);
  const tests = new BacktestStore(service, owner, nowMs);
  const backtests = new Backtests({
    owner,
    store: tests,
    nowMs,
    log,
    reader: arrivals,
  });
  signal.addEventListener('abort', () => backtests.close());
  const callTenants = new CallTenants(tenants);
  const check = new FindingsCheck(service, seal);
  const incidents = new IncidentReader(service, parts.page);
  const counts = new AlertCounts(service);
  const incidentStore = new IncidentStore(service, nowMs, noteAlerts);
  return {
    shippedTexts: () => [...shipped.values()].map(({ source }) => source),
    problemsOf: (tenantId) => check.problems(tenantId),
    openIncidents: (of) => incidents.open(of),
    alertsOfEntity: (of, entity) => counts.ofEntity(of, entity),
    noteInIncident: (tx, incident, what) => incidentStore.noteEvent(tx, incident, what),
    tellOfTrail: (problem) => health.tell(problem),
    health: [seal, notifier],
    resolvers: [
      new AlertRouteResolver({
        routes: new RouteStore(service, nowMs),
        rules,
        tenants: callTenants,
        hasDestination,
      }),
      new AlertResolver(reader),
      new SuppressionResolver(alerts, callTenants),
      new AlertCountsResolver(counts),
      new IncidentResolver({
        reader: incidents,
        store: incidentStore,
        tenants: callTenants,
      }),
      new AlertWorkResolver({ reader, alerts, tenants: callTenants, nowMs }),
      new RuleResolver({
        rules,
        tenants: callTenants,
        changes: parts.changes,
        coverage: parts.coverage,
      }),
      new ExceptionResolver({
        preview: new ExceptionPreview(service, nowMs),
        rules,
        alerts,
        tenants: callTenants,
        changes: parts.changes,
      }),
      new BacktestResolver({ rules, backtests: tests, tenants: callTenants }),
    ],
    metrics: declareMetrics(tally, lanes),
    stop: async () => {
      await Promise.all([notifier.stop(), backtests.stop()]);
    },
    tasks: [
      { name: 'detection', doc: 'looking for attacks', everyMs: LIMITS.detectionMs, run: () => quick.run() },
      {
        name: 'slow-detection',
        doc: 'looking for attacks with slow rules',
        everyMs: LIMITS.detectionMs,
        run: () => slow.run(),
      },
      { name: 'backtests', doc: 'running backtests', everyMs: LIMITS.backtestMs, run: () => backtests.run() },
      {
        name: 'notices',
        doc: 'telling of alerts',
        everyMs: LIMITS.noticeMs,
        run: () => epoch.unlessPaused(() => notifier.run()),
      },
      {
        name: 'trail-health',
        doc: 'looking at the trail',
        everyMs: LIMITS.trailHealthMs,
        run: () => health.look(),
      },
    ],
  };
}
