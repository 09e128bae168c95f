import { Radio, ScrollArea, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from 'urql';
import { LIMITS } from '../../../src/limits';
import {
  AddToIncidentDocument,
  type EventIncidentsQuery,
  IncidentChoicesDocument,
} from '../../generated/operations';
import { showHidden } from '../explore/event/marks';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { Failed } from '../shell/states';
import { NOTES } from './texts';

const TYPED_MS = 250;

/** The dialog that puts an event into an open incident. */
export function AddToIncident(props: {
  readonly recordId: string;
  readonly onClose: () => void;
  readonly onDone: (incidents: EventIncidentsQuery['eventIncidents']) => void;
}) {
  const t = useTexts(NOTES);
  const { recordId, onClose, onDone } = props;
  const [zone] = useTimeZone();
  const [typed, setTyped] = useKept('incident search', '');
  const [search] = useDebouncedValue(typed, TYPED_MS);
  const [incidentId, setIncidentId] = useKept(`incident ${recordId}`, '');
  const [note, setNote] = useKept(`reason ${recordId}`, '');
  const mutate = useMutate();
  const [{ data, error, fetching }, ask] = useQuery({
    query: IncidentChoicesDocument,
    variables: { recordId, search },
  });
  const choices = data?.incidentChoices ?? [];
  const submit = async () => {
    if (!choices.some((one) => one.incidentId === incidentId)) throw new Error(t.chooseIncident);
    onDone((await mutate(AddToIncidentDocument, { incidentId, recordId, note: note || null })).addToIncident);
  };
  return (
    <FormDialog title={t.addToIncident} action={t.addToIncident} isOpen onClose={onClose} onSubmit={submit}>
      <TextInput
        label={t.incidentTitle}
        description={t.newestFirst}
        maxLength={LIMITS.filterCharsMax}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {error && <Failed error={error} retry={ask} />}
      {!fetching && choices.length === 0 && <Text size="sm">{t.noIncident}</Text>}
      <ScrollArea.Autosize mah={240} viewportProps={{ tabIndex: 0 }}>
        <Radio.Group value={incidentId} onChange={setIncidentId} aria-label={t.newestFirst}>
          <Stack gap="xs">
            {choices.map((one) => (
              <Radio
                key={one.incidentId}
                value={one.incidentId}
                label={<span lang="en">{showHidden(one.title)}</span>}
                description={formatTime(one.createdAt, zone)}
              />
            ))}
          </Stack>
        </Radio.Group>
      </ScrollArea.Autosize>
      <Textarea
        label={t.why}
        autosize
        minRows={2}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
