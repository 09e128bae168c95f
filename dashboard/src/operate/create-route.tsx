import { NativeSelect, NumberInput, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { LIMITS } from '../../../src/limits';
import { CreateAlertRouteDocument } from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useMutate } from '../lib/mutate';
import { type Recipient, recipientOf } from '../lib/recipient';
import { RecipientFields } from '../lib/recipient-fields';
import type { Destination, RuleTitle } from './rows';

interface Props {
  readonly tenantId: string;
  readonly destinations: readonly Destination[];
  readonly rules: readonly RuleTitle[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const SEVERITIES = [
  { value: 'low', label: 'Every alert' },
  { value: 'medium', label: 'Medium and above' },
  { value: 'high', label: 'High and above' },
  { value: 'critical', label: 'Critical only' },
];

/** The dialog that makes a route of alerts. */
export function CreateRoute({ tenantId, destinations, rules, onClose, onDone }: Props) {
  const mutate = useMutate();
  const [form, setForm] = useState({
    name: '',
    to: 'email' as Recipient['to'],
    emails: '',
    destinationId: '',
    format: 'json',
    severity: 'low',
    ruleId: null as string | null,
    minutes: '' as number | string,
  });
  const set = (change: Partial<typeof form>) => setForm((now) => ({ ...now, ...change }));
  const submit = async () => {
    await mutate(CreateAlertRouteDocument, {
      tenantId,
      name: form.name,
      ...recipientOf(form, destinations),
      format: form.to === 'email' ? null : form.format,
      severity: form.severity,
      ruleId: form.ruleId,
      escalateMinutes: form.minutes === '' ? null : Number(form.minutes),
    });
    onDone();
  };
  return (
    <FormDialog title="New alert route" action="Save" isOpen onClose={onClose} onSubmit={submit}>
      {(problems) => (
        <>
          <TextInput
            label="Name"
            withAsterisk
            data-autofocus
            maxLength={LIMITS.nameCharsMax}
            error={problems.name}
            value={form.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <RecipientFields
            label="Alerts go"
            value={form}
            onChange={set}
            destinations={destinations}
            problems={problems}
            destination={
              <NativeSelect
                label="Format"
                error={problems.format}
                data={['json', 'ocsf']}
                value={form.format}
                onChange={(event) => set({ format: event.currentTarget.value })}
              />
            }
          />
          <NativeSelect
            label="Which alerts"
            error={problems.severity}
            data={SEVERITIES}
            value={form.severity}
            onChange={(event) => set({ severity: event.currentTarget.value })}
          />
          <Select
            label="Rule"
            placeholder="Every rule"
            error={problems.ruleId}
            clearable
            searchable
            limit={100}
            clearButtonProps={{ 'aria-label': 'Every rule' }}
            data={rules.map(({ ruleId, title }) => ({ value: ruleId, label: title }))}
            value={form.ruleId}
            onChange={(ruleId) => set({ ruleId })}
          />
          <NumberInput
            label="Only if nobody has acknowledged it for so many minutes"
            placeholder="Each alert, at once"
            error={problems.escalateMinutes}
            min={1}
            max={LIMITS.escalateMinutesMax}
            value={form.minutes}
            onChange={(minutes) => set({ minutes })}
          />
        </>
      )}
    </FormDialog>
  );
}
