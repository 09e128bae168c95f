import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { EMBEDDED_FOLDER } from '../../database/embedded';
import { SECRETS_KEY_FILE } from '../../delivery/secret-box';
import { parseNote } from '../../modules/evidence/checkpoint';
import { CHECKPOINT_KEY_FILE } from '../../modules/evidence/checkpoint-key-file';
import { CHECKPOINTS_FOLDER } from '../../modules/evidence/checkpoint-memory';
import { OPERATOR_KEY_FILE } from '../../modules/keys/operator-key';

export const MANIFEST_FILE = 'manifest.json';
export const DUMP_FILE = 'audit.dump';
/** The files of keys in a backup, whatever their names where the service runs. */
export const KEY_FILES = [CHECKPOINT_KEY_FILE, SECRETS_KEY_FILE, OPERATOR_KEY_FILE] as const;

export interface BackedUpFile {
  /** Its path in the folder, with slashes. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a backup holds: the file `manifest.json`. */
export interface Manifest {
  /** Of the service that made it. */
  readonly version: string;
  readonly madeAt: string;
  readonly database: 'postgresql' | 'embedded';
  /** The newest migration of the database. */
  readonly migration: string;
  /** Null: a release without epochs has made the database. */
  readonly epoch: string | null;
  /** How long the logs were before the database was dumped. */
  readonly logs: readonly { readonly tenantId: number; readonly entries: number }[];
  /** Null: the database was not dumped with it. */
  readonly dump: string | null;
  readonly files: readonly BackedUpFile[];
}

export interface CheckedBackup {
  readonly manifest: Manifest | null;
  /** What is missing or wrong. */
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export async function fileIn(folder: string, name: string): Promise<BackedUpFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path.join(folder, name))) {
    bytes += (chunk as Buffer).length;
    hash.update(chunk as Buffer);
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

/** The files of a folder and of the folders in it. */
export async function filesIn(folder: string, below = ''): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(path.join(folder, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) names.push(...(await filesIn(folder, name)));
    else names.push(name);
  }
  return names.sort();
}

/** Checks that a backup is whole, as far as its files tell. */
export async function checkBackup(folder: string): Promise<CheckedBackup> {
  const manifest = await readManifest(folder);
  if (typeof manifest === 'string') return { manifest: null, problems: [manifest], notes: [] };
  const there = new Set(await filesIn(folder));
  const problems: string[] = [];
  const notes: string[] = [];
  for (const file of manifest.files) {
    if (!there.has(file.name)) problems.push(`${file.name} is missing`);
    else if ((await fileIn(folder, file.name)).sha256 !== file.sha256)
      problems.push(`${file.name} is not as it was backed up`);
  }
  const listed = new Set(manifest.files.map(({ name }) => name));
  for (const name of KEY_FILES.filter((key) => !listed.has(key)))
    (name === OPERATOR_KEY_FILE ? notes : problems).push(WITHOUT[name]);
  problems.push(...(await readableByOthers(folder, [...there])));
  problems.push(...(await newerCheckpoints(folder, manifest, [...there])));
  const isDumpLater = manifest.dump === null && there.has(DUMP_FILE);
  if (isDumpLater) notes.push(`${DUMP_FILE} was put there later, so nothing tells whether it is whole`);
  else if (manifest.dump === null)
    problems.push(`the dump is missing: make it after this backup, as ${DUMP_FILE} in its folder`);
  const unlisted = [...there].filter(
    (name) => !listed.has(name) && name !== MANIFEST_FILE && name !== DUMP_FILE,
  );
  if (unlisted.length > 0)
    notes.push(`${unlisted.length} files are not of the backup: ${unlisted.slice(0, 5).join(', ')}`);
  return { manifest, problems, notes };
}

const WITHOUT: Readonly<Record<(typeof KEY_FILES)[number], string>> = {
  [CHECKPOINT_KEY_FILE]: `${CHECKPOINT_KEY_FILE} is not in the backup: the evidence logs cannot go on with it`,
  [SECRETS_KEY_FILE]: `${SECRETS_KEY_FILE} is not in the backup: destinations need new secrets`,
  [OPERATOR_KEY_FILE]: `${OPERATOR_KEY_FILE} is not in the backup: bring an operator key, or make one with operator-key recover`,
};

/** @returns the manifest, or what is wrong with it */
async function readManifest(folder: string): Promise<Manifest | string> {
  const incomplete = `${MANIFEST_FILE} is missing in ${folder}: it is no backup, or one that was not finished`;
  const text = await readFile(path.join(folder, MANIFEST_FILE), 'utf8').catch(() => null);
  if (text === null) return incomplete;
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (Array.isArray(manifest.files) && Array.isArray(manifest.logs)) return manifest;
  } catch {
    // Told below.
  }
  return `${MANIFEST_FILE} cannot be read`;
}

async function readableByOthers(folder: string, there: readonly string[]): Promise<string[]> {
  const secret = there.filter(
    (name) => (KEY_FILES as readonly string[]).includes(name) || name === DUMP_FILE,
  );
  const open: string[] = [];
  for (const name of secret) if (((await stat(path.join(folder, name))).mode & 0o077) !== 0) open.push(name);
  return open.length === 0 ? [] : [`others may read ${open.join(', ')}: chmod 600`];
}

/** A checkpoint that is newer than the dump would stop the log. */
async function newerCheckpoints(
  folder: string,
  { logs, dump }: Manifest,
  there: readonly string[],
): Promise<string[]> {
  const entries = new Map(logs.map((log) => [log.tenantId, log.entries]));
  const problems: string[] = [];
  for (const name of there.filter((one) => /^checkpoints\/tenant-\d+$/.test(one))) {
    const note = parseNote(await readFile(path.join(folder, name), 'utf8'));
    if (!note) problems.push(`${name} is no checkpoint`);
    else if (dump !== null && note.size > (entries.get(note.tenantId) ?? 0))
      problems.push(`${name} is newer than the dump: it has ${note.size} entries`);
  }
  return problems;
}

export const isSecret = (name: string): boolean => !name.startsWith(`${CHECKPOINTS_FOLDER}/`);
export const DATABASE_FOLDER = EMBEDDED_FOLDER;
