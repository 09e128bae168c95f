import { parseArgs } from 'node:util';
import { main } from '../installer/build/tools.mjs';
import { setup } from './setup.mjs';

// `npm run deb -- [--node-version V] [--out FOLDER]`: builds the agent's package for Debian.
await main(async () => {
  const { values } = parseArgs({ options: { 'node-version': { type: 'string' }, out: { type: 'string' } } });
  await setup({ quiet: true });
  // Imported after the set-up, which may have to install the bundler first.
  const { buildDeb } = await import('../installer/build/deb.mjs');
  process.stdout.write(`${await buildDeb({ nodeVersion: values['node-version'], out: values.out })}\n`);
});
