import { createHash } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseTime } from './archive.mjs';
import { BuildProblem } from './tools.mjs';

/** Format id of a summary's properties, in the byte order of the file. */
const SUMMARY_FORMAT = Buffer.from('e0859ff2f94f6810ab9108002b27b3d9', 'hex');
/** Numbers and types of the summary's properties. */
const REVISION = { id: 9, type: 30 };
const TIMES = [12, 13].map((id) => ({ id, type: 64 }));
const GUID_LENGTH = '{00000000-0000-0000-0000-000000000000}'.length;
/** Seconds from 1601, where Windows begins to count, to 1970. */
const EPOCHS_APART = 11_644_473_600n;
const TICKS_IN_A_SECOND = 10_000_000n;

/** Gives all files of a folder the time of the release, which the cabinet stores. */
export async function setTimes(folder) {
  const time = releaseTime();
  for (const name of await readdir(folder)) await utimes(join(folder, name), time, time);
}

/**
 * The code that identifies a product. Another build of the same version must be another product for Windows, so the code
 * depends on the content.
 * @param folder the files to be installed
 * @param texts all other contents of the package
 */
export async function productCodeOf(folder, texts = []) {
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).sort())
    hash.update(`${name}\0`).update(
      createHash('sha256')
        .update(await readFile(join(folder, name)))
        .digest(),
    );
  for (const text of texts) hash.update(`${text}\0`);
  return guidOf(hash.digest());
}

/**
 * Replaces the present time and the random code of wixl with the time of the release and a code made from the content.
 * Rewrites the file.
 */
export async function fixSummary(msi) {
  const bytes = await readFile(msi);
  const start = bytes.indexOf(SUMMARY_FORMAT);
  if (start < SUMMARY_SECTION_FROM) throw new BuildProblem('the package has no summary');
  const section = start - SUMMARY_SECTION_FROM + bytes.readUInt32LE(start + SUMMARY_FORMAT.length);
  const placeOf = ({ id, type }) => valueAt(bytes, section, id, type);
  const ticks = (BigInt(releaseTime()) + EPOCHS_APART) * TICKS_IN_A_SECOND;
  for (const time of TIMES) bytes.writeBigUInt64LE(ticks, placeOf(time));
  // The length of a text precedes it.
  const code = placeOf(REVISION) + 4;
  bytes.fill('0', code, code + GUID_LENGTH);
  bytes.write(guidOf(createHash('sha256').update(bytes).digest()), code, 'ascii');
  await writeFile(msi, bytes);
}

/** Bytes of the property set's header, before the format id of its only section. */
const SUMMARY_SECTION_FROM = 28;

/** @returns where the value of a property stands */
function valueAt(bytes, section, wanted, type) {
  const count = bytes.readUInt32LE(section + 4);
  for (let index = 0; index < count; index++) {
    const entry = section + 8 + index * 8;
    if (bytes.readUInt32LE(entry) !== wanted) continue;
    const at = section + bytes.readUInt32LE(entry + 4);
    if (bytes.readUInt32LE(at) === type) return at + 4;
  }
  throw new BuildProblem(`the package has no property ${wanted} of type ${type} in its summary`);
}

function guidOf(digest) {
  const hex = digest.toString('hex').toUpperCase();
  return `{${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-A${hex.slice(17, 20)}-${hex.slice(20, 32)}}`;
}
