import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Offer } from '../../../agent/update/offer';
import { manifestOf } from '../../../src/event/agent-package';

const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64') };
};
export const KEYS = pair();
export const OTHER_KEYS = pair();

/** A package with this content, signed. */
export function signedOf(content: string, change: Partial<Offer> = {}, keys = KEYS): Offer {
  const bytes = Buffer.from(content);
  const facts = {
    version: '9.0.0',
    build: 1,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    allowsOlder: false,
    packageId: 'p1',
    window: null,
    ...change,
  };
  const signature = sign(null, Buffer.from(manifestOf(facts)), keys.privateKey).toString('base64');
  return { ...facts, signature, ...change };
}

/** Puts the file of a package where the agent keeps it. */
export function putFile(dataDir: string, { sha256 }: Offer, content: string): void {
  mkdirSync(join(dataDir, 'updates'), { recursive: true });
  writeFileSync(join(dataDir, 'updates', `${sha256}.js`), content);
}
