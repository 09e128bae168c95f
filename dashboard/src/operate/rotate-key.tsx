import { NumberInput, Text } from '@mantine/core';
import { LIMITS } from '../../../src/limits';
import { RotateKeyDocument } from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import type { ShownKey } from './key-once';
import type { ApiKey } from './rows';
import { OPERATE } from './texts';

const MINUTES_PER_HOUR = 60;

interface Props {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onMade: (key: ShownKey) => void;
}

/** The dialog that makes a new key with the same rights. The old key works for a while longer, so that nothing stops. */
export function RotateKey({ apiKey, onClose, onMade }: Props) {
  const t = useTexts(OPERATE);
  const [zone] = useTimeZone();
  const mutate = useMutate();
  const [hours, setHours] = useKept<number | string>(
    'overlap',
    LIMITS.keyOverlapMinutesDefault / MINUTES_PER_HOUR,
  );
  const submit = async () => {
    const overlapMinutes = Math.round(Number(hours) * MINUTES_PER_HOUR);
    const { rotateApiKey } = await mutate(RotateKeyDocument, { keyId: apiKey.keyId, overlapMinutes });
    const note = t.oldWorksUntil(formatTime(rotateApiKey.overlapEndsAt, zone), zone);
    onMade({ name: apiKey.name, key: rotateApiKey.key, note });
  };
  return (
    <FormDialog
      title={t.rotateTitle(apiKey.name)}
      action={t.rotate}
      isOpen
      onClose={onClose}
      onSubmit={submit}
    >
      <Text size="sm">{t.aboutRotate}</Text>
      <NumberInput
        label={t.hoursOld}
        min={0}
        max={LIMITS.keyOverlapMinutesMax / MINUTES_PER_HOUR}
        required
        data-autofocus
        value={hours}
        onChange={setHours}
      />
    </FormDialog>
  );
}
