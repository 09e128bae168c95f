import { hexOf } from '../../../src/package-check/bytes';
import { expected, itemsOf, readDer, TAG } from '../../../src/package-check/der';
import type { HashName } from '../../../src/package-check/time-stamp';

const RSA = '2a864886f70d010101';
const BITS_MAX = 8192;
const EXPONENT_BYTES_MAX = 4;
/** What stands before a hash that PKCS #1 signs: its algorithm, in DER. */
const BEFORE: Readonly<Record<HashName, string>> = {
  sha1: '3021300906052b0e03021a05000414',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

/**
 * Whether a signature of PKCS #1 (version 1.5) is of a hash, by numbers alone: a page that is opened from disk has no
 * WebCrypto everywhere. @param publicKey as a certificate has it @returns null: it is another kind of key
 */
export function isSignedByRsa(
  signature: Uint8Array,
  hash: Uint8Array,
  hashName: HashName,
  publicKey: Uint8Array,
): boolean | null {
  const [algorithm, bits] = itemsOf(readDer(publicKey));
  const [type] = itemsOf(expected(algorithm, TAG.sequence, 'algorithm'));
  if (hexOf(type?.content ?? new Uint8Array(0)) !== RSA) return null;
  const [modulus, exponent] = itemsOf(readDer(bits?.content.subarray(1) ?? new Uint8Array(0)));
  const n = numberOf(expected(modulus, TAG.integer, 'modulus').content);
  const e = expected(exponent, TAG.integer, 'exponent').content;
  const width = Math.ceil(n.toString(16).length / 2);
  const isLarge = width * 8 > BITS_MAX || e.length > EXPONENT_BYTES_MAX;
  if (isLarge || signature.length !== width) return false;
  const shown = power(numberOf(signature), numberOf(e), n)
    .toString(16)
    .padStart(2 * width, '0');
  const end = `00${BEFORE[hashName]}${hexOf(hash)}`;
  return shown === `0001${end.padStart(2 * width - 4, 'f')}`;
}

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${hexOf(bytes) || '0'}`);

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let [factor, left] = [base % modulus, exponent]; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * factor) % modulus;
    factor = (factor * factor) % modulus;
  }
  return result;
}
