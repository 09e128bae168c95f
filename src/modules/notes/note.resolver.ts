import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import { tenantSetOf } from '../../caller/principal';
import type { ParameterValues } from '../../event/parameter-specs';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { EVENT_NOTE } from './answers';
import type { NoteStore } from './note.store';
import { ADD_NOTE, OF_EVENTS, REMOVE_NOTE } from './parameters';
import { type FindEvent, writerOf, writtenAbout } from './records';

const EventNoteType = objectType(EVENT_NOTE);

/** Notes of people on events, for the dashboard. */
@Resolver()
export class NoteResolver {
  constructor(
    private readonly notes: NoteStore,
    private readonly find: FindEvent,
  ) {}

  @Query(() => [EventNoteType], {
    description: 'The newest notes on some events, oldest first, removed ones among them.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  @Takes(OF_EVENTS)
  eventNotes({ recordIds }: ParameterValues<typeof OF_EVENTS>, call: Call) {
    return this.notes.list(tenantSetOf(call), recordIds);
  }

  @Mutation(() => [EventNoteType], { description: 'Adds a note to an event. The answer is all its notes.' })
  @Access({ principal: 'public', scope: 'work:alerts', via: 'session' })
  @Takes(ADD_NOTE)
  async addEventNote({ recordId, note }: ParameterValues<typeof ADD_NOTE>, call: Call) {
    const record = await writtenAbout(this.find, call, recordId);
    await this.notes.add(record, note, writerOf(call), attemptOf(call));
    return this.notes.list(tenantSetOf(call), [recordId]);
  }

  @Mutation(() => [EventNoteType], {
    description:
      'Removes a note. It stays in the history of the event. The answer is all notes of the event.',
  })
  @Access({ principal: 'public', scope: 'work:alerts', via: 'session' })
  @Takes(REMOVE_NOTE)
  async removeEventNote({ recordId, noteId }: ParameterValues<typeof REMOVE_NOTE>, call: Call) {
    const record = await writtenAbout(this.find, call, recordId);
    await this.notes.remove(record, noteId, writerOf(call), attemptOf(call));
    return this.notes.list(tenantSetOf(call), [recordId]);
  }
}
