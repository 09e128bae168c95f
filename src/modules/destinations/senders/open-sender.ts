import { GuardedHttp } from '../../../delivery/guarded-http';
import type { NetworkGuard } from '../../../delivery/network-guard';
import type { Sender } from '../runner';
import type { DestinationType, SecretsOf, SettingsOf, StoredSecrets } from '../types';
import { azureMonitorSender } from './azure-monitor';
import { elasticsearchSender } from './elasticsearch';
import { objectStoreSender } from './object-store';
import { splunkSender } from './splunk-hec';
import { syslogSender } from './syslog';
import { webhookSender } from './webhook';
import { withoutSecrets } from './without-secrets';

type Of<T> = (settings: never, secrets: never) => T;

/** Opens the sender of a destination. Its type has checked settings and secrets already. */
export function openSender(
  type: DestinationType,
  given: { readonly url: string },
  secrets: StoredSecrets,
  { guard, nowMs }: { readonly guard: NetworkGuard; readonly nowMs: () => number },
): Sender {
  const settings = { ...given, url: given.url + (secrets.query ?? '') };
  const http = () => new GuardedHttp(guard, settings as { readonly ca?: string });
  const senders: Readonly<Record<DestinationType, Of<Sender>>> = {
    webhook: (s: SettingsOf<'webhook'>, p: SecretsOf<'webhook'>) => webhookSender(http(), s, p, nowMs),
    'splunk-hec': (s: SettingsOf<'splunk-hec'>, p: SecretsOf<'splunk-hec'>) =>
      splunkSender(http(), s, p, nowMs),
    elasticsearch: (s: SettingsOf<'elasticsearch'>, p: SecretsOf<'elasticsearch'>) =>
      elasticsearchSender(http(), s, p, nowMs),
    'azure-monitor': (s: SettingsOf<'azure-monitor'>, p: SecretsOf<'azure-monitor'>) =>
      azureMonitorSender(http(), s, p, nowMs),
    s3: (s: SettingsOf<'s3'>, p: SecretsOf<'s3'>) => objectStoreSender(http(), s, p, nowMs),
    syslog: (s: SettingsOf<'syslog'>, p: SecretsOf<'syslog'>) => syslogSender('syslog', guard, s, p),
    relp: (s: SettingsOf<'relp'>, p: SecretsOf<'relp'>) => syslogSender('relp', guard, s, p),
  };
  return withoutSecrets(senders[type](settings as never, secrets as never), secrets);
}
