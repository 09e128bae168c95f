import { normalForm } from '../tsql/normal-form';
import type { DetectionEvent } from './event';

const known = new WeakMap<DetectionEvent, string>();

/** The normal form of an event's statement. It is made once, because several rules and views ask for it. */
export function plainStatementOf(event: DetectionEvent): string {
  const made = known.get(event) ?? normalForm(event.fields.statement ?? '');
  known.set(event, made);
  return made;
}
