import { NumberInput, Text } from '@mantine/core';
import { useState } from 'react';
import { LIMITS } from '../../../src/limits';
import { RotateKeyDocument } from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import type { ShownKey } from './key-once';
import type { ApiKey } from './rows';

const MINUTES_PER_HOUR = 60;

interface Props {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onMade: (key: ShownKey) => void;
}

/** The dialog that makes a new key with the same rights. The old key works for a while longer, so that nothing stops. */
export function RotateKey({ apiKey, onClose, onMade }: Props) {
  const [zone] = useTimeZone();
  const mutate = useMutate();
  const [hours, setHours] = useState<number | string>(LIMITS.keyOverlapMinutesDefault / MINUTES_PER_HOUR);
  const submit = async () => {
    const overlapMinutes = Math.round(Number(hours) * MINUTES_PER_HOUR);
    const { rotateApiKey } = await mutate(RotateKeyDocument, { keyId: apiKey.keyId, overlapMinutes });
    const note = `The old key works until ${formatTime(rotateApiKey.overlapEndsAt, zone)} (${zone}).`;
    onMade({ name: apiKey.name, key: rotateApiKey.key, note });
  };
  return (
    <FormDialog title={`Rotate ${apiKey.name}`} action="Rotate" isOpen onClose={onClose} onSubmit={submit}>
      <Text size="sm">A new key with the same name, tenants, scopes and limits is made, and shown once.</Text>
      <NumberInput
        label="Hours for which the old key still works"
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
