import { useLocation } from 'wouter';
import type { Session } from '../api/session';
import { useAddress } from '../lib/use-address';
import { ADDRESS, SCOPE_PATH } from './address';
import { ControlList } from './control-list';
import { ControlPage } from './control-page';
import { Scope } from './scope';

/** How controls stand, or the page of one control; below its address, what operators declare about servers. */
export default function Compliance({ session }: { readonly session: Session }) {
  const [path] = useLocation();
  const [{ control }] = useAddress(ADDRESS);
  // Operators administer, and read no assessment.
  if (session.kind === 'operator' || path === SCOPE_PATH) return <Scope session={session} />;
  if (control === null) return <ControlList session={session} />;
  return <ControlPage key={control} controlId={control} session={session} />;
}
