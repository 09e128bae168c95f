import { constants, createHash, createPublicKey, verify } from 'node:crypto';
import type { StampCrypto } from '../../../package-check/time-stamp';

/** What the check of a time stamp computes with, where Node.js is. */
export const NODE_CRYPTO: StampCrypto = {
  hash: (name, bytes) => createHash(name).update(bytes).digest(),
  verify: async ({ scheme, hash, saltBytes, bytes }, message, publicKey) => {
    try {
      const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
      if (key.asymmetricKeyType !== (scheme === 'ecdsa' ? 'ec' : 'rsa')) return false;
      const padding =
        scheme === 'rsa-pss'
          ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: saltBytes }
          : { padding: constants.RSA_PKCS1_PADDING };
      return verify(hash, message, scheme === 'ecdsa' ? key : { key, ...padding }, bytes);
    } catch {
      return false;
    }
  },
};
