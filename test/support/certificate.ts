import { execFileSync } from 'node:child_process';

const KIND = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const NAMES = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];

/** Writes a key and a certificate of 127.0.0.1 that the key signs itself, both as PEM. */
export function writeCertificate({
  key,
  cert,
  days,
}: {
  readonly key: string;
  readonly cert: string;
  readonly days: number;
}): void {
  const files = ['-days', String(days), '-keyout', key, '-out', cert];
  execFileSync('openssl', [...KIND, ...NAMES, ...files], { stdio: 'pipe' });
}
