import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

/**
 * Adds the Dockerfile's healthcheck to the settings of an image. OCI does not define it, so the builder omits it, but
 * Docker reads it there.
 * @param layout folder of the image in OCI's layout
 */
export async function addHealthcheck(layout) {
  const blob = (digest) => join(layout, 'blobs/sha256', digest.replace('sha256:', ''));
  const read = async (file) => JSON.parse(await readFile(file, 'utf8'));
  /** @returns the descriptor of the changed blob */
  const replace = async (descriptor, content) => {
    const bytes = Buffer.from(JSON.stringify(content));
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    await rm(blob(descriptor.digest));
    await writeFile(blob(digest), bytes);
    return { ...descriptor, digest, size: bytes.length };
  };
  const file = join(layout, 'index.json');
  const index = await read(file);
  const [described] = index.manifests;
  const manifest = await read(blob(described.digest));
  const settings = await read(blob(manifest.config.digest));
  settings.config.Healthcheck = healthcheckIn(await readFile(join(ROOT, 'Dockerfile'), 'utf8'));
  manifest.config = await replace(manifest.config, settings);
  index.manifests = [await replace(described, manifest)];
  await writeFile(file, JSON.stringify(index));
}

/** Times are in nanoseconds. */
function healthcheckIn(dockerfile) {
  const [, options, command] = /^HEALTHCHECK (.*?)\\?\n? *CMD (\[[^\]]*\])$/ms.exec(dockerfile);
  const optionOf = (name) => new RegExp(`--${name}=(\\d+)`).exec(options)[1];
  const ns = (name) => Number(optionOf(name)) * 1e9;
  return {
    Test: ['CMD', ...JSON.parse(command)],
    Interval: ns('interval'),
    Timeout: ns('timeout'),
    StartPeriod: ns('start-period'),
    Retries: Number(optionOf('retries')),
  };
}
