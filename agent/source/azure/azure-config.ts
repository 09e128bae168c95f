import type { ConfigFileContent } from '../../config/config-schema';
import type { Secret } from '../../config/secret';

/** A source of type `AzureBlob`. Null: not given. */
export interface AzureConfig {
  readonly type: 'AzureBlob';
  readonly account: string;
  readonly container: string;
  readonly prefix: string;
  /** Address of the account, without a slash at its end; null: Azure's. */
  readonly endpoint: string | null;
  readonly sasToken: Secret | null;
  readonly accountKey: Secret | null;
  /** Directory, application and its secret in Microsoft Entra; the application alone is a managed identity. */
  readonly tenantId: string | null;
  readonly clientId: string | null;
  readonly clientSecret: Secret | null;
  /** Between two listings. */
  readonly listIntervalMs: number;
}

type Source = ConfigFileContent['EventHubPublisher']['Databases'][number]['AuditSource'];
type Written = Extract<Source, { Type: 'AzureBlob' }>['AzureBlob'];

export const toAzure = (given: Written): AzureConfig => ({
  type: 'AzureBlob',
  account: given.Account,
  container: given.Container,
  prefix: given.Prefix ?? '',
  endpoint: given.Endpoint ?? null,
  sasToken: given.SasToken,
  accountKey: given.AccountKey,
  tenantId: given.TenantId,
  clientId: given.ClientId,
  clientSecret: given.ClientSecret,
  listIntervalMs: given.ListIntervalMs,
});
