import { rename } from 'node:fs/promises';
import { PRODUCT } from './paths.mjs';
import { BuildProblem, run } from './tools.mjs';

/** Paths of PEM files, and the optional address of a time-stamp server. If they are not set, nothing is signed. */
const { MSI_SIGN_CERTS: certs, MSI_SIGN_KEY: key, MSI_SIGN_TIMESTAMP_URL: timestampUrl } = process.env;

if (Boolean(certs) !== Boolean(key)) throw new BuildProblem('MSI_SIGN_CERTS and MSI_SIGN_KEY go together');

export const IS_SIGNED = Boolean(certs);
export const SIGNING_PACKAGES = IS_SIGNED ? { osslsigncode: 'osslsigncode' } : {};

/** Signs programs and packages in place, if a key is configured. */
export async function sign(...paths) {
  if (!IS_SIGNED) return;
  for (const path of paths) {
    const signed = `${path}.signed`;
    await run('osslsigncode', [
      ...['sign', '-certs', certs, '-key', key, '-h', 'sha256', '-n', PRODUCT.name],
      ...(timestampUrl ? ['-ts', timestampUrl] : []),
      ...(path.endsWith('.msi') ? ['-add-msi-dse'] : []),
      ...['-in', path, '-out', signed],
    ]);
    await rename(signed, path);
  }
}
