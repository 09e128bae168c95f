import { SITE_STEPS } from './lib/site-steps.mjs';
import { setup } from './setup.mjs';

// `npm run site`: builds the documents as pages into dist/site, from which the service shows them at /docs.
await setup({ quiet: true });
await setup({ steps: SITE_STEPS });
