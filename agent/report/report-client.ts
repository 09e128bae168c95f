import { z } from 'zod';
import { withDeadline } from '../deadline';
import { toWanted, type Wanted, wantedAnswer } from '../settings/kept-settings';
import { type Offer, offerAnswer } from '../update/offer';
import { parseAnswer } from '../uplink/answer';
import { postGraphql, type ServiceAddress } from '../uplink/graphql-post';
import type { HttpResponse } from '../uplink/http-exchange';
import { reasonOf } from '../uplink/ingest-client';
import type { SourceReport } from './source-report';

export type ReportAnswer =
  /**
   * `gapsKept`: how many gaps of the report the service now has. `wanted`: what it wants the agent to run, null: nothing;
   * absent: it does not say. `offer`: the package that it offers, in the same way.
   */
  | {
      readonly kind: 'kept';
      readonly gapsKept: number;
      readonly wanted?: Wanted | null | undefined;
      readonly offer?: Offer | null | undefined;
    }
  /** The service is older than this agent, and does not know reports. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly message: string };

const mutationOf = (answer: string) =>
  `mutation($report: AuditSourceReport!) { reportAuditSource(report: $report) { ${answer} } }`;
const WANTED = 'settingsVersion settings { pollIntervalMs batchMaxEvents logLevel databasesOn databasesOff }';
const OFFER = 'package { packageId version build size sha256 signature window allowsOlder }';
const answerData = z.object({
  reportAuditSource: z.object({ gapsKept: z.int().min(0), ...wantedAnswer.shape, ...offerAnswer.shape }),
});
/** How GraphQL names what the schema lacks. */
const UNKNOWN = /(Cannot query field|Unknown type) "(reportAuditSource|AuditSourceReport)"/;

/** The service is of a build that has no names for refused events, no runs, no settings or no packages of agents. All go with 0.2.0. */
const UNKNOWN_REASON = /"REJECTED" does not exist in "AuditGapReason"/;
const UNKNOWN_SETTINGS =
  /Cannot query field "settings(Version)?" on type|Field "running" is not defined by type "AuditSourceReport"/;
const UNKNOWN_PACKAGE =
  /Cannot query field "package" on type|Field "package" is not defined by type "AuditSourceReport"/;
const UNKNOWN_RUN = /Field "runId" is not defined by type "AuditSourceReport"/;

/** Sends reports, once each. Never throws. */
export class ReportClient {
  private knowsRuns = true;
  private knowsSettings = true;
  private knowsPackages = true;

  constructor(
    private readonly service: ServiceAddress,
    private readonly timeoutMs: number,
  ) {}

  async send(report: SourceReport, abandon: AbortSignal): Promise<ReportAnswer> {
    try {
      const answer = await this.post(report, abandon);
      const { errors } = parseAnswer(answer);
      const isUnknown = (what: RegExp) => errors.some((error) => what.test(error));
      const [lacksReason, lacksRuns] = [isUnknown(UNKNOWN_REASON), isUnknown(UNKNOWN_RUN)];
      const lacksSettings = isUnknown(UNKNOWN_SETTINGS);
      const lacksPackages = isUnknown(UNKNOWN_PACKAGE);
      if (!lacksReason && !lacksRuns && !lacksSettings && !lacksPackages) return toReportAnswer(answer);
      this.knowsRuns &&= !lacksRuns;
      this.knowsSettings &&= !lacksSettings;
      this.knowsPackages &&= !lacksPackages;
      const gaps = report.gaps.map((gap) => ({
        ...gap,
        reason: lacksReason && gap.reason === 'REJECTED' ? ('UNREADABLE' as const) : gap.reason,
      }));
      return toReportAnswer(await this.post({ ...report, gaps }, abandon));
    } catch (error) {
      return { kind: 'failed', message: reasonOf(error) };
    }
  }

  private post(report: SourceReport, abandon: AbortSignal): Promise<HttpResponse> {
    const known = {
      ...report,
      ...(!this.knowsRuns && { runId: undefined }),
      ...(!this.knowsSettings && { running: undefined }),
      ...(!this.knowsPackages && { package: undefined }),
    };
    const asked = [
      'gapsKept',
      ...(this.knowsSettings ? [WANTED] : []),
      ...(this.knowsPackages ? [OFFER] : []),
    ];
    const query = mutationOf(asked.join(' '));
    const body = Buffer.from(JSON.stringify({ query, variables: { report: known } }));
    return withDeadline(this.timeoutMs, abandon, (signal) => postGraphql(this.service, [body], signal));
  }
}

function toReportAnswer(answer: HttpResponse): ReportAnswer {
  const { data, errors, message } = parseAnswer(answer);
  const kept = answerData.safeParse(data);
  if (answer.status === 200 && errors.length === 0 && kept.success) {
    const { gapsKept, settingsVersion, settings, package: offer } = kept.data.reportAuditSource;
    return { kind: 'kept', gapsKept, wanted: toWanted(settingsVersion, settings), offer };
  }
  return errors.some((error) => UNKNOWN.test(error)) ? { kind: 'unknown' } : { kind: 'failed', message };
}
