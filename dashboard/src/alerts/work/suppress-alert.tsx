import { Checkbox, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { SuppressAlertDocument } from '../../../generated/operations';
import { showHidden } from '../../explore/event/marks';
import { COMMON } from '../../lib/common';
import { FIELD_LABELS } from '../../lib/field-labels';
import { FormDialog } from '../../lib/form-dialog';
import { useKept } from '../../lib/kept';
import { useTexts } from '../../lib/language';
import { useMutate } from '../../lib/mutate';
import { useTimeZone } from '../../lib/preferences';
import { serviceNowMs } from '../../lib/service-clock';
import { DAY_MS, fromInputValue, HOUR_MS, toInputValue } from '../../lib/time';
import { fieldLabel, groupOf } from '../group-text';
import { ALERTS } from '../texts';
import type { WorkDialogProps } from './work-dialog';

const SPANS = {
  [HOUR_MS]: 'forHour',
  [8 * HOUR_MS]: 'for8Hours',
  [DAY_MS]: 'forDay',
  [7 * DAY_MS]: 'for7Days',
  [30 * DAY_MS]: 'for30Days',
} as const;
const OTHER = 'other';

/** The dialog that suppresses an alert until a time, with further alerts of the rule that have the same values. */
export function SuppressAlert({ alert, onClose, onDone }: WorkDialogProps) {
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(ALERTS);
  const mutate = useMutate();
  const [zone] = useTimeZone();
  const values = Object.entries(groupOf(alert.group));
  const [fields, setFields] = useKept(`fields ${alert.alertId}`, () => values.map(([name]) => name));
  const [span, setSpan] = useKept(`span ${alert.alertId}`, String(DAY_MS));
  const [until, setUntil] = useKept(`until ${alert.alertId}`, () =>
    toInputValue(serviceNowMs() + DAY_MS, zone),
  );
  const [reason, setReason] = useKept(`reason ${alert.alertId}`, '');
  const submit = async () => {
    const ms = span === OTHER ? fromInputValue(until, zone) : serviceNowMs() + Number(span);
    if (ms === null) throw new Error(t.sayUntil);
    const chosen = values.length === 0 ? null : fields;
    const variables = { alertId: alert.alertId, fields: chosen, until: new Date(ms).toISOString(), reason };
    const { suppressAlert } = await mutate(SuppressAlertDocument, variables);
    if (suppressAlert) onDone(suppressAlert);
  };
  return (
    <FormDialog
      title={t.suppressTitle(alert.title)}
      action={t.suppress}
      isOpen
      onClose={onClose}
      onSubmit={submit}
    >
      <Checkbox.Group label={t.inWhichSame} value={fields} onChange={setFields}>
        <Stack gap={6} mt={6}>
          {values.map(([name, value]) => (
            <Checkbox
              key={name}
              value={name}
              label={`${fieldLabel(name, labels)}: ${value === null ? t.none : showHidden(value)}`}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {fields.length === 0 && (
        <Text size="sm" c="red">
          {values.length === 0 ? t.allSuppressed : t.chooseOne}
        </Text>
      )}
      <NativeSelect
        label={t.howLong}
        value={span}
        onChange={(event) => setSpan(event.currentTarget.value)}
        data={[
          ...Object.entries(SPANS).map(([value, name]) => ({ value, label: t[name] })),
          { value: OTHER, label: t.untilTime },
        ]}
      />
      {span === OTHER && (
        <TextInput
          type="datetime-local"
          label={t.untilIn(zone)}
          required
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
      )}
      <Textarea
        label={common.reason}
        required
        autosize
        minRows={2}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
