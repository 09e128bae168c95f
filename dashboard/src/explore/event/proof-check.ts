import { ENTRY_V1_FIELDS, ENTRY_VERSION } from '../../../../src/event/entry-fields';
import type { EventQuery } from '../../../generated/operations';

type Event = NonNullable<EventQuery['auditEvent']>;
type Bytes = Uint8Array<ArrayBuffer>;

/** What a checkpoint states. */
export interface Checkpoint {
  readonly size: number;
  readonly root: string;
  readonly number: number;
  readonly time: string;
}

export type Verdict =
  | { readonly kind: 'proven'; readonly checkpoint: Checkpoint; readonly signer: string }
  /** Why, by its name in the catalogue. */
  | { readonly kind: 'refuted'; readonly why: 'notThisTenant' | 'differs' | 'noPath' | 'notSigned' };

const BODY = /^\S+\n(\d+)\n(\S{44})\nnumber (\d+)\ntime (\S+)\n$/;

/**
 * Verifies in the page that an event is in the evidence log: its hash is computed from what the page shows, the path leads
 * from the hash to the root of the checkpoint (RFC 9162), and the key has signed the checkpoint.
 * @param verifierKey the service's key, `name+id+Base64`
 * @throws Error if this browser lacks the cryptography
 */
export async function checkProof(event: Event, verifierKey: string): Promise<Verdict> {
  const { proof } = event;
  if (!proof) throw new Error('the event is in no signed log yet');
  const refuted = (why: (Verdict & { kind: 'refuted' })['why']): Verdict => ({ kind: 'refuted', why });
  const end = proof.checkpoint.indexOf('\n\n');
  const body = proof.checkpoint.slice(0, end + 1);
  const [, size = '', root = '', number = '', time = ''] = BODY.exec(body) ?? [];
  const [origin] = body.split('\n', 1);
  if (!root || origin !== `audit-activity/tenant-${event.tenantId}`) return refuted('notThisTenant');
  const leaf = await leafHashOf(event);
  if (toBase64(leaf) !== proof.leafHash) return refuted('differs');
  const reached = await rootByPath(leaf, proof.index, Number(size), proof.path.map(fromBase64));
  if (!reached || toBase64(reached) !== root) return refuted('noPath');
  const [signer = '', id = '', key = ''] = verifierKey
    .split('+', 2)
    .concat(verifierKey.split('+').slice(2).join('+'));
  const lines = proof.checkpoint.slice(end + 2).split('\n');
  if (!(await isSigned(body, lines, key))) return refuted('notSigned');
  return {
    kind: 'proven',
    checkpoint: { size: Number(size), root, number: Number(number), time },
    signer: `${signer}+${id}`,
  };
}

/** SHA-256(0x00 || version || JSON of the names in additional || JSON of all values): `docs/evidence.md`. */
async function leafHashOf(event: Event): Promise<Bytes> {
  const additional = (event.additional ?? {}) as Readonly<Record<string, unknown>>;
  const names = Object.keys(additional).sort();
  const values = [
    ...ENTRY_V1_FIELDS.map((name) => event[name] ?? null),
    ...names.map((name) => additional[name] ?? null),
  ];
  return sha256(
    Uint8Array.of(0, ENTRY_VERSION),
    new TextEncoder().encode(JSON.stringify(names) + JSON.stringify(values)),
  );
}

/** Null: the path has a wrong length (RFC 9162, 2.1.3.2). */
async function rootByPath(
  leaf: Bytes,
  index: number,
  size: number,
  path: readonly Bytes[],
): Promise<Bytes | null> {
  if (index >= size) return null;
  const half = (n: number) => Math.floor(n / 2);
  let [node, last, root] = [index, size - 1, leaf];
  for (const other of path) {
    if (last === 0) return null;
    if (node % 2 === 1 || node === last) {
      root = await sha256(Uint8Array.of(1), other, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else root = await sha256(Uint8Array.of(1), root, other);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? root : null;
}

const KEY_ID_BYTES = 4;

async function isSigned(body: string, lines: readonly string[], keyBase64: string): Promise<boolean> {
  // The first byte states the kind of the key.
  const raw = fromBase64(keyBase64).slice(1);
  const key = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
  for (const line of lines) {
    const signature = /^— \S+ (\S+)$/.exec(line)?.[1];
    if (!signature) continue;
    const bytes = fromBase64(signature).slice(KEY_ID_BYTES);
    if (await crypto.subtle.verify('Ed25519', key, bytes, new TextEncoder().encode(body))) return true;
  }
  return false;
}

async function sha256(...parts: readonly Uint8Array[]): Promise<Bytes> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', all));
}

const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const toBase64 = (bytes: Bytes): string => btoa(String.fromCharCode(...bytes));
