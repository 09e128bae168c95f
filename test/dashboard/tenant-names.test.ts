import { COMMON } from '../../dashboard/src/lib/common';

type NamesOf = (
  tenants: readonly { tenantId: string; name: string }[],
  tenantIds: readonly string[],
  common: typeof COMMON,
  max?: number,
) => string;
const { namesOf } = jest.requireActual<{ namesOf: NamesOf }>('../../dashboard/src/lib/tenant-name');

describe('the names of tenants in a list', () => {
  const tenants = Array.from({ length: 2_000 }, (_, i) => ({ tenantId: String(i), name: `Farm ${i}` }));
  const ids = tenants.map(({ tenantId }) => tenantId);

  it.each([
    ['none', [], '–'],
    ['as many as fit', ids.slice(0, 3), 'Farm 0, Farm 1, Farm 2'],
    ['one more than fits', ids.slice(0, 4), 'Farm 0, Farm 1, Farm 2 and 1 more'],
    ['more than fit', ids, 'Farm 0, Farm 1, Farm 2 and 1,997 more'],
    ['one that is not known', ['x'], 'x'],
  ])('%s', (_, given, shown) => expect(namesOf(tenants, given, COMMON)).toBe(shown));
});
