import type { ConfigFileContent } from '../../config/config-schema';
import type { Secret } from '../../config/secret';

/** A source of type `S3`. Null: not given. */
export interface S3Config {
  readonly type: 'S3';
  readonly bucket: string;
  readonly prefix: string;
  readonly region: string | null;
  /** Address of another store with the interface of S3, without a slash at its end. */
  readonly endpoint: string | null;
  readonly accessKeyId: string | null;
  readonly secretAccessKey: Secret | null;
  readonly sessionToken: Secret | null;
  /** Section of the file of credentials. */
  readonly profile: string | null;
  /** A role to assume with the credentials that were found. */
  readonly roleArn: string | null;
  readonly externalId: Secret | null;
  /** Between two listings. */
  readonly listIntervalMs: number;
}

type Source = ConfigFileContent['EventHubPublisher']['Databases'][number]['AuditSource'];
type Written = Extract<Source, { Type: 'S3' }>['S3'];

export const toS3 = (given: Written): S3Config => ({
  type: 'S3',
  bucket: given.Bucket,
  prefix: given.Prefix ?? '',
  region: given.Region ?? null,
  endpoint: given.Endpoint ?? null,
  accessKeyId: given.AccessKeyId,
  secretAccessKey: given.SecretAccessKey,
  sessionToken: given.SessionToken,
  profile: given.Profile,
  roleArn: given.RoleArn,
  externalId: given.ExternalId,
  listIntervalMs: given.ListIntervalMs,
});
