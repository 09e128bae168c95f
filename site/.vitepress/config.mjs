import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import hljs from 'highlight.js/lib/common';

const { SITE_ROOT: root, SITE_OUT: out, SITE_VERSION: version } = process.env;
const sidebar = JSON.parse(readFileSync(join(root, '.setup/site-sidebar.json'), 'utf8'));
const moduleIds = new Set();

export default {
  title: 'Audit Activity',
  description: 'SQL Server audit events, searchable per tenant.',
  lang: 'en',
  base: '/docs/',
  srcDir: '../.setup/site-pages',
  outDir: out,
  cacheDir: '../.setup/site-cache',
  cleanUrls: true,
  // The policy of the service forbids scripts in a page: all are files.
  metaChunk: true,
  transformHtml: withoutInlineScripts,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    // GitHub's anchors, so that links work there and here.
    anchor: { slugify: anchorOf },
    // Colours by classes: the policy of the service is the reason here, too.
    highlight,
  },
  vite: { plugins: [{ name: 'packages', generateBundle: notePackages }], logLevel: 'warn' },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [{ text: `Version ${version}`, link: '/changelog' }],
    externalLinkIcon: true,
  },
};

function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function highlight(code, language) {
  const text = hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escaped(code);
  return `<pre class="hljs"><code>${text}</code></pre>`;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Puts each script that is written in the page into a file. */
function withoutInlineScripts(html) {
  return html.replace(/<script\b(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/g, (_, attributes, code) => {
    const name = `assets/early.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
    mkdirSync(join(out, 'assets'), { recursive: true });
    writeFileSync(join(out, name), code);
    return `<script${attributes} src="/docs/${name}"></script>`;
  });
}

/** Notes the files of which the scripts of the pages are made. */
function notePackages(_options, bundle) {
  for (const chunk of Object.values(bundle)) {
    for (const id of Object.keys(chunk.modules ?? {}))
      moduleIds.add(id.replace(/^\0/, '').replace(/\?.*$/, ''));
  }
  writeFileSync(join(root, '.setup/site-modules.json'), JSON.stringify([...moduleIds]));
}
