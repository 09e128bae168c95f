import { NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { LIMITS } from '../../../src/limits';
import { SetRetentionDocument } from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useMutate } from '../lib/mutate';
import type { Tenant } from './rows';

const RETENTION_SUGGESTED_DAYS = 400;

/** How long the events of a tenant are kept. */
export function ChangeRetention(props: { tenant: Tenant; onClose: () => void; onDone: () => void }) {
  const { tenant } = props;
  const mutate = useMutate();
  const [isLimited, setIsLimited] = useState(tenant.retentionDays !== null);
  const [days, setDays] = useState<number | string>(tenant.retentionDays ?? RETENTION_SUGGESTED_DAYS);
  const [typed, setTyped] = useState('');
  const submit = async () => {
    if (isLimited && typed !== tenant.name) throw new Error('Type the name of the tenant as it is.');
    await mutate(SetRetentionDocument, { tenantId: tenant.tenantId, days: isLimited ? Number(days) : null });
    props.onDone();
  };
  return (
    <FormDialog
      title={`Retention of ${tenant.name}`}
      action="Change"
      isDangerous={isLimited}
      isOpen
      onClose={props.onClose}
      onSubmit={submit}
    >
      <Radio.Group
        label="Events are kept"
        value={isLimited ? 'days' : 'ever'}
        onChange={(v) => setIsLimited(v === 'days')}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="ever" label="for ever" />
          <Radio value="days" label="for a number of days" />
        </Stack>
      </Radio.Group>
      {isLimited && (
        <>
          <NumberInput
            label="Days"
            min={1}
            max={LIMITS.retentionDaysMax}
            required
            value={days}
            onChange={setDays}
          />
          <Text size="sm" c="red">
            Events that are older are removed within the hour, for good.
          </Text>
          <TextInput
            label={`Name of the tenant, to confirm: ${tenant.name}`}
            required
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}
