import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { awsEncode, awsHeaders } from '../../../delivery/aws-signature';
import type { GuardedHttp, HttpAnswer } from '../../../delivery/guarded-http';
import { isTooLarge, outcomeOf } from '../../../delivery/http-outcome';
import { failed, failureOf, type Outcome } from '../../../delivery/outcome';
import { NO_EPOCH } from '../../../store/log/epoch/epoch';
import type { Batch, SentFile } from '../batch';
import type { Sender } from '../runner';
import type { SecretsOf, SettingsOf } from '../types';
import { lines } from './joined';
import { overHttp } from './over-http';

type OpenedFile = Pick<SentFile, 'bytes' | 'sha256' | 'open'>;
const compress = promisify(gzip);
/** Zero-padded, so that names of objects sort like positions. */
const DIGITS = 15;
const MARK_DIGITS = 8;
/** Only its size can be an object's own fault. Any other 400 concerns the request, its time, login or bucket. */
const isObjectsFault = ({ status, body }: HttpAnswer) =>
  isTooLarge(status) || body.includes('EntityTooLarge');

/** Writes objects named by tenant, epoch, positions and mark. A batch that is sent again overwrites the same object. */
export function objectStoreSender(
  http: GuardedHttp,
  { url: endpoint, bucket, region, prefix }: SettingsOf<'s3'>,
  { accessKeyId, secretAccessKey, sessionToken }: SecretsOf<'s3'>,
  nowMs: () => number,
): Sender {
  const signer = { accessKeyId, secretAccessKey, sessionToken, region, service: 's3' };
  const base = `${endpoint.replace(/\/+$/, '')}/${bucket}/`;
  const put = async (
    { name, mediaType, body }: { name: string; mediaType: string; body: Buffer | OpenedFile },
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const url = new URL(base + awsEncode(prefix + name));
    const headers = {
      'Content-Type': mediaType,
      ...awsHeaders(signer, { method: 'PUT', url, body }, new Date(nowMs())),
    };
    const answer = await http.send({ method: 'PUT', url: url.href, headers, body }, signal);
    const outcome = outcomeOf(answer, nowMs());
    return outcome.kind === 'refused' && !isObjectsFault(answer) ? failed(outcome.message) : outcome;
  };
  return {
    ...overHttp(http, async (batch, signal) => {
      const body = await compress(lines(batch.items));
      return put({ name: nameOf(batch), mediaType: 'application/gzip', body }, signal);
    }),
    put: (tenantId, file, signal) =>
      put({ name: `tenant-${tenantId}/${file.name}`, mediaType: file.mediaType, body: file }, signal).catch(
        failureOf,
      ),
  };
}

/**
 * `tenant-7/6925a1b0c3d4e5f6/000000000000100-000000000000599-9f86d081.ndjson.gz` from the epoch, the first and last
 * position, and the beginning of the last entry's hash. So no object takes the place of one with other events. For a
 * message `tenant-7/` and its id. Lines of text end in `.cef.gz`.
 */
function nameOf({ tenantId, epoch, from, to, mark, id, items }: Batch): string {
  const digits = (position: number) => String(position).padStart(DIGITS, '0');
  const isOfLog = items.some(({ position }) => position !== null);
  const folder = epoch === NO_EPOCH ? '' : `${epoch}/`;
  const ending = items[0]?.line === undefined ? 'ndjson' : 'cef';
  const ofLog = `${folder}${digits(from)}-${digits(to - 1)}-${mark.slice(0, MARK_DIGITS)}`;
  return `tenant-${tenantId}/${isOfLog ? ofLog : id}.${ending}.gz`;
}
