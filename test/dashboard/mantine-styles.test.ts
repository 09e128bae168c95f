import { existsSync } from 'node:fs';
import path from 'node:path';
import { ROOT, sourcesOf } from '../support/imports';

const STYLES = path.join(ROOT, 'node_modules/@mantine/core/styles');

it('the page has the styles of each library component that the dashboard uses', () => {
  const sources = sourcesOf('dashboard/src');
  const listed = sources.find(({ file }) => file.endsWith('mantine-styles.ts'))?.text ?? '';
  const used = sources.flatMap(({ text }) =>
    [...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim().replace('type ', '')),
    ),
  );
  const styled = [...new Set(used)].filter((name) => name && existsSync(path.join(STYLES, `${name}.css`)));
  expect(styled.length).toBeGreaterThan(20);
  expect(styled.filter((name) => !listed.includes(`/${name}.css'`))).toEqual([]);
});
