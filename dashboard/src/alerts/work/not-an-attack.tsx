import { Checkbox, Loader, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useClient, useQuery } from 'urql';
import {
  AddRuleExceptionDocument,
  AlertDocument,
  type AlertVerdict,
  ExceptionPreviewDocument,
} from '../../../generated/operations';
import { showHidden } from '../../explore/event/marks';
import { FormDialog } from '../../lib/form-dialog';
import { useMutate } from '../../lib/mutate';
import { formatCount } from '../../lib/numbers';
import { Failed } from '../../shell/states';
import { VERDICT_LABELS } from '../alert-words';
import { fieldLabel, groupOf } from '../group-text';
import type { WorkDialogProps } from './work-dialog';

const VERDICTS = ['false_positive', 'expected'] as const satisfies readonly AlertVerdict[];
const NONE: readonly string[] = [];

/**
 * The dialog that tunes a rule from an alert: ticked values become an exception, and the open alerts that it would have
 * removed are resolved with it.
 */
export function NotAnAttack({ alert, onClose, onDone }: WorkDialogProps) {
  const { alertId } = alert;
  const client = useClient();
  const mutate = useMutate();
  const [verdict, setVerdict] = useState<AlertVerdict>('false_positive');
  const [comment, setComment] = useState('');
  const [ticked, tick] = useState<readonly string[] | null>(null);
  const [first] = useQuery({
    query: ExceptionPreviewDocument,
    variables: { alertId, fields: NONE as string[] },
  });
  const choices = first.data?.exceptionPreview.choices;
  const ofGroup = Object.keys(groupOf(alert.group));
  const fields =
    ticked ?? choices?.map(({ field }) => field).filter((name) => ofGroup.includes(name)) ?? NONE;
  const [{ data, error, fetching }] = useQuery({
    query: ExceptionPreviewDocument,
    variables: { alertId, fields: [...fields] },
    pause: choices === undefined || fields.length === 0,
  });
  const preview = fields.length > 0 && !fetching ? data?.exceptionPreview : undefined;
  const submit = async () => {
    if (fields.length === 0) throw new Error('Tick at least one value.');
    await mutate(AddRuleExceptionDocument, {
      alertId,
      fields: [...fields],
      verdict,
      comment: comment || null,
    });
    const { data: now } = await client.query(AlertDocument, { alertId }).toPromise();
    if (now?.alert) onDone(now.alert);
  };
  return (
    <FormDialog
      title={`Not an attack: ${alert.title}`}
      action="Save and resolve these"
      isOpen
      onClose={onClose}
      onSubmit={submit}
    >
      {first.error && <Failed error={first.error} />}
      {!choices && !first.error && <Loader size="sm" aria-label="Loading the values" />}
      {choices?.length === 0 && (
        <Text size="sm">
          Its events share no value, or they are not there any more. Tune the rule under Rules.
        </Text>
      )}
      {choices && choices.length > 0 && (
        <Checkbox.Group
          label="The rule ignores events in which all of these are so"
          value={[...fields]}
          onChange={tick}
        >
          <Stack gap={6} mt={6}>
            {choices.map(({ field, value }) => (
              <Checkbox key={field} value={field} label={`${fieldLabel(field)}: ${showHidden(value)}`} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <Text size="sm" role="status" aria-live="polite" fw={600} mih={22}>
        {fields.length === 0 && choices ? 'Tick at least one value.' : (preview?.text ?? '')}
      </Text>
      {preview && preview.truePositives > 0 && (
        <Text size="sm" c="red.9">
          Attacks of the past would not have been found.
        </Text>
      )}
      {preview && (
        <Text size="sm">
          {formatCount(preview.open)} of them {preview.open === 1 ? 'is' : 'are'} open and will be resolved.
        </Text>
      )}
      {error && <Failed error={error} />}
      <Radio.Group
        label="They turned out to be"
        value={verdict}
        onChange={(value) => setVerdict(value as AlertVerdict)}
      >
        <Stack gap="xs" mt="xs">
          {VERDICTS.map((value) => (
            <Radio key={value} value={value} label={VERDICT_LABELS[value]} />
          ))}
        </Stack>
      </Radio.Group>
      <Textarea
        label="Reason"
        autosize
        minRows={2}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
