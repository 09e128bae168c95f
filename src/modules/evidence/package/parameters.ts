import type { QuerySpecs } from '../../../event/parameter-specs';
import { FILTER_PARAMETERS } from '../../../event/parameters';
import { LIMITS } from '../../../limits';

const TENANT_ID_CHARS = 10;

export const PACKAGE_PARAMETERS = {
  tenantId: {
    kind: 'text',
    charsMax: TENANT_ID_CHARS,
    doc: 'Tenant of the events. Optional for a key of one tenant.',
  },
  reason: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    doc: 'What the package is for, such as an incident or a run of a report. It stands in the manifest.',
  },
  ...FILTER_PARAMETERS,
} as const satisfies QuerySpecs;
