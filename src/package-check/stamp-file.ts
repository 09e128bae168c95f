import { fromBase64, piecesOf, textOf } from './bytes';
import { leadsOn } from './consistency';
import type { StampFile } from './layout';
import { type CheckpointText, type Crypto, checkpointIn, type PublicKey, pairHash, signedBody } from './note';
import { checkStamp, type StampCrypto, stampedBytes, type TimeStamp } from './time-stamp';

/** Whom a verifier trusts to state times. @returns what is wrong with who signed it, in words; null: nothing */
export type JudgeAuthority = (stamp: TimeStamp) => string | null;

/** A time stamp of a package, as far as it was checked. */
export interface PackageStamp {
  /** When the authority signed, as it says. */
  readonly time: string;
  /** The checkpoint that it stamped, and its entries. */
  readonly number: number;
  readonly size: number;
  /** Whether the token's own signature was checked, which not every browser can. */
  readonly isSignatureChecked: boolean;
  /** Whether its authority is one that the verifier trusts. */
  readonly isAuthorityChecked: boolean;
}

const HASH_BYTES = 32;

/** Checks the file of a time stamp. @param checkpoint that of the package @returns what is wrong, in words */
export async function checkStampFile(
  bytes: Uint8Array,
  checkpoint: CheckpointText,
  keys: readonly PublicKey[],
  parts: {
    readonly crypto: Crypto;
    readonly stampCrypto: StampCrypto;
    readonly judge: JudgeAuthority | undefined;
  },
): Promise<PackageStamp | string> {
  const file = fileIn(bytes);
  const token = fromBase64(file?.token ?? '?');
  const hashes = file?.consistency.map((text) => piecesOf(fromBase64(text), HASH_BYTES)) ?? [];
  if (!file || !token || hashes.some((pieces) => pieces?.length !== 1))
    return 'it is no file of a time stamp';
  const stamped = checkpointIn(signedBody(file.checkpoint, keys, parts.crypto) ?? '');
  if (!stamped) return 'the trusted key has not signed the checkpoint that was stamped';
  if (stamped.tenantId !== checkpoint.tenantId) return `it is of tenant ${stamped.tenantId}`;
  const proof = hashes.map((pieces) => pieces?.[0] ?? new Uint8Array(0));
  if (!leadsOn(stamped, checkpoint, proof, pairHash(parts.crypto)))
    return 'it is not proven that the log of the package goes on from what was stamped';
  const { stamp, problem, isSignatureChecked } = await checkStamp(
    token,
    stampedBytes(file.checkpoint),
    parts.stampCrypto,
  );
  const wrong = problem ?? (stamp && parts.judge ? parts.judge(stamp) : null);
  if (wrong !== null || !stamp) return `the time stamp does not verify: ${wrong}`;
  const { number, size } = stamped;
  return {
    time: stamp.time,
    number,
    size,
    isSignatureChecked,
    isAuthorityChecked: parts.judge !== undefined,
  };
}

function fileIn(bytes: Uint8Array): StampFile | null {
  try {
    const file = JSON.parse(textOf(bytes) ?? '') as Partial<StampFile> | null;
    const { checkpoint, token, consistency } = file ?? {};
    const isFile =
      typeof checkpoint === 'string' &&
      typeof token === 'string' &&
      Array.isArray(consistency) &&
      consistency.every((hash) => typeof hash === 'string');
    return isFile ? { checkpoint, token, consistency } : null;
  } catch {
    return null;
  }
}
