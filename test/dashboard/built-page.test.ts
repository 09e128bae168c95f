import path from 'node:path';
import { builtPage } from '../../src/modules/dashboard/page';
import { ROOT } from '../support/imports';

it('the service serves the page from the folder into which the set-up builds it', () => {
  expect(builtPage()).toBe(path.join(ROOT, 'dist/dashboard'));
});
