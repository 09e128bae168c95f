import { spawnSync } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ROOT } from './paths.mjs';
import { run } from './tools.mjs';

/**
 * Seconds since 1970 that replace every time in a release, so that the same sources make the same bytes:
 * `SOURCE_DATE_EPOCH`, else the time of the commit, else (an unpacked archive of the sources) a fixed day.
 */
export function releaseTime() {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given) return Number(given);
  const options = { cwd: ROOT, encoding: 'utf8' };
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], options);
  return status === 0 ? Number(stdout) : FIXED_DAY;
}
const FIXED_DAY = Date.UTC(2026, 0, 1) / 1000;

/**
 * Packs a folder so that its content alone decides the bytes: order, times, owners and modes are fixed.
 * @param parent folder that contains `name`, the folder to which the archive unpacks
 */
export async function packTar(parent, name, target) {
  await run('tar', [
    ...['--sort=name', `--mtime=@${releaseTime()}`, '--owner=0', '--group=0', '--numeric-owner'],
    ...['--mode=u=rwX,go=rX', '--format=gnu', '-C', parent, '-cf', `${target}.new`, name],
  ]);
  await rename(`${target}.new`, target);
  return target;
}

/** Packs a folder likewise, and compresses the archive. */
export async function packTgz(parent, name, target) {
  const tar = await packTar(parent, name, `${target}.tar`);
  await writeFile(`${target}.new`, await promisify(gzip)(await readFile(tar), { level: 9 }));
  await rm(tar);
  await rename(`${target}.new`, target);
  return target;
}
