import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isForATime, type MailServer, openSmtp, takenOf } from '../../../delivery/smtp';
import { DAY_MS } from '../../../event/event-time';
import type { Answer } from '../../../event/shape';
import { onOneLine } from '../../../event/visible-text';
import { ESCALATED } from '../alerts/note-alerts';
import type { ALERT } from '../base/answers';

type AlertAnswer = Answer<typeof ALERT>;

/** An alert, and the state in which it is told. */
export interface ToldAlert {
  readonly alert: AlertAnswer;
  readonly state: string;
  /** The titles of other alerts of its incident: they are told with it. */
  readonly others?: readonly string[];
  /** Whether it is told without the names of its events. */
  readonly isNameless?: boolean;
}

export interface Mailer {
  /**
   * @returns addresses that the server refused for good while it took others
   * @throws MailFailure also where it has taken it for some addresses, and for others is to be asked later
   */
  send(to: readonly string[], alerts: readonly ToldAlert[]): Promise<readonly string[]>;
}

export class MailFailure extends Error {
  override readonly name = 'MailFailure';

  constructor(
    message: string,
    /** Whether the server takes no mail at all, because it is away or refuses the login or the sender. */
    readonly isOfServer: boolean,
    /** True if one mail does not show whether the server takes others. */
    readonly isGuess = false,
  ) {
    super(message);
  }
}

/** Error codes of nodemailer that concern one mail and not the server. */
const OF_ONE_MAIL = ['EENVELOPE', 'EMESSAGE'];
/** SMTP code with which the server ends the session. */
const CLOSING = 421;
/** The most mails to remember that only some addresses have got yet. */
const PARTLY_TAKEN_MAX = 10_000;
const ALERTS_SHOWN_MAX = 100;
/** SMTP codes of refusals for good. */
const FOR_GOOD = /^5/;

/** Sends mails. */
export function mailer(server: MailServer): Mailer {
  const { from } = server;
  const { transport, blank } = openSmtp(server);
  const taken = new LRUCache<string, Set<string>>({ max: PARTLY_TAKEN_MAX });
  const hasAll = (alerts: readonly ToldAlert[], address: string) =>
    alerts.every((one) => taken.get(idOf(one))?.has(address));
  return {
    send: async (to, alerts) => {
      const [first] = alerts;
      const missing = to.filter((address) => !hasAll(alerts, address));
      if (!first || missing.length === 0) return [];
      const sendOf = (some: readonly ToldAlert[], [one = first] = some) =>
        transport.sendMail({
          ...{ from, to: [...to], envelope: { from, to: missing } },
          ...(some.length === 1 ? mailOf(one) : digestOf(some)),
        });
      const {
        accepted,
        rejected = [],
        rejectedErrors = [],
      } = await sendOf(alerts)
        .catch((error: SmtpError) =>
          isOfText(error) ? sendOf(alerts.map(withoutNames)) : Promise.reject(error),
        )
        .catch((error: SmtpError) => {
          throw failureOf({ ...error, message: blank(error.message) }, missing.length < to.length);
        });
      const later = rejectedErrors.find(isForATime);
      if (!later) {
        for (const one of alerts) taken.delete(idOf(one));
        return rejected;
      }
      // The other addresses have the mail, and must not get it again.
      const done = takenOf(missing, accepted);
      for (const one of alerts) taken.set(idOf(one), new Set([...(taken.get(idOf(one)) ?? []), ...done]));
      throw new MailFailure(blank(later.message), false);
    },
  };
}

interface SmtpError extends Error {
  readonly code?: string;
  /** The SMTP command that failed. */
  readonly command?: string;
  readonly responseCode?: number;
  /** One for each address, if the server refused all of them. */
  readonly rejectedErrors?: readonly SmtpError[];
}

/** A mail refused for all addresses: if only for a time, the cause is probably the server, and else the addresses. */
function failureOf(error: SmtpError, isPartlyTaken: boolean): MailFailure {
  const isSure = isPartlyTaken || isOfServer(error);
  if (isSure) return new MailFailure(error.message, isOfServer(error));
  return new MailFailure(error.message, [error, ...(error.rejectedErrors ?? [])].some(isForATime), true);
}

/** The sender is the same in every mail, so its refusal concerns all mails. */
const isOfServer = ({ code = '', command, responseCode }: SmtpError): boolean =>
  !OF_ONE_MAIL.includes(code) || command === 'MAIL FROM' || responseCode === CLOSING;

/** The server refuses the text of the mail for good, as a filter for spam does. */
const isOfText = ({ code, command, responseCode }: SmtpError): boolean =>
  code === 'EMESSAGE' && command === 'DATA' && FOR_GOOD.test(String(responseCode));

/** Attackers choose the names of events: a name that a filter refuses must not keep people from being told. */
const withoutNames = ({ alert, ...rest }: ToldAlert): ToldAlert => ({
  ...rest,
  alert: { ...alert, summary: null, group: {} },
  isNameless: true,
});

const idOf = ({ alert, state }: ToldAlert): string => `${alert.alertId}.${state}`;

/** The same alert and state give the same Message-ID, so that a repeated mail can be recognized. */
const mailOf = ({ alert, state, ...rest }: ToldAlert) => ({
  subject: onOneLine(`[${alert.severity}] ${alert.title} (${state})`),
  text: textOf({ alert, state, ...rest }),
  messageId: `<${idOf({ alert, state })}@audit-activity>`,
  priority: priorityOf(alert),
});

const digestOf = (alerts: readonly ToldAlert[]) => ({
  subject: `${alerts.length} alerts, the worst ${worstOf(alerts)}`,
  text: [
    ...alerts.slice(0, ALERTS_SHOWN_MAX).map(textOf),
    ...(alerts.length > ALERTS_SHOWN_MAX ? [`and ${alerts.length - ALERTS_SHOWN_MAX} more`] : []),
  ].join('\n\n'),
  messageId: `<${digestIdOf(alerts)}.digest@audit-activity>`,
});

const digestIdOf = (alerts: readonly ToldAlert[]) =>
  createHash('sha256')
    .update(JSON.stringify(alerts.map(({ alert, state }) => [alert.alertId, state]).sort()))
    .digest('hex')
    .slice(0, 32);

/** An alert about events of more than a day ago gets a low priority. */
function priorityOf({ severity, lastEventTime, createdAt }: AlertAnswer): 'high' | 'normal' | 'low' {
  if (Date.parse(createdAt) - Date.parse(lastEventTime) > DAY_MS) return 'low';
  return severity === 'critical' ? 'high' : 'normal';
}

const ORDER = ['critical', 'high', 'medium', 'low'];
const worstOf = (alerts: readonly ToldAlert[]) =>
  ORDER.find((severity) => alerts.some(({ alert }) => alert.severity === severity)) ?? 'low';

/** Each fact is one line, whatever names hold. Keeps lines short. With a longer line, the whole mail would be sent in an encoding that breaks all lines. */
const textOf = ({ alert, state, others = [], isNameless = false }: ToldAlert): string =>
  [
    `${alert.title}`,
    ...(alert.summary === null ? [] : [alert.summary]),
    ...(state === ESCALATED ? [`Nobody has acknowledged it since ${alert.createdAt}`] : []),
    `State: ${state}    Severity: ${alert.severity}    Tenant: ${alert.tenantId}`,
    ...(isNameless ? ['The mail server refused this mail with its names: look at the alert itself'] : []),
    ...Object.entries(alert.group).map(([name, value]) => `${name}: ${value ?? '-'}`),
    `Events: ${alert.eventCount} in ${alert.findingCount} findings`,
    `First event: ${alert.firstEventTime}`,
    `Last event: ${alert.lastEventTime}`,
    `Alert: ${alert.alertId}`,
    ...(alert.incidentId === null ? [] : [`Incident: ${alert.incidentId}`]),
    ...others.map((title) => `With it: ${title}`),
  ]
    .map(onOneLine)
    .join('\n');
