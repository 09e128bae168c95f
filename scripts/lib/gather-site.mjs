import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { NAVIGATION, pathOf } from '../../site/navigation.mjs';

/** A link or picture of Markdown: whether it is a picture, its text, and its target. */
const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;
const PICTURE = /<img src="([^"]+)" alt="([^"]*)"[^>]*>/g;

/**
 * Writes the pages from which the site is built: the documents, with links among pages. A link to a file that is no page
 * becomes its text.
 * @param pages folder, which is replaced
 * @returns the groups of the navigation: `{ text, collapsed, items: [{ text, link }] }`
 */
export function gatherPages(root, pages) {
  rmSync(pages, { recursive: true, force: true });
  const groups = NAVIGATION.map((group) => ({
    ...group,
    pages: group.pages.flatMap((each) => filesOf(root, each)),
  }));
  const files = new Set(groups.flatMap((group) => group.pages));
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    write(join(pages, `${pathOf(file)}.md`), pageOf(text, file, files));
  }
  cpSync(join(root, 'docs/pictures'), join(pages, 'pictures'), { recursive: true });
  const sidebar = groups.map(({ title, collapsed, pages: ofGroup }) => ({
    text: title,
    collapsed: collapsed ?? false,
    items: ofGroup.map((file) => ({ text: titleOf(join(root, file)), link: `/${pathOf(file)}` })),
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

function pageOf(text, file, files) {
  const targetOf = (target) => {
    const [path, anchor] = target.split('#');
    const found = path ? posix.join(posix.dirname(file), path) : file;
    if (files.has(found)) return `/${pathOf(found)}${anchor === undefined ? '' : `#${anchor}`}`;
    return found.startsWith('docs/pictures/') ? `/${found.slice('docs/'.length)}` : null;
  };
  return text.replace(PICTURE, '![$2]($1)').replace(LINK, (whole, picture, label, target) => {
    if (/^[a-z]+:/.test(target)) return whole;
    const found = targetOf(target);
    return found === null ? label : `${picture}[${label}](${found})`;
  });
}

/** The first page: every page of the navigation, by group. */
function startOf(sidebar) {
  const lists = sidebar.map(
    ({ text, items }) =>
      `## ${text}\n\n${items.map((item) => `- [${item.text}](${item.link})`).join('\n')}\n`,
  );
  return `# Audit Activity\n\n${lists.join('\n')}`;
}

function titleOf(path) {
  const [, title] = /^# (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
  if (!title) throw new Error(`${path} has no title`);
  return title.replaceAll('`', '');
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
