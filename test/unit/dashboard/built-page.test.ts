import path from 'node:path';
import { builtPage } from '../../../src/modules/dashboard/page';
import { ROOT } from '../../support/imports';

it('the page is served from where the set-up builds it', () => {
  expect(builtPage()).toBe(path.join(ROOT, 'dist/dashboard'));
});
