import type { Shape } from '../event/shape';

export const TENANT = {
  name: 'Tenant',
  fields: {
    tenantId: { kind: 'text' },
    name: { kind: 'text' },
    createdAt: { kind: 'time' },
    masksStatements: {
      kind: 'boolean',
      doc: 'Whether literals of statements are masked for those without the scope `unmask`.',
    },
    retentionDays: { kind: 'integer', nullable: true, doc: 'Days its events are kept. Null: for ever.' },
    holdsInForce: { kind: 'count', doc: 'Legal holds: retention removes nothing that they hold.' },
    disabledAt: { kind: 'time', nullable: true, doc: 'When an operator disabled it. Null: it is in use.' },
    disabledReason: { kind: 'text', nullable: true, doc: 'Why it was disabled.' },
  },
} as const satisfies Shape;
