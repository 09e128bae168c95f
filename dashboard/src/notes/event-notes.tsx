import { Button, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useQuery } from 'urql';
import {
  AddEventNoteDocument,
  EventNotesDocument,
  type EventNotesQuery,
  RemoveEventNoteDocument,
} from '../../generated/operations';
import classes from '../alerts/alerts.module.css';
import { hasScope, mayWork } from '../api/rights';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { COMMON } from '../lib/common';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { Failed, Loading } from '../shell/states';
import { EventIncidents } from './event-incidents';
import { tellNotes } from './note-counts';
import { NOTES } from './texts';

type Note = EventNotesQuery['eventNotes'][number];

/** What people wrote about an event, and the incidents into which they put it. */
export function EventNotes({ recordId, session }: { readonly recordId: string; readonly session: Session }) {
  const t = useTexts(NOTES);
  const [{ data, error }, ask] = useQuery({
    query: EventNotesDocument,
    variables: { recordIds: [recordId] },
  });
  const [changed, setChanged] = useState<readonly Note[] | null>(null);
  const mutate = useMutate();
  const [refusal, setRefusal] = useState<Error | null>(null);
  const canWork = mayWork(session);
  const notes = changed ?? data?.eventNotes ?? [];
  const take = (now: readonly Note[]) => {
    setChanged(now);
    setRefusal(null);
    tellNotes([recordId], now);
  };
  const remove = (noteId: string) => {
    mutate(RemoveEventNoteDocument, { recordId, noteId }).then(
      (done) => take(done.removeEventNote),
      setRefusal,
    );
  };
  const add = async (note: string) =>
    take((await mutate(AddEventNoteDocument, { recordId, note })).addEventNote);
  if (error) return <Failed error={error} retry={ask} />;
  const kept = notes.filter(({ removedAt }) => removedAt === null);
  const removed = notes.filter(({ removedAt }) => removedAt !== null);
  return (
    <section aria-label={t.notes}>
      <Title order={3} size="h6" mb={4}>
        {t.notes}
      </Title>
      <Stack gap="xs">
        {!data && !changed && <Loading what={t.notes} rows={1} height={20} />}
        {(data ?? changed) && kept.length === 0 && <Text size="sm">{t.noNotes}</Text>}
        {kept.length > 0 && <NoteList notes={kept} {...(canWork && { remove })} />}
        {removed.length > 0 && (
          <details>
            <summary>
              <Text span size="sm">
                {t.removed(removed.length)}
              </Text>
            </summary>
            <NoteList notes={removed} />
          </details>
        )}
        {canWork && <NewNote recordId={recordId} add={add} />}
        {refusal && <Failed error={refusal} />}
        {hasScope(session, 'read:alerts') && <EventIncidents recordId={recordId} canWork={canWork} />}
      </Stack>
    </section>
  );
}

function NoteList({
  notes,
  remove,
}: {
  readonly notes: readonly Note[];
  readonly remove?: (id: string) => void;
}) {
  const common = useTexts(COMMON);
  const t = useTexts(NOTES);
  const [zone] = useTimeZone();
  return (
    <ol className={classes.timeline}>
      {notes.map(({ noteId, note, author, at, removedBy, removedAt }) => (
        <li key={noteId}>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {showHidden(note)}
          </Text>
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              {common.by(formatTime(at, zone), showHidden(author))}
              {removedAt &&
                `, ${common.by(formatTime(removedAt, zone), t.removedBy(showHidden(removedBy ?? '')))}`}
            </Text>
            {remove && (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={t.removeNote(note)}
                onClick={() => remove(noteId)}
              >
                {common.remove}
              </Button>
            )}
          </Group>
        </li>
      ))}
    </ol>
  );
}

function NewNote(props: { readonly recordId: string; readonly add: (note: string) => Promise<void> }) {
  const { recordId, add } = props;
  const t = useTexts(NOTES);
  const [text, setText] = useKept(`note ${recordId}`, '', { isDraft: true });
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    add(text)
      .then(() => {
        setText('');
        setError(null);
      }, setError)
      .finally(() => setIsBusy(false));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap={4}>
        <Textarea
          aria-label={t.aNote}
          placeholder={t.aNote}
          autosize
          minRows={1}
          maxRows={8}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {error && <Failed error={error} />}
        <div>
          <Button type="submit" variant="default" loading={isBusy} disabled={text.trim() === ''}>
            {t.addNote}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
