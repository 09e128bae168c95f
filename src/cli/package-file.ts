import { createHash, createPublicKey, verify } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { NODE_CRYPTO } from '../modules/evidence/time-stamps/node-crypto';
import { type CheckedEvent, checkPackage, type PackageReport } from '../package-check/check';
import type { Crypto } from '../package-check/note';
import { openZip } from '../package-check/package-files';
import type { JudgeAuthority } from '../package-check/stamp-file';

/** What was found of a package, with the first events that are not as they were accepted. */
export interface PackageCheck extends PackageReport {
  readonly findings: readonly CheckedEvent[];
}

const FINDINGS_MAX = 1_000;

const CRYPTO: Crypto = {
  sha256: () => createHash('sha256'),
  verify: (signature, message, publicKey) => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
    return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
  },
};

/** Checks an evidence package. @param keys the trusted keys; none: the one of the package @param judgeAuthority null: nobody is trusted to state times @throws Error */
export async function checkPackageFile(
  file: string,
  keys: readonly string[],
  judgeAuthority: JudgeAuthority | null = null,
): Promise<PackageCheck> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const files = await openZip({ size, bytes: (from, length) => bytesOf(handle, from, length) }, inflated);
    const findings: CheckedEvent[] = [];
    const onEvent = (event: CheckedEvent) => {
      if (event.problem !== null && findings.length < FINDINGS_MAX) findings.push(event);
    };
    const report = await checkPackage(files, CRYPTO, {
      keys,
      onEvent,
      stampCrypto: NODE_CRYPTO,
      ...(judgeAuthority && { judgeAuthority }),
    });
    return { ...report, findings: findings.sort((a, b) => a.line - b.line) };
  } finally {
    await handle.close();
  }
}

async function bytesOf(handle: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, from);
  return bytes.subarray(0, bytesRead);
}

async function* inflated(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw();
  // A failure of either ends the loop below.
  pipeline(Readable.from(chunks), inflate, () => {});
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw new Error(`it cannot be decompressed: ${(error as Error).message}`);
  }
}
