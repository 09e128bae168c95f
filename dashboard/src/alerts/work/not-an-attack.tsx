import { Checkbox, Loader, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useClient, useQuery } from 'urql';
import {
  AddRuleExceptionDocument,
  AlertDocument,
  type AlertVerdict,
  ExceptionPreviewDocument,
} from '../../../generated/operations';
import { showHidden } from '../../explore/event/marks';
import { COMMON } from '../../lib/common';
import { FIELD_LABELS } from '../../lib/field-labels';
import { FormDialog } from '../../lib/form-dialog';
import { useKept } from '../../lib/kept';
import { useTexts } from '../../lib/language';
import { useMutate } from '../../lib/mutate';
import { Failed } from '../../shell/states';
import { fieldLabel, groupOf } from '../group-text';
import { ALERTS } from '../texts';
import type { WorkDialogProps } from './work-dialog';

const VERDICTS = ['false_positive', 'expected'] as const satisfies readonly AlertVerdict[];
const NONE: readonly string[] = [];

/**
 * The dialog that tunes a rule from an alert: ticked values become an exception, and the open alerts that it would have
 * removed are resolved with it.
 */
export function NotAnAttack({ alert, onClose, onDone }: WorkDialogProps) {
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(ALERTS);
  const { alertId } = alert;
  const client = useClient();
  const mutate = useMutate();
  const [verdict, setVerdict] = useKept<AlertVerdict>(`verdict ${alert.alertId}`, 'false_positive');
  const [comment, setComment] = useKept(`comment ${alert.alertId}`, '');
  const [ticked, tick] = useKept<readonly string[] | null>(`ticked ${alert.alertId}`, null);
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
    if (fields.length === 0) throw new Error(t.tickOne);
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
      title={t.notAnAttackTitle(alert.title)}
      action={t.saveAndResolve}
      isOpen
      onClose={onClose}
      onSubmit={submit}
    >
      {first.error && <Failed error={first.error} />}
      {!choices && !first.error && <Loader size="sm" aria-label={t.loadingValues} />}
      {choices?.length === 0 && <Text size="sm">{t.noValueShared}</Text>}
      {choices && choices.length > 0 && (
        <Checkbox.Group label={t.ruleIgnores} value={[...fields]} onChange={tick}>
          <Stack gap={6} mt={6}>
            {choices.map(({ field, value }) => (
              <Checkbox
                key={field}
                value={field}
                label={`${fieldLabel(field, labels)}: ${showHidden(value)}`}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <Text size="sm" role="status" aria-live="polite" fw={600} mih={22}>
        {' '}
        {fields.length === 0 && choices ? t.tickOne : <span lang="en">{preview?.text}</span>}
      </Text>
      {preview && preview.truePositives > 0 && (
        <Text size="sm" c="red">
          {t.attacksMissed}
        </Text>
      )}
      {preview && <Text size="sm">{t.openOfThem(preview.open)}</Text>}
      {error && <Failed error={error} />}
      <Radio.Group
        label={t.theyTurnedOut}
        value={verdict}
        onChange={(value) => setVerdict(value as AlertVerdict)}
      >
        <Stack gap="xs" mt="xs">
          {VERDICTS.map((value) => (
            <Radio key={value} value={value} label={t[value]} />
          ))}
        </Stack>
      </Radio.Group>
      <Textarea
        label={common.reason}
        autosize
        minRows={2}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
