/**
 * The pages of the site in their order: for each group its pages, as the file that a page is made of, or as the name of a page
 * that `scripts/lib/site-reference.mjs` makes. The path of a page is that of its file, without `docs/`, in small letters.
 */
export const NAVIGATION = [
  {
    title: 'Get started',
    pages: ['docs/get-started.md', 'docs/sql-server.md', 'docs/agent.md', 'docs/dashboard.md'],
  },
  {
    title: 'How to',
    pages: [
      'docs/production.md',
      'docs/operate.md',
      'docs/upgrade.md',
      'docs/archive.md',
      'docs/collect.md',
      'docs/destinations.md',
      'docs/detection.md',
      'docs/compliance.md',
      'docs/reports.md',
      'docs/evidence.md',
      'docs/assistants.md',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'docs/api.md',
      'reference/settings',
      'reference/commands',
      'reference/errors',
      'reference/metrics',
      'reference/rules',
      'docs/limits.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: 'Concepts',
    pages: ['SECURITY.md', 'docs/RELIABILITY.md', 'docs/SCALING.md', 'reference/words'],
  },
  {
    title: 'For developers',
    collapsed: true,
    pages: [
      'CONTRIBUTING.md',
      'docs/developers/PERFORMANCE.md',
      'docs/developers/mistakes.md',
      'docs/developers/page.md',
    ],
  },
  {
    title: 'Decisions',
    collapsed: true,
    pages: ['docs/decisions/*.md'],
  },
];

/** The path of the page that a file is made into, below `/docs/`. */
export const pathOf = (file) =>
  file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase();
