import { createHash, createHmac } from 'node:crypto';

/** The signer and the scope of AWS Signature Version 4, as object stores with the interface of S3 accept it. */
interface AwsSigner {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly region: string;
  readonly service: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();

const strict = (text: string) => awsEncode(text).replaceAll('/', '%2F');

/** Encodes a path or a name for the signature: RFC 3986, except that `/` stays. */
export const awsEncode = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');

/**
 * The headers that sign a request.
 * @param request its URL has a path encoded by `awsEncode`
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function awsHeaders(
  signer: AwsSigner,
  request: {
    readonly method: string;
    readonly url: URL;
    /** The bytes, or what names them. */
    readonly body: Buffer | { readonly sha256: string };
  },
  at: Date,
): Record<string, string> {
  const { method, url, body } = request;
  const bodyHash = Buffer.isBuffer(body) ? sha256(body) : body.sha256;
  const time = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const signed: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
    ...(signer.sessionToken !== undefined && { 'x-amz-security-token': signer.sessionToken }),
  };
  const names = Object.keys(signed).sort();
  const headerLines = names.map((name) => `${name}:${signed[name]}\n`).join('');
  const query = [...url.searchParams].map(([name, value]) => `${strict(name)}=${strict(value)}`).sort();
  const canonical = [method, url.pathname, query.join('&'), headerLines, names.join(';'), bodyHash].join(
    '\n',
  );
  const scope = `${day}/${signer.region}/${signer.service}/aws4_request`;
  const key = [signer.region, signer.service, 'aws4_request'].reduce(
    hmac,
    hmac(`AWS4${signer.secretAccessKey}`, day),
  );
  const signature = hmac(key, [ALGORITHM, time, scope, sha256(canonical)].join('\n')).toString('hex');
  const { host: _, ...headers } = signed;
  return {
    ...headers,
    Authorization: `${ALGORITHM} Credential=${signer.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}
