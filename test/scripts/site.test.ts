import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ENVIRONMENT } from '../../src/config';
import { ERRORS } from '../../src/errors';
import { readShippedRules } from '../../src/modules/detection/rules/shipped-rules';
import { ROOT } from '../support/imports';

interface Group {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/** The anchor of a heading, as `site/.vitepress/config.mjs` makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

// The archive's test looks at the built pages; building them takes too long for here.
describe('the pages of which the site is built', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'site-'));
  const pages = path.join(folder, 'pages');
  let groups: readonly Group[];
  beforeAll(() => {
    const url = pathToFileURL(path.join(ROOT, 'scripts/lib/gather-site.mjs')).href;
    const program = `import { gatherPages } from '${url}'; console.log(JSON.stringify(gatherPages('${ROOT}', '${pages}')));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program]);
    groups = JSON.parse(output.toString());
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const read = (page: string) => readFileSync(path.join(pages, page), 'utf8');
  const all = () =>
    readdirSync(pages, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));

  it('are every document, each once in the navigation', () => {
    const links = groups.flatMap(({ items }) => items.map(({ link }) => link));
    expect(links).toEqual([...new Set(links)]);
    expect(links.map((link) => `${link.slice(1)}.md`).sort()).toEqual(
      all()
        .filter((name) => name !== 'index.md')
        .sort(),
    );
    const documents = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
    for (const name of documents.filter((each) => each.endsWith('.md')))
      expect(links).toContain(`/${name.slice(0, -'.md'.length).toLowerCase()}`);
  });

  it('are named by the first page, by group', () => {
    for (const { text, items } of groups) {
      expect(read('index.md')).toContain(`## ${text}\n`);
      for (const { link } of items) expect(read('index.md')).toContain(`](${link})`);
    }
  });

  it('link only to pages, headings and pictures that exist', () => {
    const dead = all().flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !isThere(page, target))
        .map((target) => `${page}: ${target}`),
    );
    expect(dead).toEqual([]);
  });

  function isThere(page: string, target: string): boolean {
    const [name = '', anchor] = target.split('#');
    if (/\.(png|svg)$/.test(name)) return existsSync(path.resolve(pages, path.dirname(page), `./${name}`));
    const file = `${name.replace(/^\//, '')}.md`;
    if (!existsSync(path.join(pages, file))) return false;
    const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
    return anchor === undefined || headings.includes(anchor);
  }

  it.each(['restore', 'gMSA', '1603'])('say something of %s', (word) => {
    expect(all().filter((page) => read(page).includes(word))).not.toEqual([]);
  });

  it.each([
    ['settings', Object.keys(ENVIRONMENT.shape).map((name) => `| \`${name}\` |`)],
    ['errors', Object.keys(ERRORS).map((name) => `| \`${name}\` |`)],
    ['commands', ['### audit-activity tenant create\n', '| `--name <', '### audit-agent check\n']],
    ['rules', [...readShippedRules().values()].map(({ number }) => `\nRule ${number} · `)],
    ['metrics', ['| `http_requests_total` |', '| `detection` |']],
    ['words', ['## Evidence\n', '| checkpoint |']],
  ])('have the %s of the code', (name, texts) => {
    const page = read(`reference/${name}.md`);
    expect(texts.filter((text) => !page.includes(text))).toEqual([]);
  });
});
