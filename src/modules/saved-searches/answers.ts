import type { Shape } from '../../event/shape';

export const SAVED_SEARCH = {
  name: 'SavedSearch',
  doc: 'A filter expression with a name, and what a view shows beside it.',
  fields: {
    searchId: { kind: 'id' },
    tenantId: { kind: 'text', doc: 'Tenant whose readers see it if it is shared.' },
    name: { kind: 'text' },
    filter: { kind: 'text', doc: 'The expression; empty if the view has none.' },
    view: {
      kind: 'text',
      nullable: true,
      doc: 'Query string of the view without its filter: range, columns, groups, chart. Null: the filter alone.',
    },
    isShared: { kind: 'boolean', doc: 'Whether everybody who reads the tenant sees it.' },
    isOwn: { kind: 'boolean', doc: 'Whether it belongs to the caller: a person or a key.' },
  },
} as const satisfies Shape;
