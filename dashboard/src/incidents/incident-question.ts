import { withChoice } from '../explore/filter/edit';
import type { Incident } from './incident';

/** What the logins of an incident did in its time. */
export function incidentQuestion({ entities, firstEventTime, lastEventTime }: Incident) {
  const logins = entities
    .filter(({ kind, part }) => kind === 'login' && part === 'did')
    .map(({ name }) => name);
  return {
    ...(logins.length > 0 && {
      filter: withChoice('', 'serverPrincipalName', { included: logins, excluded: [] }),
    }),
    startTime: firstEventTime,
    // The end of a period is not in it.
    endTime: new Date(Date.parse(lastEventTime) + 1).toISOString(),
  };
}
