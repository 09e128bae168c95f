import { parseArgs } from 'node:util';
import { main } from '../installer/build/tools.mjs';
import { setup } from './setup.mjs';

// `npm run msi -- [--node-version V] [--out FOLDER]`: builds the agent's package for Windows.
await main(async () => {
  const { values } = parseArgs({ options: { 'node-version': { type: 'string' }, out: { type: 'string' } } });
  await setup({ quiet: true });
  // Imported after the set-up, which may have to install the bundler first.
  const { buildMsi } = await import('../installer/build/msi.mjs');
  process.stdout.write(`${await buildMsi({ nodeVersion: values['node-version'], out: values.out })}\n`);
});
