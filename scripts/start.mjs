import { createRequire } from 'node:module';
import { setup } from './setup.mjs';

// graphql-js checks every value twice outside production.
process.env.NODE_ENV ||= 'production';
await setup();
// In this process, so that signals reach the server itself.
createRequire(import.meta.url)('../dist/src/main.js');
