import { createHash, createPublicKey, verify } from 'node:crypto';

/**
 * A verifier that was written from docs/evidence.md alone. It uses nothing of the product, so that it fails where the
 * document is not what a client needs.
 */

const FIELDS = [
  ...['recordId', 'tenantId', 'eventTime', 'actionId', 'succeeded', 'serverInstanceName', 'databaseName'],
  ...['schemaName', 'objectName', 'serverPrincipalName', 'databasePrincipalName', 'applicationName'],
  ...['hostName', 'clientIp', 'sourceType', 'statement'],
];

type Line = Readonly<Record<string, unknown>> & { readonly additional: Readonly<Record<string, unknown>> };
interface Checkpoint {
  readonly tenant: string;
  readonly size: number;
  readonly root: string;
  readonly number: number;
}

const sha256 = (...parts: readonly Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const base64 = (text: string) => Buffer.from(text, 'base64');

function leafHash(line: Line): Buffer {
  const names = Object.keys(line.additional).sort();
  const values = [
    ...FIELDS.map((name) => line[name] ?? null),
    ...names.map((name) => line.additional[name] ?? null),
  ];
  const entry = Buffer.from(`\u0001${JSON.stringify(names)}${JSON.stringify(values)}`);
  return sha256(Buffer.of(0), entry);
}

const node = (left: Buffer, right: Buffer) => sha256(Buffer.of(1), left, right);

/** The largest power of two below n. */
function below(n: number): number {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}

function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256();
  const [only] = leaves;
  if (leaves.length === 1 && only) return only;
  const k = below(leaves.length);
  return node(rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

/** RFC 9162, 2.1.3.2. */
function rootByPath(leaf: Buffer, index: number, size: number, path: readonly Buffer[]): Buffer | null {
  let [at, last, root] = [index, size - 1, leaf];
  for (const hash of path) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      root = node(hash, root);
      while (at % 2 === 0 && at !== 0) [at, last] = [at >> 1, last >> 1];
    } else root = node(root, hash);
    [at, last] = [at >> 1, last >> 1];
  }
  return last === 0 ? root : null;
}

/** @throws Error unless the key signed the note */
function checkpointOf(note: string, publicKey: string): Checkpoint {
  const [, name = '', id = '', key = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(publicKey) ?? [];
  const raw = base64(key);
  const ed25519 = raw.subarray(1);
  const ownId = sha256(Buffer.from(`${name}\n`), Buffer.of(1), ed25519).subarray(0, 4);
  if (raw[0] !== 1 || ed25519.length !== 32 || ownId.toString('hex') !== id) throw new Error('no public key');
  const end = note.indexOf('\n\n') + 1;
  const [body, signature] = [note.slice(0, end), note.slice(end + 1)];
  // Further lines are signatures of witnesses.
  const own = signature.split('\n').find((line) => line.startsWith(`\u2014 ${name} `)) ?? '';
  const [dash, signer, text = ''] = own.split(' ');
  const bytes = base64(text);
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: ed25519.toString('base64url') };
  const isSigned =
    dash === '\u2014' &&
    signer === name &&
    bytes.subarray(0, 4).equals(ownId) &&
    verify(null, Buffer.from(body), createPublicKey({ key: jwk, format: 'jwk' }), bytes.subarray(4));
  if (!isSigned) throw new Error('a checkpoint is not signed by the key');
  const [origin = '', size, root = '', number = '', time = ''] = body.split('\n');
  const [, tenant = ''] = /^audit-activity\/tenant-(\d+)$/.exec(origin) ?? [];
  if (!/^number \d+$/.test(number) || Number.isNaN(Date.parse(time.slice('time '.length))))
    throw new Error('a checkpoint has other lines');
  return { tenant, size: Number(size), root, number: Number(number.slice('number '.length)) };
}

/** Fetches a path of the public API. @returns the text of the answer */
type Fetch = (path: string) => Promise<string>;

/** @returns what is wrong, in words; none: every event is as it was accepted, and none is missing */
export async function verifyAlone(fetchText: Fetch, publicKey: string): Promise<readonly string[]> {
  const data = async (path: string) => JSON.parse(await fetchText(path)).data;
  const wrong: string[] = [];
  const newest = checkpointOf((await data('/audit-log')).checkpoint, publicKey);
  const lines = (await fetchText('/audit-activity/export?format=ndjson&end=1')).trimEnd().split('\n');
  const end = JSON.parse(lines.pop() ?? '').end;
  if (end?.count !== lines.length) wrong.push('the export was cut');
  const ids: string[] = [];
  const leaves: Buffer[] = [];
  for (let start = 0; ; ) {
    const page = await data(`/audit-log/entries?start=${start}`);
    if (page.count === 0) break;
    if (page.start !== start) wrong.push(`entries before ${page.start} are gone`);
    for (let i = 0; i < page.count; i++) {
      ids.push(base64(page.recordIds).toString('hex', i * 16, i * 16 + 16));
      leaves.push(base64(page.leafHashes).subarray(i * 32, i * 32 + 32));
    }
    start = page.start + page.count;
  }
  const notes: string[] = [];
  for (let after = 0; ; ) {
    const page: string[] = (await data(`/audit-log/checkpoints?after=${after}`)).checkpoints;
    if (page.length === 0) break;
    notes.push(...page);
    after = checkpointOf(page.at(-1) ?? '', publicKey).number;
  }
  for (const [i, note] of notes.entries()) {
    const { number, size, root } = checkpointOf(note, publicKey);
    if (number !== i + 1) wrong.push(`checkpoint ${i + 1} is gone`);
    if (rootOf(leaves.slice(0, size)).toString('base64') !== root)
      wrong.push(`the log is not that of checkpoint ${number}`);
  }
  const { removals } = await data('/audit-log/removals');
  const places = new Map(ids.map((id, index) => [id, index]));
  const left = new Set(ids.slice(0, newest.size));
  for (const text of lines) {
    const line = JSON.parse(text) as Line;
    const id = String(line.recordId).replaceAll('-', '');
    const leaf = leaves[places.get(id) ?? -1];
    left.delete(id);
    if (!leaf) wrong.push(`${line.recordId} was never accepted`);
    else if (!leaf.equals(leafHash(line))) wrong.push(`${line.recordId} was altered`);
  }
  if (removals.length === 0) for (const id of left) wrong.push(`${id} is missing`);
  const [first] = ids;
  if (first) {
    const uuid = first.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const { proof } = await data(`/audit-activity/${uuid}/proof`);
    const { size, root } = checkpointOf(proof.checkpoint, publicKey);
    const found = rootByPath(base64(proof.leafHash), proof.index, size, proof.path.map(base64));
    if (found?.toString('base64') !== root)
      wrong.push('the proof of an event does not lead to its checkpoint');
  }
  return wrong;
}
