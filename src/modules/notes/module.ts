import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import type { AuditEventReader } from '../../store/rows/audit-event-reader';
import { ForgetGone } from './forget-gone';
import { IncidentEventResolver } from './incident-event.resolver';
import { IncidentEventStore, type NoteInIncident } from './incident-event.store';
import { NoteResolver } from './note.resolver';
import { NoteStore } from './note.store';

/** What people keep of events: notes on them, and their place in incidents. */
export function notesModule(parts: {
  readonly service: ServiceDoor;
  readonly owner: OwnerDoor;
  readonly find: AuditEventReader['find'];
  readonly noteInIncident: NoteInIncident;
  readonly epoch: Pick<LogEpoch, 'unlessPaused'>;
  readonly nowMs: () => number;
}): Module {
  const { service, owner, find, noteInIncident, epoch, nowMs } = parts;
  const forget = new ForgetGone(owner);
  return {
    resolvers: [
      new NoteResolver(new NoteStore(service, nowMs), find),
      new IncidentEventResolver(new IncidentEventStore(service, noteInIncident, nowMs), service, find),
    ],
    tasks: [
      {
        name: 'gone-notes',
        doc: 'removing notes on events that are removed',
        everyMs: LIMITS.goneNotesMs,
        run: () => epoch.unlessPaused(() => forget.run()),
      },
    ],
  };
}
