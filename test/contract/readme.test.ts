import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ENVIRONMENT, loadConfig } from '../../src/config';
import { ERRORS } from '../../src/errors';
import { ROOT } from '../support/imports';

const text = readFileSync(path.join(ROOT, 'README.md'), 'utf8');

/** Cells of the rows of the table with this heading. */
function tableOf(heading: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  if (start < 0) throw new Error(`README.md has no table "${heading}"`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
/** What stands in a cell between back quotes. */
const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');

describe('README.md', () => {
  it('describes each variable of the service in the words and with the default of its declaration', () => {
    const defaults = Object.entries(ENVIRONMENT.parse({})) as [string, unknown][];
    const declared = Object.entries(ENVIRONMENT.shape).map(([name, schema]) => {
      const value = defaults.find(([key]) => key === name)?.[1];
      return [`\`${name}\``, value === undefined ? '' : `\`${value}\``, schema.description];
    });
    expect(tableOf('Variable')).toEqual(declared);
    expect(loadConfig({}).port).toBe(8080);
  });

  it('maps every folder of the sources, and none that is not there', () => {
    const mapped = tableOf('Folder').flatMap(([cell]) => namesIn(cell));
    expect(mapped.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
    const folders = readdirSync(path.join(ROOT, 'src'), { withFileTypes: true }).filter((e) =>
      e.isDirectory(),
    );
    const named = folders.map(({ name }) => `src/${name}`).filter((name) => name !== 'src/generated');
    expect(named.filter((name) => !mapped.includes(name))).toEqual([]);
  });

  it('sends a reader to homes of facts that exist', () => {
    const homes = tableOf('Fact')
      .flatMap(([, home]) => namesIn(home))
      .filter((name) => name.includes('/') && !name.includes('*'));
    expect(homes.length).toBeGreaterThan(5);
    expect(homes.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
  });

  it('shows no error code that does not exist', () => {
    const shown = [...text.matchAll(/"code": ?"(\w+)"/g)].map(([, code]) => code ?? '');
    expect(shown.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
  });

  it.each(['npm run demo', 'npm test', 'npm start', 'npm run check'])(
    'tells of the command %s',
    (command) => {
      expect(text).toContain(command);
    },
  );
});
