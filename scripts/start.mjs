import { createRequire } from 'node:module';
import { setup } from './setup.mjs';

await setup();
// In this process, so that signals reach the server itself.
createRequire(import.meta.url)('../dist/src/main.js');
