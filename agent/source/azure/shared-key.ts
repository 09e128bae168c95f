import { createHmac } from 'node:crypto';

/**
 * The header `Authorization` of a request without a body, by the key of the account.
 * @param headers with lower-case names
 * @see https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
 */
export function sharedKey(
  { account, key }: { readonly account: string; readonly key: string },
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
): string {
  const ofAzure = Object.keys(headers).filter((name) => name.startsWith('x-ms-'));
  const query = [...new Set(url.searchParams.keys())].sort();
  const text = [
    method,
    // Encoding, language, length, MD5 and type of the content; date; If-Modified-Since.
    ...['', '', '', '', '', '', ''],
    headers['if-match'] ?? '',
    // If-None-Match, If-Unmodified-Since, Range.
    ...['', '', ''],
    ...ofAzure.sort().map((name) => `${name}:${headers[name]}`),
    `/${account}${url.pathname}`,
    ...query.map((name) => `${name.toLowerCase()}:${url.searchParams.getAll(name).sort().join(',')}`),
  ].join('\n');
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');
  return `SharedKey ${account}:${signature}`;
}
