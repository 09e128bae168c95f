import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Hash of the names and contents of files and folders; a missing one counts as absent, `!file` is left out. */
export function contentHash(root, paths, ...extra) {
  return digest(root, paths, extra, (file) => readFileSync(file));
}

/**
 * Hash of names, sizes and change times, which is cheap and enough to notice changed or removed outputs. Another process
 * may remove files meanwhile.
 */
export function statHash(root, paths) {
  return digest(root, paths, [], (file) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat ? `${stat.size} ${stat.mtimeMs}` : 'removed';
  });
}

function digest(root, paths, extra, read) {
  const hash = createHash('sha256').update(JSON.stringify(extra));
  for (const path of paths.flatMap((each) => filesUnder(root, each))) {
    if (paths.includes(`!${path}`)) continue;
    const content = read(join(root, path));
    hash.update(`\n${path.replaceAll('\\', '/')} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function filesUnder(root, path) {
  const entry = statSync(join(root, path), { throwIfNoEntry: false });
  if (entry === undefined) return [];
  if (!entry.isDirectory()) return [path];
  // The entries are sorted, since their order differs between file systems.
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesUnder(root, join(path, name)));
}
