import type { Shape } from '../event/shape';

export const TENANT = {
  name: 'Tenant',
  fields: {
    tenantId: { kind: 'text' },
    name: { kind: 'text' },
    createdAt: { kind: 'time' },
    retentionDays: { kind: 'integer', nullable: true, doc: 'Days its events are kept. Null: for ever.' },
  },
} as const satisfies Shape;
