import { hash } from 'node:crypto';
import { ID_BYTES } from '../../../event/record-id';

/**
 * Entries of a log that are not events: the service adds them. Their first byte is another one than that of events, 0x01,
 * so no agent can send one.
 */
const FORMS = { erasure: 2, file: 3 } as const;

/** The leaf hash of such an entry, 32 bytes. @param text the entry without its first byte */
export const ownLeaf = (form: keyof typeof FORMS, text: string): Buffer =>
  Buffer.from(hash('sha256', Buffer.concat([Buffer.of(0, FORMS[form]), Buffer.from(text)]), 'hex'), 'hex');

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Whether a text is an id of such an entry, which stands in the log where record ids stand. */
export const isOwnId = (text: unknown): text is string => UUID_7.test(String(text));

const VERSION_AT = 6;
const VERSION_OF_OWN = 7;

/** Stands in the log where the record id of an erased event stood. */
export const ERASED_ID: Buffer = Buffer.alloc(ID_BYTES);

/** Whether the id at a place of the log is not of an event: the entry is one of the service, or was erased. */
export function isOfNoEvent(ids: Uint8Array, at: number): boolean {
  const version = (ids[at + VERSION_AT] as number) >> 4;
  if (version === VERSION_OF_OWN) return true;
  return version === 0 && ERASED_ID.equals(ids.subarray(at, at + ID_BYTES));
}
