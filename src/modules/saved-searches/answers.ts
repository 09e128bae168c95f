import type { Shape } from '../../event/shape';

export const SAVED_SEARCH = {
  name: 'SavedSearch',
  doc: 'A filter expression with a name.',
  fields: {
    searchId: { kind: 'id' },
    tenantId: { kind: 'text', doc: 'Tenant whose readers see it if it is shared.' },
    name: { kind: 'text' },
    filter: { kind: 'text', doc: 'The expression.' },
    isShared: { kind: 'boolean', doc: 'Whether everybody who reads the tenant sees it.' },
    isOwn: { kind: 'boolean', doc: 'Whether it belongs to the caller: a person or a key.' },
  },
} as const satisfies Shape;
