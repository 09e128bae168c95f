import { gunzipSync } from 'node:zlib';
import type { Received, Reply } from './receiver';

const MEGABYTE = 1024 * 1024;
/** Names that Azure Monitor keeps for itself ("Create a custom table", "Standard columns in Azure Monitor Logs"). */
const RESERVED =
  /^(?:TenantId|Type|SourceSystem|MG|ManagementGroupName|UniqueId|Title|id|_.*|BilledSize|IsBillable|InvalidTimeGenerated)$/i;
const COLUMN = /^[A-Za-z][A-Za-z0-9_]{0,44}$/;

export type AzureRow = Readonly<Record<string, unknown>> & { readonly RecordId: string };

/**
 * Plays the token endpoint of Microsoft Entra and the Logs Ingestion API as their documentation describes them: form and
 * answer of a token, path, version, headers, at most 1 MB compressed and not, 204 without a body.
 */
export class StrictAzure {
  readonly rows: AzureRow[] = [];
  /** Uncompressed bytes of each call that was taken. */
  readonly calls: number[] = [];
  tokens = 0;
  expiresIn = 3_600;
  /** Answers of the next calls, before they are looked at. */
  readonly next: Reply[] = [];
  #valid = '';

  constructor(
    private readonly of: {
      readonly tenant: string;
      readonly clientId: string;
      readonly secret: string;
      readonly dcr: string;
      readonly stream: string;
    },
    private readonly rowsMax = Number.POSITIVE_INFINITY,
  ) {}

  /** As when an administrator revokes the tokens. */
  revoke(): void {
    this.#valid = '';
  }

  answer({ method, path, headers, body }: Received): Reply {
    const url = new URL(path, 'http://azure');
    if (method !== 'POST') return { status: 405 };
    if (url.pathname === `/${this.of.tenant}/oauth2/v2.0/token`) return this.#token(headers, body);
    const { dcr, stream } = this.of;
    if (url.pathname !== `/dataCollectionRules/${dcr}/streams/${stream}`)
      return error(404, 'NotFound', 'the data collection rule or stream was not found');
    if (url.searchParams.get('api-version') !== '2023-01-01')
      return error(400, 'UnsupportedApiVersion', path);
    if (this.#valid === '' || headers.authorization !== `Bearer ${this.#valid}`)
      return error(401, 'InvalidToken', `not valid: ${headers.authorization}`);
    const planned = this.next.shift();
    if (planned) return planned;
    if (headers['content-type'] !== 'application/json' || headers['content-encoding'] !== 'gzip')
      return error(415, 'UnsupportedMediaType', '');
    const plain = gunzipSync(body);
    if (body.length > MEGABYTE || plain.length > MEGABYTE)
      return error(413, 'ContentLengthLimitExceeded', '');
    const rows = JSON.parse(plain.toString('utf8')) as AzureRow[];
    if (!Array.isArray(rows) || rows.length === 0) return error(400, 'InvalidPayload', '');
    if (rows.length > this.rowsMax) return error(413, 'ContentLengthLimitExceeded', '');
    for (const name of rows.flatMap(Object.keys))
      if (RESERVED.test(name) || !COLUMN.test(name)) return error(400, 'InvalidColumn', name);
    if (rows.some(({ TimeGenerated }) => Number.isNaN(Date.parse(String(TimeGenerated)))))
      return error(400, 'InvalidTimeGenerated', '');
    this.rows.push(...rows);
    this.calls.push(plain.length);
    return { status: 204 };
  }

  #token(headers: Received['headers'], body: Buffer): Reply {
    const form = new URLSearchParams(body.toString('utf8'));
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    const wanted = {
      grant_type: 'client_credentials',
      client_id: this.of.clientId,
      scope: 'https://monitor.azure.com//.default',
    };
    if (!isForm || Object.entries(wanted).some(([name, value]) => form.get(name) !== value))
      return { status: 400, body: '{"error":"invalid_request"}' };
    if (form.get('client_secret') !== this.of.secret)
      return { status: 401, body: `{"error":"invalid_client","said":"${form.get('client_secret')}"}` };
    this.tokens += 1;
    this.#valid = `token-number-${this.tokens}`;
    const answer = { token_type: 'Bearer', expires_in: this.expiresIn, access_token: this.#valid };
    return { status: 200, body: JSON.stringify(answer) };
  }
}

const error = (status: number, code: string, message: string): Reply => ({
  status,
  body: JSON.stringify({ error: { code, message } }),
});
