import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { linesOf } from '../../package-check/bytes';
import { signerOf, splitNote } from '../../store/log/evidence/signed-note';
import { type Manifest, type ManifestFile, noteBody } from './manifest';
import { RunningRoot } from './running-root';

/** What was found of a run. */
export interface RunCheck {
  readonly manifest: Manifest;
  /** The files that were there, and those that were not. */
  readonly checked: readonly string[];
  readonly absent: readonly string[];
  /** Empty: nothing differs from what was signed. */
  readonly problems: readonly string[];
  /** Why nobody can say who signed it; null: a trusted key did. */
  readonly unjudged: string | null;
}

/** The answer of a service about a run, as far as it is believed. */
interface Saved {
  readonly manifest: string;
  readonly note: string;
  readonly publicKey: string;
}

/**
 * Checks a run without the service: the signature, and the files that lie beside the saved answer.
 * @param file the answer of `GET /reports/runs/{runId}`, of which the manifest and the note are read
 * @param keys the trusted keys; none: the key that the answer states
 * @throws Error when the file is no such answer
 */
export async function verifyRun(file: string, keys: readonly string[]): Promise<RunCheck> {
  const saved = savedRun(await readFile(file, 'utf8'));
  const manifest = manifestIn(saved);
  const trusted = keys.length > 0 ? keys : [saved.publicKey];
  const problems = noteProblems(saved, manifest, trusted);
  const checked: string[] = [];
  const absent: string[] = [];
  for (const one of manifest.files) {
    const beside = path.join(path.dirname(file), path.basename(one.name));
    if (!existsSync(beside)) {
      absent.push(one.name);
      continue;
    }
    checked.push(one.name);
    const problem = await fileProblem(beside, one);
    if (problem !== null) problems.push(problem);
    else if (one.format === 'json') problems.push(...(await rowProblems(beside, manifest)));
  }
  return { manifest, checked, absent, problems, unjudged: otherSigner(saved.note, trusted) };
}

function savedRun(text: string): Saved {
  try {
    const answer = JSON.parse(text) as { readonly data?: unknown };
    const { manifest, note, publicKey } = (answer.data ?? answer) as Readonly<Record<string, unknown>>;
    if (typeof manifest === 'string' && typeof note === 'string' && typeof publicKey === 'string')
      return { manifest, note, publicKey };
  } catch {
    // It is told below.
  }
  throw new Error('it is not an answer of GET /reports/runs/{runId}, with manifest, note and publicKey');
}

function manifestIn({ manifest: text }: Saved): Manifest {
  try {
    const manifest = JSON.parse(text) as Manifest;
    const areFiles =
      Array.isArray(manifest.files) && manifest.files.every(({ name }) => typeof name === 'string');
    if (manifest.version === 1 && areFiles) return manifest;
  } catch {
    // It is told below.
  }
  throw new Error('its manifest is not one of a report of this release');
}

function noteProblems(
  { manifest: text, note }: Saved,
  manifest: Manifest,
  keys: readonly string[],
): string[] {
  const [body] = splitNote(note);
  const problems = [];
  if (body !== noteBody(text, manifest)) problems.push('the manifest is not the one that was signed');
  if (signerOf(note, keys) === null) problems.push('the note is not signed by the key that is trusted');
  const { checkpoint } = manifest.log;
  if (checkpoint !== null && signerOf(checkpoint, keys) === null)
    problems.push('the checkpoint of the evidence log is not signed by the key that it names');
  return problems;
}

/** A note of another key may be from before the key was changed, or of somebody else. */
function otherSigner(note: string, keys: readonly string[]): string | null {
  const signer = signerOf(note, keys);
  if (signer === null || signer.isTrusted) return null;
  return (
    `the note is signed by the key ${signer.keyId}, which is none of the keys that are trusted here: ` +
    'if it is an earlier checkpoint key of the service, give its public key (--public-key)'
  );
}

async function fileProblem(file: string, { name, bytes, sha256 }: ManifestFile): Promise<string | null> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(file)) {
    hash.update(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  if (size !== bytes) return `${name} has ${size} bytes, and ${bytes} were signed`;
  return hash.digest('hex') === sha256 ? null : `${name} is not the file that was signed`;
}

/** The largest statement has 8 MiB, and more with its escapes. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/** Compares the rows of the file in JSON, one a line, with the root that was signed. */
async function rowProblems(file: string, { rows, recordIdsRoot }: Manifest): Promise<string[]> {
  const root = new RunningRoot();
  let count = 0;
  // Only a line feed ends a line: texts in JSON have other separators of lines as they are.
  for await (const bytes of linesOf(createReadStream(file), LINE_BYTES_MAX)) {
    const line = Buffer.from(bytes).toString('utf8');
    if (line.startsWith(']')) break;
    if (!line.startsWith('{') || line.startsWith('{"report":')) continue;
    count++;
    if (recordIdsRoot !== null)
      root.add((JSON.parse(line.replace(/,$/, '')) as { readonly recordId: string }).recordId);
  }
  const problems = [];
  if (count !== rows) problems.push(`${rows} rows were signed, and there are ${count}`);
  if (recordIdsRoot !== null && root.root !== recordIdsRoot)
    problems.push('the record ids of the rows are not those that were signed');
  return problems;
}
