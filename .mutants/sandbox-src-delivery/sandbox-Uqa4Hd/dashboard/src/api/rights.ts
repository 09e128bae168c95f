import type { Scope } from '../../../src/caller/scopes';
import type { Session } from './session';

export const hasScope = ({ scopes }: Session, scope: Scope): boolean => scopes.includes(scope);

/** Whether the session says that alerts and rules may be changed. */
export const mayWork = (session: Session): boolean =>
  session.kind === 'operator' || hasScope(session, 'work:alerts');
