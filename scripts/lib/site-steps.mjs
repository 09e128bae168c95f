import { join } from 'node:path';
import { doSteps } from '../setup.mjs';
import { runNode, SetupFailure } from './child.mjs';
import { installPackages } from './install-packages.mjs';
import { stamped } from './setup-steps.mjs';

/** The packages of the site lie beside it. The set-up of the service does not install them. */
const sitePackages = {
  title: 'installing the packages of the documents',
  slow: true,
  isFresh: (root) => installPackages.isFresh(join(root, 'site')),
  run: ({ root }) => installPackages.run({ root: join(root, 'site') }),
};

const site = stamped({
  name: 'site',
  title: 'building the documents',
  applies: () => true,
  inputs: [
    ...['docs', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'package.json'],
    ...['site/.vitepress', 'site/navigation.mjs', 'site/package-lock.json'],
    ...['build', 'gather'].map((name) => `scripts/lib/${name}-site.mjs`),
    // The pages of facts are made of the compiled code.
    ...['scripts/lib/site-reference.mjs', 'src', 'agent', 'rules'],
  ],
  outputs: ['dist/site'],
  async run({ root }) {
    const script = join(root, 'scripts/lib/build-site.mjs');
    const { code, output } = await runNode(script, [], { cwd: root, env: { NODE_ENV: 'production' } });
    if (code !== 0)
      throw new SetupFailure('the documents cannot be built: correct the errors above.', output);
  },
});

/** What `npm run site` and a release do beside the set-up. */
export const SITE_STEPS = [sitePackages, site];

/** Builds the site for a release, unless it is up to date. @throws SetupFailure */
export const ensureSite = () => doSteps(SITE_STEPS);
