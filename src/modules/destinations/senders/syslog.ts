import type { NetworkGuard } from '../../../delivery/network-guard';
import { Relp } from '../../../delivery/relp';
import { SYSLOG_SEVERITY, syslogMessage } from '../../../delivery/syslog-message';
import { SyslogTls } from '../../../delivery/syslog-tls';
import { jsonOnOneLine } from '../../../event/visible-text';
import type { Item } from '../batch';
import type { Sender } from '../runner';
import type { SecretsOf, SettingsOf } from '../types';

const PORTS = { syslog: 6514, relp: 20514 } as const;

/** Syslog over TLS or by RELP. Each event is one message, with the event as its text. */
export function syslogSender(
  type: 'syslog' | 'relp',
  guard: NetworkGuard,
  { url, appName, ca }: SettingsOf<'syslog'>,
  { clientCertificate, clientKey }: SecretsOf<'syslog'>,
): Sender {
  const { hostname, port, protocol } = new URL(url);
  const place = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? PORTS[type] : Number(port),
    tls: protocol === 'relp:' ? null : { ca, cert: clientCertificate, key: clientKey },
  };
  const receiver = type === 'syslog' ? new SyslogTls(guard, place) : new Relp(guard, place);
  // An alert may come while a batch is being sent, but a connection carries one of them at a time.
  let before: Promise<unknown> = Promise.resolve();
  return {
    send: ({ items }, signal) => {
      const messages = items.map((item) =>
        syslogMessage(headOf(item, appName), item.line ?? jsonOnOneLine(item.json)),
      );
      const sent = before.then(() => receiver.send(messages, signal));
      before = sent.catch(() => {});
      return sent;
    },
    close: () => receiver.close(),
  };
}

const headOf = ({ time, hostName, instanceName, actionId, succeeded, severity }: Item, appName: string) => ({
  time,
  hostName,
  processId: instanceName ?? null,
  appName,
  messageId: actionId,
  severity: severity ?? (succeeded ? SYSLOG_SEVERITY.informational : SYSLOG_SEVERITY.warning),
});
