import { main } from '../installer/build/tools.mjs';
import { setup } from './setup.mjs';

// `npm run client [-- FOLDER]`: packs the TypeScript client.
await main(async () => {
  await setup({ quiet: true });
  const { packClient } = await import('./lib/client.mjs');
  process.stdout.write(`${await packClient(process.argv[2] ?? 'dist/client')}\n`);
});
