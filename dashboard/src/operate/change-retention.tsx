import { NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useQuery } from 'urql';
import { LIMITS } from '../../../src/limits';
import { RetentionPreviewDocument, SetRetentionDocument } from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useMutate } from '../lib/mutate';
import { counted, formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { Failed } from '../shell/states';
import type { Tenant } from './rows';

const RETENTION_SUGGESTED_DAYS = 400;

/** The dialog that changes how long the events of a tenant are kept. */
export function ChangeRetention(props: { tenant: Tenant; onClose: () => void; onDone: () => void }) {
  const { tenant } = props;
  const mutate = useMutate();
  const [isLimited, setIsLimited] = useState(tenant.retentionDays !== null);
  const [days, setDays] = useState<number | string>(tenant.retentionDays ?? RETENTION_SUGGESTED_DAYS);
  const [typed, setTyped] = useState('');
  const submit = async () => {
    if (isLimited && typed !== tenant.name) throw new Error('Type the exact name of the tenant.');
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
          <WouldGo tenant={tenant} days={Number(days)} />
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

const heldText = (held: number | null, holds: number) =>
  held === null
    ? ` ${counted(holds, 'legal hold')} in force may keep some of them.`
    : ` ${counted(holds, 'legal hold')} in force: ${formatCount(held)} older events stay for them.`;

const TYPED_MS = 300;

/** The number of events that would be removed, as the service counts them now. */
function WouldGo({ tenant, days: typed }: { readonly tenant: Tenant; readonly days: number }) {
  const [zone] = useTimeZone();
  const [days] = useDebouncedValue(typed, TYPED_MS);
  const isSound = days >= 1 && days <= LIMITS.retentionDaysMax;
  const [{ data, error, fetching }] = useQuery({
    query: RetentionPreviewDocument,
    variables: { tenantId: tenant.tenantId, days },
    pause: !isSound,
  });
  if (error && isSound) return <Failed error={error} />;
  const preview = data?.retentionPreview;
  const isKnown = preview && !fetching && isSound && days === typed;
  return (
    <Text size="sm" c="red" role="status">
      {!isKnown
        ? 'Counting the events that would be removed …'
        : preview.events === 0
          ? `No event is older yet: all ${formatCount(preview.kept)} stay for now.`
          : `${formatCount(preview.events)} events of before ${formatTime(preview.before, zone)} are removed within the hour, for good; ${formatCount(preview.kept)} stay.`}
      {isKnown && preview.holds > 0 && heldText(preview.held, preview.holds)}
    </Text>
  );
}
