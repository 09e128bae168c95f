import type { IncidentQuery } from '../../generated/operations';

export type Incident = NonNullable<IncidentQuery['incident']>;
