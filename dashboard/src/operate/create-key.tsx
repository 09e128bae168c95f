import {
  Checkbox,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { SCOPES } from '../../../src/caller/scopes';
import { LIMITS } from '../../../src/limits';
import {
  CreateAgentKeyDocument,
  CreateApiKeyDocument,
  CreateOperatorKeyDocument,
} from '../../generated/operations';
import { addressesOf } from '../lib/addresses';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import type { NamedTenant } from '../lib/tenant-name';
import { fromInputValue } from '../lib/time';
import type { ShownKey } from './key-once';
import { OPERATE } from './texts';

interface Props {
  readonly tenants: readonly NamedTenant[];
  readonly onClose: () => void;
  readonly onMade: (key: ShownKey) => void;
}

const EMPTY = {
  kind: 'public',
  name: '',
  tenantIds: [] as string[],
  tenantId: null as string | null,
  scopes: ['read:audit-activity'] as string[],
  expires: '',
  rateLimit: '' as number | string,
  addresses: '',
};

export function CreateKey({ tenants, onClose, onMade }: Props) {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const [zone] = useTimeZone();
  const create = useCreate();
  const [form, setForm] = useKept('new key', EMPTY);
  const set = (change: Partial<typeof EMPTY>) => setForm((before) => ({ ...before, ...change }));
  const choices = tenants.map(({ tenantId, name }) => ({ value: tenantId, label: `${name} (${tenantId})` }));
  const submit = async () => {
    const expiresMs = form.expires ? fromInputValue(form.expires, zone) : null;
    const key = await create(form, expiresMs === null ? null : new Date(expiresMs).toISOString());
    onMade({ name: form.name, key });
  };
  return (
    <FormDialog title={t.newKey} action={t.create} isOpen onClose={onClose} onSubmit={submit}>
      {(problems) => (
        <>
          <SegmentedControl
            aria-label={common.kind}
            data={[
              { value: 'public', label: 'API' },
              { value: 'agent', label: t.agent },
              { value: 'operator', label: t.operator },
            ]}
            value={form.kind}
            onChange={(kind) => set({ kind })}
          />
          <TextInput
            label={common.name}
            error={problems.name}
            description={t.whoWillUse}
            required
            data-autofocus
            maxLength={LIMITS.nameCharsMax}
            value={form.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          {form.kind === 'public' && (
            <>
              <MultiSelect
                label={t.tenantsItReads}
                error={problems.tenantIds}
                withAsterisk
                data={choices}
                searchable
                limit={100}
                value={form.tenantIds}
                onChange={(tenantIds) => set({ tenantIds })}
              />
              <ScopeChoice
                error={problems.scopes}
                value={form.scopes}
                onChange={(scopes) => set({ scopes })}
              />
              <NumberInput
                label={t.callsPerMinute}
                error={problems.rateLimitPerMinute}
                placeholder={t.serviceDefault}
                min={1}
                max={LIMITS.rateLimitPerMinuteMax}
                value={form.rateLimit}
                onChange={(rateLimit) => set({ rateLimit })}
              />
            </>
          )}
          {form.kind === 'agent' && (
            <Select
              label={t.tenantItPublishes}
              error={problems.tenantId}
              required
              data={choices}
              searchable
              limit={100}
              value={form.tenantId}
              onChange={(tenantId) => set({ tenantId })}
            />
          )}
          <TextInput
            type="datetime-local"
            label={t.expiresIn(zone)}
            error={problems.expiresAt}
            description={t.emptyNever}
            value={form.expires}
            onChange={(event) => set({ expires: event.currentTarget.value })}
          />
          <Textarea
            label={t.addressesOfKey}
            error={problems.allowedAddresses}
            description={t.networks}
            autosize
            value={form.addresses}
            onChange={(event) => set({ addresses: event.currentTarget.value })}
          />
        </>
      )}
    </FormDialog>
  );
}

function ScopeChoice(props: {
  readonly value: string[];
  readonly onChange: (scopes: string[]) => void;
  readonly error: string | undefined;
}) {
  const t = useTexts(OPERATE);
  return (
    <Checkbox.Group label={t.scopes} {...props}>
      <Stack gap={6} mt={6}>
        {Object.entries(SCOPES).map(([scope, { permits }]) => (
          <Checkbox
            key={scope}
            size="xs"
            value={scope}
            label={scope}
            description={<span lang="en">{permits}</span>}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/** Makes a key of any kind; resolves with the key itself. */
function useCreate(): (form: typeof EMPTY, expiresAt: string | null) => Promise<string> {
  const mutate = useMutate();
  return async ({ kind, name, tenantIds, tenantId, scopes, rateLimit, addresses }, expiresAt) => {
    const shared = { name, expiresAt, allowedAddresses: addressesOf(addresses) };
    if (kind === 'operator') return (await mutate(CreateOperatorKeyDocument, shared)).createOperatorKey.key;
    if (kind === 'agent')
      return (await mutate(CreateAgentKeyDocument, { ...shared, tenantId: tenantId ?? '' })).createAgentKey
        .key;
    const rateLimitPerMinute = rateLimit === '' ? null : Number(rateLimit);
    const variables = { ...shared, tenantIds, scopes, rateLimitPerMinute };
    return (await mutate(CreateApiKeyDocument, variables)).createApiKey.key;
  };
}
