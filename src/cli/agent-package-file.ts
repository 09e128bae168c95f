import { createHash, createPrivateKey, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { manifestOf, type PackageFacts, readHeader, SIGNATURE } from '../event/agent-package';
import { LIMITS } from '../limits';
import { CommandError } from './service-client';

/** A file with the program of agents, and what it says of itself. */
export interface PackageFile extends Omit<PackageFacts, 'allowsOlder'> {
  readonly bytes: Buffer;
}

const usage = (message: string) => new CommandError(message, 'usage');

/** @throws CommandError if it cannot be read, or is no package */
export async function readPackage(file: string): Promise<PackageFile> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw usage(error.message);
  });
  const header = readHeader(bytes.subarray(0, 256).toString('latin1'));
  if (header === null)
    throw usage(`${file} is no package of the agent: its first line does not say a version.`);
  if (bytes.length > LIMITS.agentPackageBytesMax)
    throw usage(`${file} has more than ${LIMITS.agentPackageBytesMax} bytes.`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...header, bytes, sha256, size: bytes.length };
}

/** @param pem a private Ed25519 key (PKCS #8) @returns the signature in Base64 @throws CommandError if it is no such key */
export function signatureOf(facts: PackageFacts, pem: string): string {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519')
      return sign(null, Buffer.from(manifestOf(facts)), key).toString('base64');
  } catch {
    // The message of the library may show a part of the key.
  }
  throw usage('The key is no private Ed25519 key (PKCS #8, PEM).');
}

/** @throws CommandError if the file holds no signature */
export async function readSignature(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw usage(error.message);
  });
  const signature = text.trim();
  if (!SIGNATURE.test(signature)) throw usage(`${file} holds no signature that agent-package sign has made.`);
  return signature;
}
