import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packTgz } from './archive.mjs';
import { DIST, ROOT, VERSION } from './paths.mjs';
import { inWorkFolder } from './tools.mjs';

const NAME = 'audit-activity';
export const chartName = (version) => `${NAME}-chart-${version}.tgz`;

/** Packs the Helm chart with the version of the project. @returns path of the .tgz */
export async function buildChart({ version = VERSION, out = DIST } = {}) {
  return inWorkFolder('chart-', async (work) => {
    const chart = join(work, NAME);
    await cp(join(ROOT, 'deploy/helm'), chart, {
      recursive: true,
      dereference: true,
      filter: (file) => !file.endsWith('.test.yaml'),
    });
    const file = join(chart, 'Chart.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`));
    await mkdir(out, { recursive: true });
    return packTgz(work, NAME, join(out, chartName(version)));
  });
}
