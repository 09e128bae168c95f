import { randomFillSync } from 'node:crypto';

const SALT_BYTES = 16;
const QUOTE = 0x22;
/** JSON of a salt: 22 characters of Base64 (for URLs) in quotation marks. */
const JSON_BYTES = Math.ceil((SALT_BYTES * 4) / 3) + 2;
/** Made at once, because each call for random bytes takes as long as hundreds of them. */
const SALTS = 256;

const random = Buffer.allocUnsafeSlow(SALTS * SALT_BYTES);
let left = 0;

/**
 * Makes the salt of an entry of the evidence log: 128 random bits, so that nobody can find the event of a hash by trying
 * events. @returns its JSON
 */
export function newSalt(): Buffer {
  if (left === 0) {
    randomFillSync(random);
    left = SALTS;
  }
  const at = --left * SALT_BYTES;
  const json = Buffer.allocUnsafe(JSON_BYTES);
  json[0] = QUOTE;
  json.write(random.toString('base64url', at, at + SALT_BYTES), 1, 'latin1');
  json[JSON_BYTES - 1] = QUOTE;
  return json;
}
