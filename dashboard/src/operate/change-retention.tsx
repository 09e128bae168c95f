import { NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from 'urql';
import { LIMITS } from '../../../src/limits';
import { RetentionPreviewDocument, SetRetentionDocument } from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { Failed } from '../shell/states';
import type { Tenant } from './rows';
import { OPERATE } from './texts';

const RETENTION_SUGGESTED_DAYS = 400;

/** The dialog that changes how long the events of a tenant are kept. */
export function ChangeRetention(props: { tenant: Tenant; onClose: () => void; onDone: () => void }) {
  const t = useTexts(OPERATE);
  const { tenant } = props;
  const mutate = useMutate();
  const [isLimited, setIsLimited] = useKept(`limited ${tenant.tenantId}`, tenant.retentionDays !== null);
  const [days, setDays] = useKept<number | string>(
    `days ${tenant.tenantId}`,
    tenant.retentionDays ?? RETENTION_SUGGESTED_DAYS,
  );
  const [typed, setTyped] = useKept(`confirmed ${tenant.tenantId}`, '');
  const submit = async () => {
    if (isLimited && typed !== tenant.name) throw new Error(t.typeName);
    await mutate(SetRetentionDocument, { tenantId: tenant.tenantId, days: isLimited ? Number(days) : null });
    props.onDone();
  };
  return (
    <FormDialog
      title={t.retentionOf(tenant.name)}
      action={t.change}
      isDangerous={isLimited}
      isOpen
      onClose={props.onClose}
      onSubmit={submit}
    >
      <Radio.Group
        label={t.eventsAreKept}
        value={isLimited ? 'days' : 'ever'}
        onChange={(v) => setIsLimited(v === 'days')}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="ever" label={t.forEver} />
          <Radio value="days" label={t.forDays} />
        </Stack>
      </Radio.Group>
      {isLimited && (
        <>
          <NumberInput
            label={t.days}
            min={1}
            max={LIMITS.retentionDaysMax}
            required
            value={days}
            onChange={setDays}
          />
          <WouldGo tenant={tenant} days={Number(days)} />
          <TextInput
            label={t.confirmName(tenant.name)}
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

const TYPED_MS = 300;

/** The number of events that would be removed, as the service counts them now. */
function WouldGo({ tenant, days: typed }: { readonly tenant: Tenant; readonly days: number }) {
  const t = useTexts(OPERATE);
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
        ? t.countingRemoved
        : preview.events === 0
          ? t.noneOlder(preview.kept)
          : t.wouldGo(preview.events, formatTime(preview.before, zone), preview.kept)}
      {isKnown &&
        preview.holds > 0 &&
        ` ${preview.held === null ? t.holdsMayKeep(preview.holds) : t.holdsKeep(preview.holds, preview.held)}`}
    </Text>
  );
}
