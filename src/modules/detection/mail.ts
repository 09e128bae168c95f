import { createTransport } from 'nodemailer';
import type { Answer } from '../../event/shape';
import type { ALERT } from './answers';

type AlertAnswer = Answer<typeof ALERT>;

export interface MailServer {
  /** `smtp://` (STARTTLS) or `smtps://` (TLS), with a login in it. */
  readonly url: string;
  readonly from: string;
}

export interface Mailer {
  send(
    to: readonly string[],
    alerts: readonly { readonly alert: AlertAnswer; readonly state: string }[],
  ): Promise<void>;
}

const TIMEOUT_MS = 20_000;

/** A login never goes over a connection that is not encrypted. */
export function mailer({ url, from }: MailServer): Mailer {
  const { username } = new URL(url);
  const transport = createTransport({
    url,
    ...(username !== '' && { requireTLS: true }),
    ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
  });
  return {
    send: async (to, alerts) => {
      const [first] = alerts;
      if (!first) return;
      const { alert, state } = first;
      const subject =
        alerts.length === 1
          ? `[${alert.severity}] ${alert.title} (${state})`
          : `${alerts.length} alerts, the worst ${worstOf(alerts)}`;
      await transport.sendMail({
        ...{
          from,
          to: [...to],
          subject,
          text: alerts.map((one) => textOf(one.alert, one.state)).join('\n\n'),
        },
        // The same alert and state have the same id: a mail that is sent twice is known as one.
        ...(alerts.length === 1 && { messageId: `<${alert.alertId}.${state}@audit-activity>` }),
      });
    },
  };
}

const ORDER = ['critical', 'high', 'medium', 'low'];
const worstOf = (alerts: readonly { readonly alert: AlertAnswer }[]) =>
  ORDER.find((severity) => alerts.some(({ alert }) => alert.severity === severity)) ?? 'low';

const textOf = (alert: AlertAnswer, state: string): string =>
  [
    `${alert.title}`,
    `State: ${state}    Severity: ${alert.severity}    Tenant: ${alert.tenantId}`,
    ...Object.entries(alert.group).map(([name, value]) => `${name}: ${value ?? '-'}`),
    `Events: ${alert.eventCount} in ${alert.findingCount} findings, ${alert.firstEventTime} to ${alert.lastEventTime}`,
    `Alert: ${alert.alertId}`,
  ].join('\n');
