import { createHash, randomBytes } from 'node:crypto';
import { GuardedHttp } from '../../../delivery/guarded-http';
import { isSuccess } from '../../../delivery/http-outcome';
import { ANYWHERE, NetworkGuard } from '../../../delivery/network-guard';
import { LIMITS } from '../../../limits';
import { type Der, expected, itemsOf, readDer, TAG } from '../../../package-check/der';
import { checkStamp, SHA256 } from '../../../package-check/time-stamp';
import { NODE_CRYPTO } from './node-crypto';

/** What a time-stamp authority said to a request. */
export type StampOutcome =
  /** `token`: it is of the bytes, and signed by the certificate in it. */
  | { readonly kind: 'stamped'; readonly token: Buffer }
  /** It answered, and gave no token that is of use. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It did not answer. */
  | { readonly kind: 'failed'; readonly message: string };

export interface AuthorityClient {
  readonly name: string;
  /** @param stamped the bytes to have stamped; only their hash is sent */
  stamp(stamped: Uint8Array, signal: AbortSignal): Promise<StampOutcome>;
  close(): void;
}

const NONCE_BYTES = 8;
const [GRANTED, GRANTED_WITH_CHANGES] = [0, 1];
const SHOWN_CHARS = 300;

/** @param url where it takes requests by HTTP (RFC 3161, 3.4) */
export function openAuthority(url: string): AuthorityClient {
  const http = new GuardedHttp(new NetworkGuard(ANYWHERE), {}, LIMITS.timeStampAnswerMs);
  return {
    name: new URL(url).host,
    close: () => http.close(),
    stamp: async (stamped, signal) => {
      const nonce = newNonce();
      const body = requestOf(createHash('sha256').update(stamped).digest(), nonce);
      const headers = { 'Content-Type': 'application/timestamp-query' };
      const answerBytesMax = LIMITS.timeStampBytesMax;
      let answer: Awaited<ReturnType<typeof http.send>>;
      try {
        answer = await http.send({ method: 'POST', url, headers, body, answerBytesMax }, signal);
      } catch (error) {
        return { kind: 'failed', message: (error as Error).message };
      }
      if (answer.status >= 500) return { kind: 'failed', message: `HTTP ${answer.status}` };
      if (!isSuccess(answer.status)) return { kind: 'refused', message: `HTTP ${answer.status}` };
      try {
        return await outcomeOf(answer.body, stamped, nonce);
      } catch (error) {
        return { kind: 'refused', message: `its answer is none: ${(error as Error).message}` };
      }
    },
  };
}

async function outcomeOf(body: Buffer, stamped: Uint8Array, nonce: Buffer): Promise<StampOutcome> {
  const [statusInfo, token] = itemsOf(expected(readDer(body), TAG.sequence, 'answer'));
  const [status, texts] = itemsOf(expected(statusInfo, TAG.sequence, 'status'));
  const code = expected(status, TAG.integer, 'status').content[0];
  if ((code !== GRANTED && code !== GRANTED_WITH_CHANGES) || !token)
    return { kind: 'refused', message: `status ${code}${textOf(texts)}` };
  const { stamp, problem } = await checkStamp(token.bytes, stamped, NODE_CRYPTO);
  if (problem !== null) return { kind: 'refused', message: `its token is of no use: ${problem}` };
  if (!stamp?.nonce || !nonce.equals(stamp.nonce))
    return { kind: 'refused', message: 'its token is of another request: the nonce differs' };
  return { kind: 'stamped', token: Buffer.from(token.bytes) };
}

/** Texts of a status: UTF8String, one after the other. */
function textOf(texts: Der | undefined): string {
  if (texts?.tag !== TAG.sequence) return '';
  const all = itemsOf(texts).map(({ content }) => Buffer.from(content).toString('utf8'));
  return `: ${all
    .join(' ')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, SHOWN_CHARS)}`;
}

/** A positive integer whose first byte is not 0: so it has one form. */
function newNonce(): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  nonce.writeUInt8((nonce.readUInt8(0) & 0x7f) | 0x40, 0);
  return nonce;
}

const BOOLEAN = 0x01;
const NULL = 0x05;
/** Values of less than 128 bytes. */
const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag, content.length), content]);
};

/** A request for a stamp of a SHA-256 hash, with the authority's certificates. */
function requestOf(hash: Buffer, nonce: Buffer): Buffer {
  const algorithm = der(TAG.sequence, der(TAG.objectId, objectIdBytes(SHA256)), der(NULL));
  const imprint = der(TAG.sequence, algorithm, der(TAG.octets, hash));
  const version = der(TAG.integer, Uint8Array.of(1));
  const wantsCertificates = der(BOOLEAN, Uint8Array.of(0xff));
  return der(TAG.sequence, version, imprint, der(TAG.integer, nonce), wantsCertificates);
}

function objectIdBytes(id: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = id.split('.').map(Number);
  return Uint8Array.from(
    [40 * first + second, ...rest].flatMap((arc) => {
      const bytes = [arc & 0x7f];
      for (let left = arc >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80);
      return bytes;
    }),
  );
}
