import { useLocation } from 'wouter';
import type { Session } from '../api/session';
import { IncidentList } from './incident-list';
import { IncidentPage } from './incident-page';

const PATH = '/incidents';

/** The list of incidents; below its address, each incident. */
export default function Incidents({ session }: { readonly session: Session }) {
  const [path] = useLocation();
  const incidentId = path.slice(PATH.length + 1);
  return incidentId ? (
    <IncidentPage key={incidentId} incidentId={decodeURIComponent(incidentId)} session={session} />
  ) : (
    <IncidentList session={session} />
  );
}
