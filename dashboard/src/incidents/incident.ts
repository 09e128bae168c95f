import type { IncidentEventsQuery, IncidentQuery } from '../../generated/operations';

export type Incident = NonNullable<IncidentQuery['incident']>;
/** An event that somebody put into an incident. */
export type PlacedEvent = IncidentEventsQuery['incidentEvents'][number];
