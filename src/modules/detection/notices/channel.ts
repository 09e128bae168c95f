import { SYSLOG_SEVERITY, type SyslogSeverity } from '../../../delivery/syslog-message';
import type { Severity } from '../../../rules/rule';
import { tenantSet } from '../../../tenant-set';
import type { AlertReader } from '../alerts/alert.reader';
import { ESCALATED } from '../alerts/note-alerts';
import { type Mailer, MailFailure, type ToldAlert } from './mail';
import type { Due } from './notice-queue';
import { toOcsfFinding } from './ocsf-finding';
import type { RouteTarget } from './route.store';

const SYSLOG_SEVERITIES: Readonly<Record<Severity, SyslogSeverity>> = {
  low: SYSLOG_SEVERITY.notice,
  medium: SYSLOG_SEVERITY.warning,
  high: SYSLOG_SEVERITY.error,
  critical: SYSLOG_SEVERITY.critical,
};

/** The outcome of a message; null: the destination does not exist. */
type Sent = { readonly kind: string; readonly message?: string; readonly isOfInstance?: boolean } | null;
export type SendAlert = (
  tenantId: number,
  destinationId: string,
  message: {
    readonly id: string;
    readonly at: Date;
    readonly severity: SyslogSeverity;
    readonly content: object;
  },
) => Promise<Sent>;

/** A route and its target. */
export interface AlertRoute {
  readonly tenantId: number;
  readonly routeId: string;
  readonly name: string;
  /** Null: alerts of any rule. */
  readonly ruleId: string | null;
  readonly target: RouteTarget;
}

export interface Failure {
  readonly message: string;
  /** True if the failure concerns every route over the same channel, and not only this route. */
  readonly isOfChannel: boolean;
  /** True if `isOfChannel` is a guess. Other routes over the same channel may show the contrary. */
  readonly isGuess?: boolean;
  /** Whether this instance may not connect to the destination. Another instance may. */
  readonly isOfInstance?: boolean;
  /** Whether the receiver refuses this message for its content. It may take others. */
  readonly isOfMessage?: boolean;
}

/** Routes with the same channel fail together. */
export const channelOf = ({ target }: Pick<AlertRoute, 'target'>): string =>
  'to' in target ? 'e-mail' : `destination ${target.destinationId}`;

/** The state that a message states: that of its notice. An escalation states that of the alert. */
const statusOf = <S>(state: string, now: S): S => (state === ESCALATED ? now : (state as S));

/** Sends the notices that are due on one route. */
export class Channels {
  constructor(
    private readonly parts: {
      readonly reader: AlertReader;
      readonly send: SendAlert;
      readonly mailer: Mailer | null;
    },
  ) {}

  /** @returns addresses that were refused while others were accepted; or a failure, if nobody was told */
  async send(route: AlertRoute, due: readonly Due[]): Promise<readonly string[] | Failure> {
    const { reader, mailer } = this.parts;
    const tenants = tenantSet([route.tenantId]);
    const found = await Promise.all(due.map(({ alertId }) => reader.alert(tenants, alertId)));
    const told = found.flatMap((alert, i) => {
      const notice = due[i];
      if (!alert || !notice) return [];
      return [
        { notice, alert: { ...alert, status: statusOf(notice.state, alert.status) }, state: notice.state },
      ];
    });
    if ('to' in route.target) {
      if (!mailer) return { message: 'SMTP_URL is not set', isOfChannel: true };
      const others = await reader.othersOf(
        tenants,
        told.map(({ alert }) => alert),
      );
      const whole = told.map((one) => ({ ...one, others: others(one.alert) }));
      return mailer.send(route.target.to, whole).catch((error: Error) => ({
        message: error.message,
        isOfChannel: error instanceof MailFailure && error.isOfServer,
        isGuess: error instanceof MailFailure && error.isGuess,
      }));
    }
    for (const one of told) {
      const failure = await this.#post(route.tenantId, route.target, one);
      if (failure !== null) return failure;
    }
    return [];
  }

  async #post(
    tenantId: number,
    { destinationId, format }: Exclude<RouteTarget, { readonly to: unknown }>,
    { notice, alert }: ToldAlert & { readonly notice: Due },
  ): Promise<Failure | null> {
    const isEscalated = notice.state === ESCALATED;
    const content =
      format === 'ocsf'
        ? toOcsfFinding(alert, alert.status)
        : { type: 'alert', ...alert, ...(isEscalated && { escalated: true }) };
    const severity = SYSLOG_SEVERITIES[alert.severity];
    const message = { id: notice.noticeId, at: notice.createdAt, severity, content };
    const sent: Sent = await this.parts.send(tenantId, destinationId, message).catch((error: Error) => ({
      kind: 'failed',
      message: error.message,
    }));
    if (sent === null) return { message: 'there is no such destination', isOfChannel: true };
    if (sent.kind === 'accepted') return null;
    const { kind, message: reason = kind, isOfInstance = false } = sent;
    return { message: reason, isOfChannel: true, isOfInstance, isOfMessage: kind === 'refused' };
  }
}
