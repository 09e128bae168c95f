#!/usr/bin/env node
import { createRequire } from 'node:module';
import { setup } from './setup.mjs';

await setup({ quiet: true });
createRequire(import.meta.url)('../dist/src/cli/main.js');
