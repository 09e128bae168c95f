import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isProgram } from './files.mjs';

// `node scripts/lib/complete-lock.mjs [site/package-lock.json]`, after npm has written package-lock.json or that file.
// A registry mirror may lack the packages of other platforms (404); npm then leaves them out of the lock file, and
// `npm ci` refuses that file everywhere. The package that depends on them states their exact versions, but not their
// integrity.

const FILE = resolve(import.meta.dirname, '../..', process.argv[2] ?? 'package-lock.json');
const OS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const CPU = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];
const LIBC = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

/** The missing entries for optional packages on which a lock file depends, by path. */
export function missingEntries(packages) {
  const missing = {};
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!isPresent(packages, path, name)) missing[`node_modules/${name}`] = toEntry(name, version, entry);
    }
  }
  return missing;
}

function isPresent(packages, path, name) {
  const parents = path
    .split('/node_modules/')
    .map((_, i, parts) => parts.slice(0, i + 1).join('/node_modules/'));
  return ['', ...parents.map((parent) => `${parent}/`)].some(
    (prefix) => `${prefix}node_modules/${name}` in packages,
  );
}

function toEntry(name, version, parent) {
  const words = name.split(/[/-]/);
  const os = OS.find((each) => words.includes(each));
  const cpu = CPU.find((each) => words.includes(each));
  if (!/^\d+\.\d+\.\d+$/.test(version) || os === undefined || cpu === undefined) {
    throw new Error(
      `cannot tell version or platform of ${name}@${version}: add it to package-lock.json by hand`,
    );
  }
  const libc = words.map((word) => LIBC[word]).find(Boolean);
  return {
    version,
    cpu: [cpu],
    ...(parent.dev ? { dev: true } : {}),
    ...(libc && os === 'linux' ? { libc: [libc] } : {}),
    optional: true,
    os: [os],
  };
}

if (isProgram(import.meta.url)) {
  const lock = JSON.parse(readFileSync(FILE, 'utf8'));
  const missing = missingEntries(lock.packages);
  // The same order as npm's.
  const sorted = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) =>
    a.localeCompare(b, 'en'),
  );
  writeFileSync(FILE, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
  for (const [path, { version }] of Object.entries(missing)) console.log(`added ${path}@${version}`);
}
