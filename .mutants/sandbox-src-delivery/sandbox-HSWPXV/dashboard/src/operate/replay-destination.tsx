import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ReplayDestinationDocument } from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { fromInputValue } from '../lib/time';
import type { Destination } from './rows';

type Start = 'time' | 'position' | 'beginning' | 'now';

/** The dialog that chooses from where on a destination sends events again. */
export function ReplayDestination(props: {
  readonly destination: Destination;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { destinationId, name, position } = props.destination;
  const [zone] = useTimeZone();
  const mutate = useMutate();
  const [start, setStart] = useState<Start>('time');
  const [time, setTime] = useState('');
  const [chosen, setChosen] = useState(position);
  const submit = async () => {
    const ms = start === 'time' ? fromInputValue(time, zone) : null;
    const to =
      start === 'position'
        ? { position: chosen }
        : { from: ms === null ? start : new Date(ms).toISOString() };
    await mutate(ReplayDestinationDocument, { destinationId, ...to });
    props.onDone();
  };
  return (
    <FormDialog title={`Replay ${name}`} action="Replay" isOpen onClose={props.onClose} onSubmit={submit}>
      <Radio.Group label="It sends again from" value={start} onChange={(value) => setStart(value as Start)}>
        <Stack gap="xs" mt="xs">
          <Radio value="time" label="a time of arrival" />
          <Radio value="position" label="a position of the log" />
          <Radio value="beginning" label="the beginning" />
          <Radio value="now" label="now: undelivered events are skipped" />
        </Stack>
      </Radio.Group>
      {start === 'time' && (
        <TextInput
          type="datetime-local"
          label={`Time (${zone})`}
          required
          value={time}
          onChange={(event) => setTime(event.currentTarget.value)}
        />
      )}
      {start === 'position' && (
        <TextInput
          label="Position"
          required
          pattern="[0-9]+"
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      <Text size="sm">
        {start === 'now'
          ? 'Events that were not delivered yet are not sent. A replay from an earlier point sends them.'
          : 'The receiver gets these events once more, in messages with other ids.'}
      </Text>
    </FormDialog>
  );
}
