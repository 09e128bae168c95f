import { setFlagsFromString } from 'node:v8';
import flags from './node-flags.json';

// At import, and imported first: the heap must not have grown before. Set from within, they hold however the agent
// is started.
for (const flag of flags) setFlagsFromString(flag);
