import { useLocation } from 'wouter';
import type { Session } from '../api/session';
import { AlertPage } from './alert-page';
import { Queue } from './queue';

const PATH = '/alerts';

/** The queue; below its address, each alert. */
export default function Alerts({ session }: { readonly session: Session }) {
  const [path] = useLocation();
  const alertId = path.slice(PATH.length + 1);
  return alertId ? (
    <AlertPage key={alertId} alertId={decodeURIComponent(alertId)} session={session} />
  ) : (
    <Queue session={session} />
  );
}
