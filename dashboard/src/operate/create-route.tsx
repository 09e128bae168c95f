import { NativeSelect, NumberInput, Select, TextInput } from '@mantine/core';
import { LIMITS } from '../../../src/limits';
import { CreateAlertRouteDocument } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { type Recipient, recipientOf } from '../lib/recipient';
import { RecipientFields } from '../lib/recipient-fields';
import type { Destination, RuleTitle } from './rows';
import { OPERATE } from './texts';

interface Props {
  readonly tenantId: string;
  readonly destinations: readonly Destination[];
  readonly rules: readonly RuleTitle[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The dialog that makes a route of alerts. */
export function CreateRoute({ tenantId, destinations, rules, onClose, onDone }: Props) {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const mutate = useMutate();
  const [form, setForm] = useKept('new route', {
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
    <FormDialog title={t.newRoute} action={common.save} isOpen onClose={onClose} onSubmit={submit}>
      {(problems) => (
        <>
          <TextInput
            label={common.name}
            withAsterisk
            data-autofocus
            maxLength={LIMITS.nameCharsMax}
            error={problems.name}
            value={form.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <RecipientFields
            label={t.alertsGo}
            value={form}
            onChange={set}
            destinations={destinations}
            problems={problems}
            destination={
              <NativeSelect
                label={t.format}
                error={problems.format}
                data={['json', 'ocsf']}
                value={form.format}
                onChange={(event) => set({ format: event.currentTarget.value })}
              />
            }
          />
          <NativeSelect
            label={t.whichAlerts}
            error={problems.severity}
            data={[
              { value: 'low', label: t.everyAlert },
              { value: 'medium', label: t.mediumAndAbove },
              { value: 'high', label: t.highAndAbove },
              { value: 'critical', label: t.criticalOnly },
            ]}
            value={form.severity}
            onChange={(event) => set({ severity: event.currentTarget.value })}
          />
          <Select
            label={t.rule}
            placeholder={t.everyRule}
            error={problems.ruleId}
            clearable
            searchable
            limit={100}
            clearButtonProps={{ 'aria-label': t.everyRule }}
            renderOption={({ option }) => <span lang="en">{option.label}</span>}
            data={rules.map(({ ruleId, title }) => ({ value: ruleId, label: title }))}
            value={form.ruleId}
            onChange={(ruleId) => set({ ruleId })}
          />
          <NumberInput
            label={t.onlyIfNobody}
            placeholder={t.atOnce}
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
