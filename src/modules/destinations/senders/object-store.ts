import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { awsEncode, awsHeaders } from '../../../delivery/aws-signature';
import type { GuardedHttp, HttpAnswer } from '../../../delivery/guarded-http';
import { isTooLarge, outcomeOf } from '../../../delivery/http-outcome';
import { failed } from '../../../delivery/outcome';
import type { Batch } from '../batch';
import type { Sender } from '../runner';
import type { SecretsOf, SettingsOf } from '../types';
import { joined } from './joined';
import { overHttp } from './over-http';

const compress = promisify(gzip);
/** Names of objects then sort as the positions do. */
const DIGITS = 15;
/** To a store an object is bytes: with 400 it means the request, its time, its login or its bucket, but for this. */
const isObjectsFault = ({ status, body }: HttpAnswer) =>
  isTooLarge(status) || body.includes('EntityTooLarge');

/** Objects named by tenant and positions: a batch that is sent again writes the same object over itself. */
export function objectStoreSender(
  http: GuardedHttp,
  { url: endpoint, bucket, region, prefix }: SettingsOf<'s3'>,
  { accessKeyId, secretAccessKey, sessionToken }: SecretsOf<'s3'>,
  nowMs: () => number,
): Sender {
  const signer = { accessKeyId, secretAccessKey, sessionToken, region, service: 's3' };
  const base = `${endpoint.replace(/\/+$/, '')}/${bucket}/`;
  return overHttp(http, async (batch, signal) => {
    const body = await compress(joined(batch.items, '', '\n', '\n'));
    const url = new URL(base + awsEncode(prefix + nameOf(batch)));
    const headers = {
      'Content-Type': 'application/gzip',
      ...awsHeaders(signer, { method: 'PUT', url, body }, new Date(nowMs())),
    };
    const answer = await http.send({ method: 'PUT', url: url.href, headers, body }, signal);
    const outcome = outcomeOf(answer, nowMs());
    return outcome.kind === 'refused' && !isObjectsFault(answer) ? failed(outcome.message) : outcome;
  });
}

/** `tenant-7/000000000000100-000000000000599.ndjson.gz`: the first and the last position; of a message its id. */
function nameOf({ tenantId, from, to, id, items }: Batch): string {
  const digits = (position: number) => String(position).padStart(DIGITS, '0');
  const isOfLog = items.some(({ position }) => position !== null);
  return `tenant-${tenantId}/${isOfLog ? `${digits(from)}-${digits(to - 1)}` : id}.ndjson.gz`;
}
