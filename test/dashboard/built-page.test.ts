import { readFileSync } from 'node:fs';
import path from 'node:path';
import { builtPage } from '../../src/modules/dashboard/page';
import { ROOT } from '../support/imports';

it('the page has the licences of the packages that it is made of', () => {
  const text = readFileSync(path.join(builtPage(), 'licenses.txt'), 'utf8');
  for (const name of ['react', 'react-dom', '@mantine/core'])
    expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'));
  expect(text).toContain('Permission is hereby granted');
});

it('the service serves the page from the folder into which the set-up builds it', () => {
  expect(builtPage()).toBe(path.join(ROOT, 'dist/dashboard'));
});
