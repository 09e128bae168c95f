import { createReadStream } from 'node:fs';
import { awsEncode, awsHeaders } from '../../../delivery/aws-signature';
import { GuardedHttp, type HttpAnswer } from '../../../delivery/guarded-http';
import { isNotFound, isSuccess } from '../../../delivery/http-outcome';
import { ANYWHERE, NetworkGuard } from '../../../delivery/network-guard';
import { LIMITS } from '../../../limits';
import { type FileName, type FilePlace, NoSuchFile, pathOf } from '../../../store/archive/file-place';

/** A bucket of an object store with the interface of S3, and the login to it. */
export interface Bucket {
  /** Such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** What names begin with: empty, or a path that ends with a slash. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const EMPTY = Buffer.alloc(0);
const PARTIAL = 206;

/** Files as objects. Each is sent by one request, and read in parts. */
export class BucketPlace implements FilePlace {
  readonly #http: GuardedHttp;

  constructor(
    private readonly bucket: Bucket,
    private readonly nowMs: () => number,
    private readonly partBytes: number = LIMITS.archivePartBytes,
    /** After which the bucket does not answer: to a question without a file, and for a part of a file. */
    private readonly silence: { readonly answerMs: number; readonly partMs: number } = {
      answerMs: LIMITS.archiveAnswerMs,
      partMs: LIMITS.archiveQuestionMs,
    },
  ) {
    this.#http = new GuardedHttp(new NetworkGuard(ANYWHERE));
  }

  async put(name: FileName, local: string, bytes: number): Promise<void> {
    const body = { bytes, sha256: name.sha256, open: () => createReadStream(local) };
    const answer = await this.#send('PUT', name, body, LIMITS.archiveTransferMs);
    if (!isSuccess(answer.status)) throw failure(answer);
  }

  async has(name: FileName): Promise<boolean> {
    const answer = await this.#send('GET', name, EMPTY, this.silence.answerMs, {
      Range: 'bytes=0-0',
    });
    if (isNotFound(answer.status)) return false;
    if (!isSuccess(answer.status)) throw failure(answer);
    return true;
  }

  async *read(name: FileName): AsyncIterable<Uint8Array> {
    for (let [at, size] = [0, 1]; at < size; ) {
      const range = `bytes=${at}-${at + this.partBytes - 1}`;
      const answer = await this.#send('GET', name, EMPTY, this.silence.partMs, { Range: range });
      if (isNotFound(answer.status)) throw new NoSuchFile(pathOf(name));
      const [, total] = /^bytes \d+-\d+\/(\d+)$/.exec(answer.headers['content-range'] ?? '') ?? [];
      if (answer.status !== PARTIAL || total === undefined || answer.body.length === 0) throw failure(answer);
      size = Number(total);
      at += answer.body.length;
      yield answer.body;
    }
  }

  async remove(name: FileName): Promise<void> {
    const answer = await this.#send('DELETE', name, EMPTY, this.silence.answerMs);
    if (!isSuccess(answer.status) && !isNotFound(answer.status)) throw failure(answer);
  }

  close(): void {
    this.#http.close();
  }

  #send(
    method: 'GET' | 'PUT' | 'DELETE',
    name: FileName,
    body: Parameters<GuardedHttp['send']>[0]['body'] & ({ readonly sha256: string } | Buffer),
    answerMs: number,
    more: Readonly<Record<string, string>> = {},
  ): Promise<HttpAnswer> {
    const { endpoint, bucket, prefix } = this.bucket;
    const url = new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/${awsEncode(prefix + pathOf(name))}`);
    const signer = { ...this.bucket, service: 's3' };
    const headers = { ...more, ...awsHeaders(signer, { method, url, body }, new Date(this.nowMs())) };
    // What follows an error's beginning says nothing.
    const answerBytesMax = this.partBytes + 1;
    return this.#http.send({ method, url: url.href, headers, body, answerBytesMax, answerMs });
  }
}

const SAID_CHARS = 512;
const failure = ({ status, body }: HttpAnswer) =>
  new Error(`the object store answered ${status}: ${body.toString('utf8', 0, SAID_CHARS)}`);
