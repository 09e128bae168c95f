import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ROUTES } from '../../rest-facade/routes';
import { SETTINGS, TYPE_NAMES } from '../../src/cli/destination-options';
import { ENVIRONMENT, loadConfig } from '../../src/config';
import { ERRORS } from '../../src/errors';
import { FILTER_NAMES } from '../../src/event/filters';
import { LIMITS } from '../../src/limits';
import { namesIn, readDocument, tableOf } from '../support/documents';
import { ROOT } from '../support/imports';

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md', ...markdownIn('docs')];

function markdownIn(folder: string): string[] {
  const names = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.md')).map((name) => path.posix.join(folder, name));
}

/** @returns the anchor that GitHub gives to a heading */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

describe('the documentation', () => {
  it('describes each variable of the service with the text and the default of its declaration', () => {
    const defaults = Object.entries(ENVIRONMENT.parse({})) as [string, unknown][];
    const declared = Object.entries(ENVIRONMENT.shape).map(([name, schema]) => {
      const value = defaults.find(([key]) => key === name)?.[1];
      return [`\`${name}\``, value === undefined ? '' : `\`${value}\``, schema.description];
    });
    expect(tableOf('docs/operate.md', 'Variable')).toEqual(declared);
    expect(loadConfig({}).port).toBe(8080);
  });

  it('describes each error code with the status and the text of its declaration', () => {
    const declared = Object.entries(ERRORS).map(([code, { status, doc }]) => [
      `${status}`,
      `\`${code}\``,
      doc,
    ]);
    expect(tableOf('docs/api.md', 'Status')).toEqual(declared);
  });

  it('names each plain filter on the page of the API', () => {
    const [, list = ''] =
      /^- \*\*Plain filters\*\* compare exactly: ([^.]*)\.$/m.exec(readDocument('docs/api.md')) ?? [];
    expect(namesIn(list)).toEqual(FILTER_NAMES);
  });

  it('names each route of the public API on the page of the API or of the evidence log', () => {
    const text = ['docs/api.md', 'docs/evidence.md'].map(readDocument).join('');
    expect(ROUTES.map(({ path }) => path).filter((name) => !text.includes(name))).toEqual([]);
  });

  it('names each type of destinations and each option of a setting on the page of destinations', () => {
    const text = readDocument('docs/destinations.md');
    const options = Object.values(SETTINGS).map(([flags]) => flags.replace(/ .*/, ''));
    const isNamed = (option: string) => new RegExp(`${option}(?![\\w-])`).test(text);
    expect(options.filter((option) => !isNamed(option))).toEqual([]);
    // A webhook is the first form that the page tells of, without a command.
    const types = TYPE_NAMES.filter((name) => name !== 'webhook').map((name) => `--type ${name}`);
    expect(types.filter((option) => !isNamed(option))).toEqual([]);
  });

  it('names only limits that exist on the page of limits', () => {
    const named = readDocument('docs/limits.md').match(/(?<=`)[a-z]\w+(?=`)/g) ?? [];
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !Object.hasOwn(LIMITS, name))).toEqual([]);
  });

  it('maps every folder of src, and maps only folders that exist', () => {
    const mapped = tableOf('CONTRIBUTING.md', 'Folder').flatMap(([cell]) => namesIn(cell));
    expect(mapped.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
    const folders = readdirSync(path.join(ROOT, 'src'), { withFileTypes: true }).filter((e) =>
      e.isDirectory(),
    );
    const named = folders.map(({ name }) => `src/${name}`).filter((name) => name !== 'src/generated');
    expect(named.filter((name) => !mapped.includes(name))).toEqual([]);
  });

  it('names every module in the map', () => {
    const [, about = ''] =
      tableOf('CONTRIBUTING.md', 'Folder').find(([cell]) => namesIn(cell ?? '').includes('src/modules')) ??
      [];
    const modules = readdirSync(path.join(ROOT, 'src/modules'));
    expect(modules.filter((name) => !namesIn(about).includes(name))).toEqual([]);
  });

  it('names only existing files as homes of facts', () => {
    const homes = tableOf('CONTRIBUTING.md', 'Fact')
      .flatMap(([, home]) => namesIn(home))
      .filter((name) => name.includes('/') && !name.includes('*'));
    expect(homes.length).toBeGreaterThan(5);
    expect(homes.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
  });

  it.each(DOCUMENTS)('%s names only source files that exist', (document) => {
    const named = readDocument(document).match(
      /(?<![\w/])(?:src|rest-facade|agent|test|scripts)\/[\w./-]+\.(?:ts|mjs)\b/g,
    );
    expect((named ?? []).filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });

  it.each(DOCUMENTS)('%s shows only error codes that exist', (document) => {
    const shown = [...readDocument(document).matchAll(/"code": ?"(\w+)"/g)].map(([, code]) => code ?? '');
    expect(shown.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
  });

  it.each(DOCUMENTS)('%s links only to files and headings that exist', (document) => {
    const targets = [...readDocument(document).matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, target]) => target ?? '',
    );
    const local = targets.filter((target) => !/^https?:/.test(target));
    const broken = local.filter((target) => {
      const [file = '', anchor] = target.split('#');
      const name = file ? path.posix.join(path.posix.dirname(document), file) : document;
      if (!existsSync(path.join(ROOT, name))) return true;
      if (anchor === undefined) return false;
      const headings = [...readDocument(name).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        anchorOf(heading ?? ''),
      );
      return !headings.includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

describe('README.md', () => {
  it('is short: it has at most 120 lines', () => {
    expect(readDocument('README.md').split('\n').length - 1).toBeLessThanOrEqual(120);
  });

  it.each([
    'npm run demo',
    'npm test',
    'npm start',
    '/api/v1/public/audit-activity?',
    '/api/v1/public/audit-activity/summary?',
  ])('mentions %s', (text) => {
    expect(readDocument('README.md')).toContain(text);
  });

  it('links to every document except the decisions', () => {
    const named = markdownIn('docs').filter((name) => !name.startsWith('docs/decisions/'));
    expect(named.filter((name) => !readDocument('README.md').includes(`](${name})`))).toEqual([]);
  });
});
