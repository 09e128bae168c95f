import { Radio, Stack, Textarea } from '@mantine/core';
import { type AlertVerdict, ResolveAlertDocument } from '../../../generated/operations';
import { COMMON } from '../../lib/common';
import { FormDialog } from '../../lib/form-dialog';
import { useKept } from '../../lib/kept';
import { useTexts } from '../../lib/language';
import { useMutate } from '../../lib/mutate';
import { VERDICT_NAMES } from '../alert-words';
import { ALERTS } from '../texts';
import type { WorkDialogProps } from './work-dialog';

const MEANINGS = {
  true_positive: 'meansTrue',
  false_positive: 'meansFalse',
  expected: 'meansExpected',
} as const satisfies Record<AlertVerdict, string>;

/** The dialog that resolves an alert with a verdict. */
export function ResolveAlert({ alert, onClose, onDone }: WorkDialogProps) {
  const common = useTexts(COMMON);
  const t = useTexts(ALERTS);
  const mutate = useMutate();
  const [verdict, setVerdict] = useKept<AlertVerdict | ''>(`verdict ${alert.alertId}`, '');
  const [comment, setComment] = useKept(`comment ${alert.alertId}`, '');
  const submit = async () => {
    if (verdict === '') throw new Error(common.chooseVerdict);
    const variables = { alertId: alert.alertId, verdict, comment: comment || null };
    const { resolveAlert } = await mutate(ResolveAlertDocument, variables);
    if (resolveAlert) onDone(resolveAlert);
  };
  return (
    <FormDialog
      title={t.resolveTitle(alert.title)}
      action={common.resolve}
      isOpen
      onClose={onClose}
      onSubmit={submit}
    >
      <Radio.Group
        label={common.itTurnedOutToBe}
        value={verdict}
        onChange={(value) => setVerdict(value as AlertVerdict)}
      >
        <Stack gap="xs" mt="xs">
          {VERDICT_NAMES.map((value, i) => (
            <Radio
              key={value}
              value={value}
              label={t[value]}
              description={t[MEANINGS[value]]}
              {...(i === 0 ? { 'data-autofocus': true } : {})}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Textarea
        label={t.comment}
        autosize
        minRows={2}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
