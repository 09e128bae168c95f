import { Radio, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { type AlertVerdict, ResolveAlertDocument } from '../../../generated/operations';
import { FormDialog } from '../../lib/form-dialog';
import { useMutate } from '../../lib/mutate';
import { VERDICT_LABELS } from '../alert-words';
import type { WorkDialogProps } from './work-dialog';

const MEANINGS: Record<AlertVerdict, string> = {
  true_positive: 'An attack, or a breach of the rules.',
  false_positive: 'The rule matched what it should not match.',
  expected: 'It happened, and it was intended.',
};

/** The dialog that resolves an alert with a verdict. */
export function ResolveAlert({ alert, onClose, onDone }: WorkDialogProps) {
  const mutate = useMutate();
  const [verdict, setVerdict] = useState<AlertVerdict | ''>('');
  const [comment, setComment] = useState('');
  const submit = async () => {
    if (verdict === '') throw new Error('Choose what it turned out to be.');
    const variables = { alertId: alert.alertId, verdict, comment: comment || null };
    const { resolveAlert } = await mutate(ResolveAlertDocument, variables);
    if (resolveAlert) onDone(resolveAlert);
  };
  return (
    <FormDialog title={`Resolve ${alert.title}`} action="Resolve" isOpen onClose={onClose} onSubmit={submit}>
      <Radio.Group
        label="It turned out to be"
        value={verdict}
        onChange={(value) => setVerdict(value as AlertVerdict)}
      >
        <Stack gap="xs" mt="xs">
          {(Object.keys(VERDICT_LABELS) as AlertVerdict[]).map((value, i) => (
            <Radio
              key={value}
              value={value}
              label={VERDICT_LABELS[value]}
              description={MEANINGS[value]}
              {...(i === 0 ? { 'data-autofocus': true } : {})}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Textarea
        label="Comment"
        autosize
        minRows={2}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
