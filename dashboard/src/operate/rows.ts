import type {
  AccessLogQuery,
  AlertRoutesQuery,
  DestinationsQuery,
  KeysQuery,
  TenantsQuery,
} from '../../generated/operations';

/** The rows of the operators' lists, as their queries return them. */
export type Tenant = TenantsQuery['tenants'][number];
export type ApiKey = KeysQuery['apiKeys'][number];
export type Destination = DestinationsQuery['destinations'][number];
export type RuleTitle = AlertRoutesQuery['detectionRules'][number];
export type Entry = AccessLogQuery['accessLog']['entries'][number];

export const whoOf = ({ principalKind, keyName, userName }: Entry): string =>
  [userName, keyName ?? principalKind].filter(Boolean).join(' · ');
