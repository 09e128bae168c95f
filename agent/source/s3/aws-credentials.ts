import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { awsHeaders } from '../../../src/delivery/aws-signature';
import { readIfThere } from '../../durable-file';
import type { Environment } from '../environment';
import { StoreError } from '../objects/store-error';
import { jsonOf, type StoreAnswer, type StoreHttp } from '../objects/store-http';
import { xmlText } from '../objects/xml';
import type { S3Config } from './s3-config';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  /** Null: they do not end. */
  readonly endMs: number | null;
}

interface ChainOptions {
  readonly config: S3Config;
  readonly region: string;
  readonly env: Environment;
  readonly http: StoreHttp;
  /** For the addresses of a host or container itself, which answer at once or not at all. */
  readonly metadata: StoreHttp;
  readonly nowMs: () => number;
}

/** Credentials are fetched anew so long before they end. */
const LEFT_MS = 300_000;
const SESSION_NAME = 'audit-agent';
const CONTAINER = 'http://169.254.170.2';
const INSTANCE = 'http://169.254.169.254';

/**
 * Amazon's chain of credentials: the configuration, the environment, the file of credentials, a web identity, the container,
 * the instance; with any of them, the role of the configuration is assumed.
 */
export class AwsChain {
  private known: AwsCredentials | null = null;

  constructor(private readonly options: ChainOptions) {}

  async get(): Promise<AwsCredentials> {
    const { nowMs } = this.options;
    const { known } = this;
    if (known !== null && (known.endMs === null || known.endMs - LEFT_MS > nowMs())) return known;
    const own = await this.own();
    this.known = this.options.config.roleArn === null ? own : await this.assumed(own);
    return this.known;
  }

  /** Forgets credentials that were refused. */
  drop(): void {
    this.known = null;
  }

  private async own(): Promise<AwsCredentials> {
    const { config, env } = this.options;
    if (config.accessKeyId !== null && config.secretAccessKey !== null)
      return lasting(config.accessKeyId, config.secretAccessKey.reveal(), config.sessionToken?.reveal());
    if (config.profile !== null) {
      const found = await this.ofFile(config.profile);
      if (found === null)
        throw new StoreError(`no credentials: the profile ${config.profile} has no access key`);
      return found;
    }
    if (env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY)
      return lasting(env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN);
    const ofFile = await this.ofFile(env.AWS_PROFILE || 'default');
    if (ofFile !== null) return ofFile;
    if (env.AWS_WEB_IDENTITY_TOKEN_FILE && env.AWS_ROLE_ARN)
      return this.ofWebIdentity(env.AWS_WEB_IDENTITY_TOKEN_FILE, env.AWS_ROLE_ARN);
    if (env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI || env.AWS_CONTAINER_CREDENTIALS_FULL_URI)
      return this.ofContainer();
    if (env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') throw new StoreError(NONE);
    return this.ofInstance();
  }

  private async ofFile(profile: string): Promise<AwsCredentials | null> {
    const { env } = this.options;
    const path = env.AWS_SHARED_CREDENTIALS_FILE || join(env.HOME || homedir(), '.aws', 'credentials');
    const section = sectionOf((await readIfThere(path).catch(() => null)) ?? '', profile);
    const { aws_access_key_id: id, aws_secret_access_key: key, aws_session_token: token } = section;
    return id && key ? lasting(id, key, token) : null;
  }

  private async ofWebIdentity(path: string, roleArn: string): Promise<AwsCredentials> {
    const token = await readFile(path, 'utf8').catch(() => {
      throw new StoreError('no credentials: the file of AWS_WEB_IDENTITY_TOKEN_FILE cannot be read');
    });
    const name = this.options.env.AWS_ROLE_SESSION_NAME || SESSION_NAME;
    return this.askSts({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: roleArn,
      RoleSessionName: name,
      WebIdentityToken: token.trim(),
    });
  }

  private async assumed(own: AwsCredentials): Promise<AwsCredentials> {
    const { roleArn, externalId } = this.options.config;
    const ExternalId = externalId?.reveal();
    const parameters = { Action: 'AssumeRole', RoleArn: roleArn ?? '', RoleSessionName: SESSION_NAME };
    return this.askSts(ExternalId === undefined ? parameters : { ...parameters, ExternalId }, own);
  }

  private async askSts(
    parameters: Readonly<Record<string, string>>,
    signer?: AwsCredentials,
  ): Promise<AwsCredentials> {
    const { env, http, nowMs, region } = this.options;
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    const url = new URL(env.AWS_ENDPOINT_URL_STS || `https://sts.${region}.${domain}/`);
    const body = Buffer.from(new URLSearchParams({ ...parameters, Version: '2011-06-15' }).toString());
    const answer = await http.send(() => {
      const request = { method: 'POST', url, body } as const;
      const signed = signer
        ? awsHeaders({ ...signer, region, service: 'sts' }, request, new Date(nowMs()))
        : {};
      const headers = { 'content-type': 'application/x-www-form-urlencoded', ...signed };
      return { method: 'POST', url: url.href, headers, body: [body] };
    });
    const xml = answer.body.toString('utf8');
    if (answer.status !== 200)
      throw new StoreError(
        `no credentials: the role is refused (${xmlText(xml, 'Code') || `HTTP ${answer.status}`})`,
      );
    return temporary({
      AccessKeyId: xmlText(xml, 'AccessKeyId'),
      SecretAccessKey: xmlText(xml, 'SecretAccessKey'),
      Token: xmlText(xml, 'SessionToken'),
      Expiration: xmlText(xml, 'Expiration'),
    });
  }

  private async ofContainer(): Promise<AwsCredentials> {
    const { env } = this.options;
    const relative = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
    const url = relative ? CONTAINER + relative : (env.AWS_CONTAINER_CREDENTIALS_FULL_URI ?? '');
    const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
    const token = file ? await readIfThere(file).catch(() => null) : env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
    return temporary(jsonOf(await this.askHost(url, token ? { authorization: token.trim() } : {})));
  }

  private async ofInstance(): Promise<AwsCredentials> {
    const { env, metadata } = this.options;
    const base = (env.AWS_EC2_METADATA_SERVICE_ENDPOINT || INSTANCE).replace(/\/+$/, '');
    const answer = await metadata
      .send(() => ({
        method: 'PUT',
        url: `${base}/latest/api/token`,
        headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600', 'content-length': '0' },
      }))
      .catch(() => null);
    if (answer?.status !== 200) throw new StoreError(NONE);
    const headers = { 'x-aws-ec2-metadata-token': answer.body.toString('utf8').trim() };
    const path = `${base}/latest/meta-data/iam/security-credentials/`;
    const role = (await this.askHost(path, headers)).body.toString('utf8').trim().split('\n')[0] ?? '';
    return temporary(jsonOf(await this.askHost(path + encodeURIComponent(role), headers)));
  }

  private async askHost(url: string, headers: Readonly<Record<string, string>>): Promise<StoreAnswer> {
    const answer = await this.options.metadata
      .send(() => ({ method: 'GET', url, headers }))
      .catch(() => null);
    if (answer?.status !== 200) throw new StoreError('no credentials: this host or container has no role');
    return answer;
  }
}

const NONE =
  'no credentials: neither the configuration nor the environment nor a file nor this host or container has any';

const lasting = (
  accessKeyId: string,
  secretAccessKey: string,
  token: string | undefined,
): AwsCredentials => ({
  accessKeyId,
  secretAccessKey,
  sessionToken: token || undefined,
  endMs: null,
});

function temporary(given: Readonly<Record<string, unknown>>): AwsCredentials {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = given;
  const endMs = Date.parse(String(Expiration));
  const isWhole = [AccessKeyId, SecretAccessKey, Token].every((one) => typeof one === 'string' && one !== '');
  if (!isWhole || Number.isNaN(endMs)) throw new StoreError('no credentials: the answer has none');
  return {
    accessKeyId: String(AccessKeyId),
    secretAccessKey: String(SecretAccessKey),
    sessionToken: String(Token),
    endMs,
  };
}

/** The settings of a section `[name]` or `[profile name]`. */
function sectionOf(text: string, name: string): Readonly<Record<string, string>> {
  const settings: Record<string, string> = {};
  let isIn = false;
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\s*\[\s*(?:profile\s+)?([^\]]+?)\s*\]/.exec(line) ?? [];
    if (title !== undefined) isIn = title === name;
    const [, key, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isIn && key !== undefined && value !== undefined) settings[key.toLowerCase()] = value;
  }
  return settings;
}
