import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { ReplayDestinationDocument } from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { fromInputValue } from '../lib/time';
import type { Destination } from './rows';
import { OPERATE } from './texts';

type Start = 'time' | 'position' | 'beginning' | 'now';

/** The dialog that chooses from where on a destination sends events again. */
export function ReplayDestination(props: {
  readonly destination: Destination;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const t = useTexts(OPERATE);
  const { destinationId, name, position } = props.destination;
  const [zone] = useTimeZone();
  const mutate = useMutate();
  const [start, setStart] = useKept<Start>('replay', 'time');
  const [time, setTime] = useKept('replay time', '');
  const [chosen, setChosen] = useKept('replay position', position);
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
    <FormDialog
      title={t.replayTitle(name)}
      action={t.replay}
      isOpen
      onClose={props.onClose}
      onSubmit={submit}
    >
      <Radio.Group label={t.sendsAgain} value={start} onChange={(value) => setStart(value as Start)}>
        <Stack gap="xs" mt="xs">
          <Radio value="time" label={t.aTime} />
          <Radio value="position" label={t.aPosition} />
          <Radio value="beginning" label={t.theBeginning} />
          <Radio value="now" label={t.nowSkipped} />
        </Stack>
      </Radio.Group>
      {start === 'time' && (
        <TextInput
          type="datetime-local"
          label={t.timeIn(zone)}
          required
          value={time}
          onChange={(event) => setTime(event.currentTarget.value)}
        />
      )}
      {start === 'position' && (
        <TextInput
          label={t.position}
          required
          pattern="[0-9]+"
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      <Text size="sm">{start === 'now' ? t.areSkipped : t.onceMore}</Text>
    </FormDialog>
  );
}
