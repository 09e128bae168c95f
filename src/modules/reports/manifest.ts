import { createHash } from 'node:crypto';
import type { NoteSigner } from '../../store/log/evidence/note-key';
import { signed } from '../../store/log/evidence/signed-note';
import type { End, Head } from './document';

/** What is signed of a run: JSON with these members, in this order. */
export interface Manifest extends Omit<Head, 'columns' | 'about'>, Omit<End, 'behind' | 'removed'> {
  /** Earlier releases did not state it. */
  readonly behind?: End['behind'];
  readonly removed?: End['removed'];
  readonly version: 1;
  readonly createdBy: string;
  /** 1, 2, 3, … in the tenant. */
  readonly number: number;
  /** The SHA-256 of the manifest before it, in hexadecimal; null: it is the first. */
  readonly previous: string | null;
  readonly files: readonly ManifestFile[];
}
export interface ManifestFile {
  readonly format: string;
  readonly name: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

export const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** The text that is signed of a manifest. */
export const noteBody = (manifest: string, { tenantId, runId, number, createdAt }: NotedRun): string =>
  [
    `audit-activity/tenant-${tenantId}/report`,
    `run ${runId}`,
    `sha256 ${sha256(manifest)}`,
    `number ${number}`,
    `time ${createdAt}`,
    '',
  ].join('\n');
type NotedRun = Pick<Manifest, 'tenantId' | 'runId' | 'number' | 'createdAt'>;

/** A manifest as the text that is stored, and the signed note with its hash. */
export function signManifest(manifest: Manifest, signer: NoteSigner) {
  const text = JSON.stringify(manifest);
  return { manifest: text, note: signed(noteBody(text, manifest), signer) };
}
