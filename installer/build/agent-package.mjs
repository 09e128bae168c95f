import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundleAgent } from './bundle.mjs';
import { DIST, ROOT, VERSION } from './paths.mjs';

/**
 * Builds the agent in one file, as operators offer it to groups of hosts, and signs it.
 * @param signKey file of the key; without it nothing is signed
 * @returns path of the file
 */
export async function buildAgentPackage({ out = DIST, signKey = process.env.RELEASE_SIGN_KEY } = {}) {
  const path = join(out, `audit-agent-${VERSION}.js`);
  await bundleAgent(path);
  if (!signKey) return path;
  const require = createRequire(import.meta.url);
  const { readPackage, signatureOf } = require(join(ROOT, 'dist/src/cli/agent-package-file.js'));
  const facts = { ...(await readPackage(path)), allowsOlder: false };
  await writeFile(`${path}.sig`, `${signatureOf(facts, await readFile(signKey, 'utf8'))}\n`);
  return path;
}
