import type { Shape } from '../../event/shape';

export const SAVED_SEARCH = {
  name: 'SavedSearch',
  doc: 'A filter expression that somebody kept under a name.',
  fields: {
    searchId: { kind: 'id' },
    tenantId: { kind: 'text', doc: 'Tenant whose readers may see it, where it is shared.' },
    name: { kind: 'text' },
    filter: { kind: 'text', doc: 'The expression.' },
    isShared: { kind: 'boolean', doc: 'Whether everybody who reads the tenant sees it.' },
    isOwn: { kind: 'boolean', doc: 'Whether it is of who asks: a person, or a key.' },
  },
} as const satisfies Shape;
