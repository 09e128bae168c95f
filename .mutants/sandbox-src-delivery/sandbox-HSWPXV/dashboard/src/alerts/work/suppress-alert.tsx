import { Checkbox, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { SuppressAlertDocument } from '../../../generated/operations';
import { showHidden } from '../../explore/event/marks';
import { FormDialog } from '../../lib/form-dialog';
import { useMutate } from '../../lib/mutate';
import { useTimeZone } from '../../lib/preferences';
import { DAY_MS, fromInputValue, HOUR_MS, toInputValue } from '../../lib/time';
import { fieldLabel, groupOf } from '../group-text';
import type { WorkDialogProps } from './work-dialog';

const SPANS = {
  [HOUR_MS]: 'for an hour',
  [8 * HOUR_MS]: 'for 8 hours',
  [DAY_MS]: 'for a day',
  [7 * DAY_MS]: 'for 7 days',
  [30 * DAY_MS]: 'for 30 days',
};
const OTHER = 'other';

/** The dialog that suppresses an alert until a time, with further alerts of the rule that have the same values. */
export function SuppressAlert({ alert, onClose, onDone }: WorkDialogProps) {
  const mutate = useMutate();
  const [zone] = useTimeZone();
  const values = Object.entries(groupOf(alert.group));
  const [fields, setFields] = useState(() => values.map(([name]) => name));
  const [span, setSpan] = useState(String(DAY_MS));
  const [until, setUntil] = useState(() => toInputValue(Date.now() + DAY_MS, zone));
  const [reason, setReason] = useState('');
  const submit = async () => {
    const ms = span === OTHER ? fromInputValue(until, zone) : Date.now() + Number(span);
    if (ms === null) throw new Error('Say until when.');
    const chosen = values.length === 0 ? null : fields;
    const variables = { alertId: alert.alertId, fields: chosen, until: new Date(ms).toISOString(), reason };
    const { suppressAlert } = await mutate(SuppressAlertDocument, variables);
    if (suppressAlert) onDone(suppressAlert);
  };
  return (
    <FormDialog
      title={`Suppress ${alert.title}`}
      action="Suppress"
      isOpen
      onClose={onClose}
      onSubmit={submit}
    >
      <Checkbox.Group
        label="Alerts of this rule in which all of these are the same"
        value={fields}
        onChange={setFields}
      >
        <Stack gap={6} mt={6}>
          {values.map(([name, value]) => (
            <Checkbox
              key={name}
              value={name}
              label={`${fieldLabel(name)}: ${value === null ? 'none' : showHidden(value)}`}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {fields.length === 0 && (
        <Text size="sm" c="red">
          {values.length === 0 ? 'All alerts of this rule are suppressed.' : 'Choose at least one.'}
        </Text>
      )}
      <NativeSelect
        label="How long"
        value={span}
        onChange={(event) => setSpan(event.currentTarget.value)}
        data={[
          ...Object.entries(SPANS).map(([value, label]) => ({ value, label })),
          { value: OTHER, label: 'until a time' },
        ]}
      />
      {span === OTHER && (
        <TextInput
          type="datetime-local"
          label={`Until (${zone})`}
          required
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
      )}
      <Textarea
        label="Reason"
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
