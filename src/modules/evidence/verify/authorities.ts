import { X509Certificate } from 'node:crypto';
import { expected, itemsOf, readDer, TAG } from '../../../package-check/der';
import type { JudgeAuthority } from '../../../package-check/stamp-file';
import { extensionsOf, type TimeStamp } from '../../../package-check/time-stamp';

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const [BASIC_CONSTRAINTS, KEY_USAGE, EXTENDED_KEY_USAGE] = ['2.5.29.19', '2.5.29.15', '2.5.29.37'];
/** Extensions that may be critical: those that are judged here, policies, and the names of keys. */
const JUDGED = new Set([
  BASIC_CONSTRAINTS,
  KEY_USAGE,
  EXTENDED_KEY_USAGE,
  '2.5.29.32',
  '2.5.29.14',
  '2.5.29.35',
]);
const CHAIN_MAX = 8;

/** @param text certificates in PEM @throws Error if it has none */
export function certificatesIn(text: string, file: string): X509Certificate[] {
  const found = text.match(PEM) ?? [];
  if (found.length === 0) throw new Error(`${file} has no certificate in PEM`);
  return found.map((pem, i) => {
    try {
      return new X509Certificate(pem);
    } catch {
      throw new Error(`certificate ${i + 1} of ${file} is none`);
    }
  });
}

/**
 * Judges who signed a time stamp: a certificate for time stamps and nothing else, from which a chain leads to a trusted
 * one. Each was valid when the stamp was made, by its own time: what was revoked since is not asked.
 */
export const judgeBy =
  (trusted: readonly X509Certificate[]): JudgeAuthority =>
  (stamp) => {
    try {
      return problemOf(stamp, trusted);
    } catch (error) {
      return `a certificate of its authority cannot be read: ${(error as Error).message}`;
    }
  };

function problemOf(stamp: TimeStamp, trusted: readonly X509Certificate[]): string | null {
  const signer = new X509Certificate(Buffer.from(stamp.signer));
  const purposes = extensionsOf(stamp.signer).get(EXTENDED_KEY_USAGE);
  const uses = signer.keyUsage ?? [];
  if (!purposes?.isCritical || uses.length !== 1 || uses[0] !== TIME_STAMPING)
    return `the certificate of ${nameOf(signer)} is not for time stamps alone`;
  const others = stamp.certificates.map((der) => new X509Certificate(Buffer.from(der)));
  const atMs = Date.parse(stamp.time);
  const seen = new Set<string>();
  /** @param below the number of certificates of authorities between the signer and this one */
  const isTrusted = (certificate: X509Certificate, below: number): boolean => {
    if (seen.has(certificate.fingerprint256) || below > CHAIN_MAX) return false;
    seen.add(certificate.fingerprint256);
    if (!isValidAt(certificate, atMs) || !isUnderstood(certificate)) return false;
    if (trusted.some((one) => one.fingerprint256 === certificate.fingerprint256)) return true;
    return [...trusted, ...others].some(
      (issuer) => mayIssue(issuer, certificate, below) && isTrusted(issuer, below + 1),
    );
  };
  return isTrusted(signer, 0)
    ? null
    : `no chain leads from the certificate of ${nameOf(signer)} to a trusted one that was valid at ${stamp.time}`;
}

function mayIssue(issuer: X509Certificate, certificate: X509Certificate, below: number): boolean {
  if (!issuer.ca || !certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return false;
  const uses = issuer.keyUsage;
  if (uses && !uses.includes(TIME_STAMPING)) return false;
  const constraints = extensionsOf(issuer.raw).get(BASIC_CONSTRAINTS);
  if (!constraints) return false;
  const length = itemsOf(expected(readDer(constraints.value), TAG.sequence, 'constraint'))[1];
  return length === undefined || (length.content[0] ?? 0) >= below;
}

const isValidAt = ({ validFrom, validTo }: X509Certificate, ms: number): boolean =>
  Date.parse(validFrom) <= ms && ms <= Date.parse(validTo);

const isUnderstood = ({ raw }: X509Certificate): boolean =>
  [...extensionsOf(raw)].every(([id, { isCritical }]) => !isCritical || JUDGED.has(id));

const nameOf = ({ subject }: X509Certificate): string => JSON.stringify(subject.split('\n').join(', '));
