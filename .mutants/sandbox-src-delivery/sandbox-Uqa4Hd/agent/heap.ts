import { setFlagsFromString } from 'node:v8';
import flags from './node-flags.json';

// This module is imported first: the heap must not have grown before the flags are set. As the
// process sets them itself, they apply however the agent is started.
for (const flag of flags) setFlagsFromString(flag);
