import { HASH_BYTES } from '../../store/log/evidence/merkle';
import type { NoteSigner } from '../../store/log/evidence/note-key';
import { signed, splitNote } from '../../store/log/evidence/signed-note';

/** A statement of the size and root of a tenant's log at a time. */
export interface Checkpoint {
  readonly tenantId: number;
  /** The number of entries. */
  readonly size: number;
  /** The root of the tree of these entries; 32 bytes. */
  readonly root: Buffer;
  /** 1, 2, 3, …; a removed checkpoint leaves a hole. */
  readonly number: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly time: string;
}

const ORIGIN = /^audit-activity\/tenant-([1-9]\d{0,9})$/;
/** The name of a tenant's log. */
export const originOf = (tenantId: number | string) => `audit-activity/tenant-${tenantId}`;
const BODY =
  /^(\S+)\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\nnumber ([1-9]\d{0,9})\ntime (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/;

/**
 * Writes a checkpoint as text, in the form of the transparency logs' signed notes (C2SP: signed-note and
 * tlog-checkpoint): origin, size, root in Base64, number and time, an empty line, and a signature over all lines before
 * it.
 */
export function signedNote(checkpoint: Checkpoint, signer: NoteSigner): string {
  const { tenantId, size, root, number, time } = checkpoint;
  const body = `${originOf(tenantId)}\n${size}\n${root.toString('base64')}\nnumber ${number}\ntime ${time}\n`;
  return signed(body, signer);
}

/** @returns the checkpoint of a note, without a check of its signature; null if the text is no checkpoint */
export function parseNote(note: string): Checkpoint | null {
  const [body = ''] = splitNote(note);
  const [, origin = '', size, root = '', number, time = ''] = BODY.exec(body) ?? [];
  const [, tenantId] = ORIGIN.exec(origin) ?? [];
  const hash = Buffer.from(root, 'base64');
  if (tenantId === undefined || hash.length !== HASH_BYTES) return null;
  return { tenantId: Number(tenantId), size: Number(size), root: hash, number: Number(number), time };
}
