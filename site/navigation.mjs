/**
 * The pages of the site in their order: for each group its pages, as the file that a page is made of. The path of a page is
 * that of its file, without `docs/`, in small letters.
 */
export const NAVIGATION = [
  {
    title: 'Get started',
    pages: ['docs/sql-server.md', 'docs/agent.md', 'docs/dashboard.md'],
  },
  {
    title: 'How to',
    pages: [
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
    pages: ['docs/api.md', 'docs/limits.md', 'CHANGELOG.md'],
  },
  {
    title: 'Concepts',
    pages: ['docs/RELIABILITY.md', 'docs/SCALING.md', 'SECURITY.md'],
  },
  {
    title: 'For developers',
    collapsed: true,
    pages: ['CONTRIBUTING.md', 'docs/PERFORMANCE.md', 'docs/mistakes.md', 'docs/decisions/*.md'],
  },
];

/** The path of the page that a file is made into, below `/docs/`. */
export const pathOf = (file) =>
  file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase();
