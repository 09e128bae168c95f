import { readFile } from 'node:fs/promises';
import type { Environment } from '../environment';
import { StoreError } from '../objects/store-error';
import { jsonOf, type StoreAnswer, type StoreHttp, type StoreRequest } from '../objects/store-http';
import type { AzureConfig } from './azure-config';

interface TokenOptions {
  readonly config: AzureConfig;
  readonly env: Environment;
  readonly http: StoreHttp;
  /** For the addresses of a host or container itself, which answer at once or not at all. */
  readonly metadata: StoreHttp;
  readonly nowMs: () => number;
}

/** A token is fetched anew so long before it ends. */
const LEFT_MS = 300_000;
const RESOURCE = 'https://storage.azure.com/';
const LOGIN = 'https://login.microsoftonline.com';
const HOST = 'http://169.254.169.254';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Tokens of Microsoft Entra for storage: of an application, a workload identity or a managed identity. */
export class AzureTokens {
  private known: { readonly text: string; readonly endMs: number } | null = null;

  constructor(private readonly options: TokenOptions) {}

  async get(): Promise<string> {
    const { nowMs } = this.options;
    if (this.known !== null && this.known.endMs - LEFT_MS > nowMs()) return this.known.text;
    const answer = await this.ask();
    const { access_token: text, expires_in: seconds } = jsonOf(answer);
    if (answer.status !== 200 || typeof text !== 'string' || !/^[!-~]+$/.test(text) || !(Number(seconds) > 0))
      throw new StoreError(`no credentials: ${reasonOf(answer)}`);
    this.known = { text, endMs: nowMs() + Number(seconds) * 1_000 };
    return text;
  }

  /** Forgets a token that was refused. */
  drop(): void {
    this.known = null;
  }

  private async ask(): Promise<StoreAnswer> {
    const { config, env } = this.options;
    const tenant = config.tenantId ?? env.AZURE_TENANT_ID;
    const client = config.clientId ?? env.AZURE_CLIENT_ID;
    const secret = config.clientSecret?.reveal() ?? (env.AZURE_CLIENT_SECRET || undefined);
    if (tenant && client && secret !== undefined)
      return this.login(tenant, client, { client_secret: secret });
    if (tenant && client && env.AZURE_FEDERATED_TOKEN_FILE) {
      const token = await readFile(env.AZURE_FEDERATED_TOKEN_FILE, 'utf8').catch(() => {
        throw new StoreError('no credentials: the file of AZURE_FEDERATED_TOKEN_FILE cannot be read');
      });
      return this.login(tenant, client, {
        client_assertion_type: ASSERTION,
        client_assertion: token.trim(),
      });
    }
    return this.askHost(client);
  }

  private login(
    tenant: string,
    client: string,
    proof: Readonly<Record<string, string>>,
  ): Promise<StoreAnswer> {
    const { env, http } = this.options;
    const base = (env.AZURE_AUTHORITY_HOST || LOGIN).replace(/\/+$/, '');
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client,
      scope: `${RESOURCE}.default`,
      ...proof,
    });
    return http.send(() => ({
      method: 'POST',
      url: `${base}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: [Buffer.from(body.toString())],
    }));
  }

  /** The managed identity of an app, else of the virtual machine. */
  private async askHost(client: string | undefined): Promise<StoreAnswer> {
    const { env, metadata } = this.options;
    const query = new URLSearchParams({ resource: RESOURCE });
    if (client) query.set('client_id', client);
    const app = env.IDENTITY_ENDPOINT;
    const host = (env.AZURE_POD_IDENTITY_AUTHORITY_HOST || HOST).replace(/\/+$/, '');
    query.set('api-version', app ? '2019-08-01' : '2018-02-01');
    const request: StoreRequest = app
      ? { method: 'GET', url: `${app}?${query}`, headers: { 'x-identity-header': env.IDENTITY_HEADER ?? '' } }
      : {
          method: 'GET',
          url: `${host}/metadata/identity/oauth2/token?${query}`,
          headers: { metadata: 'true' },
        };
    return metadata
      .send(() => request)
      .catch(() => {
        throw new StoreError(
          'no credentials: neither the configuration nor the environment nor this host has any',
        );
      });
  }
}

/** Microsoft's code, which says what is wrong with application or secret; the text beside it has other things too. */
function reasonOf(answer: StoreAnswer): string {
  const { error, error_description: text } = jsonOf(answer);
  const [code] = /AADSTS\d+/.exec(String(text)) ?? [];
  if (code === 'AADSTS7000222') return `the client secret has expired (${code})`;
  if (code === 'AADSTS7000215') return `the client secret is wrong (${code})`;
  const known = typeof error === 'string' && /^\w+$/.test(error) ? error : `HTTP ${answer.status}`;
  return `Microsoft Entra gives no token (${code ?? known})`;
}
