import { Radio, Stack } from '@mantine/core';
import type { AlertVerdict } from '../../generated/operations';
import { VERDICT_NAMES } from '../alerts/alert-words';
import { ALERTS } from '../alerts/texts';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';

/** What incidents turned out to be. Empty: not chosen yet. */
export const VerdictChoice = (props: {
  readonly value: AlertVerdict | '';
  readonly onChange: (verdict: AlertVerdict) => void;
}) => {
  const words = useTexts(ALERTS);
  const common = useTexts(COMMON);
  return (
    <Radio.Group
      label={common.itTurnedOutToBe}
      value={props.value}
      onChange={(value) => props.onChange(value as AlertVerdict)}
    >
      <Stack gap="xs" mt="xs">
        {VERDICT_NAMES.map((value) => (
          <Radio key={value} value={value} label={words[value]} />
        ))}
      </Stack>
    </Radio.Group>
  );
};
