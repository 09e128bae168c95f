import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { NAVIGATION, pathOf } from '../../site/navigation.mjs';
import { referencePages } from './site-reference.mjs';

/** A link or picture of Markdown: whether it is a picture, its text, and its target. */
const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;
const PICTURE = /<img src="([^"]+)" alt="([^"]*)"[^>]*>/g;

/**
 * Writes the pages from which the site is built: the documents, and pages of facts from the compiled code. Links among them
 * become links of the site. A link to a file that is no page becomes its text.
 * @param pages folder, which is replaced
 * @returns the groups of the navigation: `{ text, collapsed, items: [{ text, link }] }`
 */
export function gatherPages(root, pages) {
  rmSync(pages, { recursive: true, force: true });
  const made = new Map(referencePages(root));
  const groups = NAVIGATION.map(({ title, collapsed = false, pages: named }) => ({
    title,
    collapsed,
    files: named.flatMap((each) => filesOf(root, each)),
  }));
  const textOf = (file) => made.get(file) ?? readFileSync(join(root, file), 'utf8');
  const texts = new Map(groups.flatMap(({ files }) => files.map((file) => [file, textOf(file)])));
  for (const [file, text] of texts) write(join(pages, `${pathOf(file)}.md`), pageOf(text, file, texts));
  cpSync(join(root, 'docs/pictures'), join(pages, 'pictures'), { recursive: true });
  const sidebar = groups.map(({ title, collapsed, files }) => ({
    text: title,
    collapsed,
    items: files.map((file) => ({ text: titleOf(file, texts.get(file)), link: `/${pathOf(file)}` })),
  }));
  write(join(pages, 'index.md'), startOf(sidebar));
  return sidebar;
}

/** The files that an entry of the navigation names, which may end in `*.md`. */
function filesOf(root, entry) {
  if (!entry.endsWith('/*.md')) return [entry];
  const folder = dirname(entry);
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => posix.join(folder, name));
}

/** @param pages the pages, by file */
function pageOf(text, file, pages) {
  const targetOf = (target) => {
    const [path, anchor] = target.split('#');
    const found = path ? posix.join(posix.dirname(file), path) : file;
    if (pages.has(found)) return `/${pathOf(found)}${anchor === undefined ? '' : `#${anchor}`}`;
    return found.startsWith('docs/pictures/') ? `/${found.slice('docs/'.length)}` : null;
  };
  return text.replace(PICTURE, '![$2]($1)').replace(LINK, (whole, picture, label, target) => {
    if (/^[a-z]+:/.test(target)) return whole;
    const found = targetOf(target);
    return found === null ? label : `${picture}[${label}](${found})`;
  });
}

const LEAD =
  'SQL Server writes its audit trail to files on the database host. Audit Activity makes these events searchable, per tenant, ' +
  'without access to that host. New here? Begin with [Get started](/get-started).';

/** The first page: every page of the navigation, by group. */
function startOf(sidebar) {
  const lists = sidebar.map(
    ({ text, items }) =>
      `## ${text}\n\n${items.map((item) => `- [${item.text}](${item.link})`).join('\n')}\n`,
  );
  return `# Audit Activity\n\n${LEAD}\n\n${lists.join('\n')}`;
}

function titleOf(file, text) {
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  if (!title) throw new Error(`${file} has no title`);
  return title.replaceAll('`', '');
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
