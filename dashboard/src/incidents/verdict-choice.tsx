import { Radio, Stack } from '@mantine/core';
import type { AlertVerdict } from '../../generated/operations';
import { VERDICT_LABELS } from '../alerts/alert-words';

/** What incidents turned out to be. Empty: not chosen yet. */
export const VerdictChoice = (props: {
  readonly value: AlertVerdict | '';
  readonly onChange: (verdict: AlertVerdict) => void;
}) => (
  <Radio.Group
    label="It turned out to be"
    value={props.value}
    onChange={(value) => props.onChange(value as AlertVerdict)}
  >
    <Stack gap="xs" mt="xs">
      {(Object.keys(VERDICT_LABELS) as AlertVerdict[]).map((value) => (
        <Radio key={value} value={value} label={VERDICT_LABELS[value]} />
      ))}
    </Stack>
  </Radio.Group>
);
