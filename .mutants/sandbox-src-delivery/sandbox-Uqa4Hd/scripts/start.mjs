import { createRequire } from 'node:module';
import { setup } from './setup.mjs';

await setup();
// The server runs in this process, so that signals reach it.
createRequire(import.meta.url)('../dist/src/main.js');
